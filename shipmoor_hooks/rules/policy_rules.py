"""When the tip's policy asks for less than the base's: a rule for each key (design, sections 10.13, 10.24 and 10.32).

`KEYS` is the one table of all keys, with the direction in which each is looser; the docs are written from it.
"""

from __future__ import annotations

import shlex

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.model import CaseRules, Code, Finding, Loosening, Policy, Suite

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    # Base command and tip command -> the selection that the tip's adds, in words, or None.
    AddedSelection = Callable[[Sequence[str], Sequence[str]], str | None]


@dataclass(frozen=True, slots=True)
class PolicyKey:
    """A key of the policy: what it says, its values, its default, and which change makes it looser ("": none)."""

    key: str
    says: str
    values: str
    default: str
    looser: str = ""


KEYS = (
    PolicyKey("gate.target", "the branch whose merge base is the base", "a branch", '"origin/HEAD"'),
    PolicyKey("gate.evidence", "the weakest evidence that counts", "observed, reported, imported", '"imported"',
              "weaker"),
    PolicyKey("gate.untracked", "a run that saw untracked files", "warn, refuse", '"warn"', "refuse to warn"),
    PolicyKey("gate.mode", "what a reduced tip leads to", "refuse, warn", '"refuse"', "refuse to warn"),
    PolicyKey("gate.window", "how old a base run may be that clears a red", "hours above 0", "24", "longer"),
    PolicyKey("gate.disclosure.reason", "what a reason has to match", "a regular expression", "",
              "dropped or changed"),
    PolicyKey("suite.NAME", "a suite", "a table", "", "dropped"),
    PolicyKey("suite.NAME.command", "what runs the whole suite", "words, or a string that is split into words", "[]",
              "a selection added; for plugin-eval another ablation or threshold"),
    PolicyKey("suite.NAME.reports", "the report files that a run writes", "paths with wildcards", "[]", "one dropped"),
    PolicyKey("suite.NAME.format", "the reader of the reports", "junit, plugin-eval, tap, trx, go-test",
              "found by the file"),
    PolicyKey("suite.NAME.exclude", "paths that do not count for the suite", "patterns of gitignore without !", "[]",
              "one added or widened"),
    PolicyKey("suite.NAME.variants", "the legs of a matrix; all must be measured", "names", "[]", "one dropped"),
    PolicyKey("suite.NAME.shards", "in how many parts a run comes", "a whole number, 2 or more", "one part"),
    PolicyKey("suite.NAME.normalise", "replacements in raw names", "{ pattern, replace } tables", "[]",
              "one added or changed"),
    PolicyKey("suite.NAME.reruns", "which of several complete runs on one tree decide", "latest, all",
              '"latest"; plugin-eval: "all"', "all to latest"),
    PolicyKey("suite.NAME.proofs", "whether a new case needs a known positive", "true, false", "false",
              "true to false"),
    PolicyKey("suite.NAME.setup", "what prepares a scratch worktree", "commands", "[]"),
    PolicyKey("suite.NAME.same", "conditions that must be equal at base and tip", "names of conditions",
              "[]; plugin-eval: model, judge, tool, plugins, ablation, threshold, grants", "one dropped"),
    PolicyKey("suite.NAME.require", "what every run must tell, or a table with what every case must hold",
              "names of conditions, or a table: conditions, graders, judge, max_seconds", "[]",
              "one dropped, judge = false dropped, max_seconds raised or dropped"),
    PolicyKey("suite.NAME.not_covered", "what the suite does not cover, for its readers", "sentences", "[]"),
    PolicyKey("suite.NAME.case_command", "what runs one case; `{case}` is its id",
              "words, or a string that is split into words", "[]"),
    PolicyKey("suite.NAME.agent", "what runs an eval case", "words, or a string that is split into words", "[]"),
    PolicyKey("suite.NAME.max_cost", "where a run of evals stops", "an amount above 0", "no limit"),
    PolicyKey("suite.NAME.traces", "whether traces are kept beside the spool", "keep, drop", '"keep"'),
    PolicyKey("suite.NAME.overlay", "what a case that an overlay run shows as changed to pass leads to", "note, refuse",
              '"note"', "refuse to note"),
)  # fmt: skip


def loosened(base: Policy, tip: Policy | None, added_selection: AddedSelection) -> tuple[Loosening, ...]:
    """Every key by which the tip asks for less than the base, one entry a key, in the order of `KEYS`.

    None for the tip is a policy that is gone there: one entry for each suite of the base.
    """
    found = [] if tip is None else [Loosening(*entry) for entry in _gate(base, tip)]
    for name, suite in sorted(base.suites.items()):
        after = tip.suites.get(name) if tip is not None else None
        if after is None:
            gone = "the policy is gone at the tip" if tip is None else "it is gone at the tip"
            found.append(Loosening(f"suite.{name}", f"the base's policy has this suite, {gone}"))
        else:
            found += [
                Loosening(f"suite.{name}.{key}", message)
                for key, message in _suite(suite, after, added_selection)
                if message
            ]
    return tuple(found)


def command_changes(base: Policy, tip: Policy | None, added_selection: AddedSelection) -> tuple[Finding, ...]:
    """COMMAND_CHANGED notes: a command of a suite on both sides that changed without being looser."""
    notes = []
    for name, suite in sorted(base.suites.items()):
        after = tip.suites.get(name) if tip is not None else None
        if after is None:
            continue
        commands = [("case_command", suite.case_command, after.case_command), ("agent", suite.agent, after.agent)]
        if not _narrowed(suite, after, added_selection):
            commands.insert(0, ("command", suite.command, after.command))
        notes += [
            Finding(
                Code.COMMAND_CHANGED,
                f"suite.{name}.{key} changed: {_command(was)}, then {_command(now)}.",
                suite=name,
            )
            for key, was, now in commands
            if was != now
        ]
    return tuple(notes)


# ---------------------------------------------------------------- the rules, a line for each key


def _gate(base: Policy, tip: Policy) -> Iterable[tuple[str, str]]:
    if tip.evidence < base.evidence:
        yield "gate.evidence", _became(base.evidence.word, tip.evidence.word)
    if (base.untracked, tip.untracked) == ("refuse", "warn"):
        yield "gate.untracked", _became("refuse", "warn")
    if (base.mode, tip.mode) == ("refuse", "warn"):
        yield "gate.mode", _became("refuse", "warn")
    if tip.window_hours > base.window_hours:
        yield "gate.window", f"{base.window_hours:g} hours became {tip.window_hours:g}"
    if base.reason and tip.reason != base.reason:
        # Whether one expression takes more than another cannot be told, so a change counts like a pattern of a grader.
        yield (
            "gate.disclosure.reason",
            _became(f"`{base.reason}`", f"`{tip.reason}`") if tip.reason else "it is dropped",
        )


def _suite(base: Suite, tip: Suite, added_selection: AddedSelection) -> Iterable[tuple[str, str]]:
    yield "command", _narrowed(base, tip, added_selection)
    yield "reports", _dropped(base.reports, tip.reports)
    wider = [pattern for pattern in tip.exclude if not any(covers(known, pattern) for known in base.exclude)]
    yield "exclude", _listed("now also leaves out", wider)
    yield "variants", _dropped(base.variants, tip.variants)
    added = [f"{n.pattern} = {n.replace}" for n in tip.normalise if n not in base.normalise]
    yield "normalise", _listed("now also replaces", added)
    yield "reruns", _became("all", "latest") if (base.reruns, tip.reruns) == ("all", "latest") else ""
    yield "proofs", _became("true", "false") if base.proofs and not tip.proofs else ""
    yield "same", _dropped(base.same, tip.same)
    yield "overlay", _became("refuse", "note") if (base.overlay, tip.overlay) == ("refuse", "note") else ""
    yield "require", "; ".join(_required(base.case_rules, tip.case_rules, base.require, tip.require))


def _required(base: CaseRules, tip: CaseRules, conditions: Sequence[str], at_tip: Sequence[str]) -> Iterable[str]:
    """What the tip no longer asks of every run and every case."""
    pairs = [[f"{when} with {also}" for when, also in rules.pairs] for rules in (base, tip)]
    changes = (_dropped(conditions, at_tip), _dropped(base.graders, tip.graders), _dropped(*pairs))
    yield from (change for change in changes if change)
    if base.judge is False and tip.judge is not False:
        yield "it no longer says judge = false"
    if base.max_seconds is not None and (tip.max_seconds is None or tip.max_seconds > base.max_seconds):
        now = "none" if tip.max_seconds is None else f"{tip.max_seconds:g}"
        yield f"max_seconds {_became(f'{base.max_seconds:g}', now)}"


def _narrowed(base: Suite, tip: Suite, added_selection: AddedSelection) -> str:
    """How the tip's command measures less than the base's, "" when it does not."""
    if base.command == tip.command:
        return ""
    said = []
    if selection := added_selection(base.command, tip.command):
        said.append(f"the command now selects: {selection}")
    if "plugin-eval" in (base.format, tip.format):
        for name in ("--ablation", "--threshold"):
            was, now = option(base.command, name), option(tip.command, name)
            if not _equal(was, now):
                said.append(f"{name} {was or 'not given'} became {now or 'not given'}")
    return "; ".join(said)


def covers(known: str, pattern: str) -> bool:
    """Whether a pattern of gitignore leaves out nothing that another does not: the same, or inside its plain folder."""
    folder = known.removeprefix("/").removesuffix("**").removesuffix("/")
    inside = pattern.removeprefix("/")
    plain = folder and not any(c in folder for c in "*?[\\")
    # `docs/` and `docs` match at every depth, `docs/api` only at the root: a pattern that is inside holds a slash.
    return pattern == known or bool(plain and inside.startswith(f"{folder}/") and inside.rstrip("/") != folder)


def option(command: Sequence[str], name: str) -> str | None:
    """The value of a long option, `--name value` or `--name=value`, the last one; None when it is not given."""
    found = None
    for number, word in enumerate(command, 1):
        if word == name:
            found = "".join(command[number : number + 1])
        elif word.startswith(f"{name}="):
            found = word[len(name) + 1 :]
    return found


def _equal(was: str | None, now: str | None) -> bool:
    try:
        return was == now or (was is not None and now is not None and float(was) == float(now))
    except ValueError:
        return False


def _became(was: str, now: str) -> str:
    return f"{was} became {now}"


def _dropped(base: Sequence[str], tip: Sequence[str]) -> str:
    return _listed("no longer asks for", [entry for entry in base if entry not in tip])


def _listed(verb: str, entries: Sequence[str]) -> str:
    return f"it {verb} {', '.join(f'`{e}`' for e in entries)}" if entries else ""


def _command(words: Sequence[str]) -> str:
    return f"`{shlex.join(words)}`" if words else "none"
