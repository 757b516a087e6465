"""Known positives of the rule book: each rule is broken on purpose, and a test of a table must fall.

A mutant is one replacement in the source of one function; the broken function takes the place of the sound one everywhere.
"""

# ruff: noqa: E501 - a mutant is a line of a table

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType

import pytest
import test_entry
import test_keeping
import test_pairing
import test_proof_rules
import test_reduction
import test_render
import test_selection
import test_stability
import test_verdict
import test_visible

RULES, COUNTS, SHARDS = test_reduction.test_the_rules, test_reduction.test_counts, test_selection.test_what_counts
WAYS = test_verdict.test_the_lines_to_paste_let_through_when_they_are_pasted
WILDCARD = test_render.test_a_counted_wildcard_is_offered_only_where_it_is_exactly_right
STANDS, STALE = test_proof_rules.test_a_proof_that_stands, test_proof_rules.test_a_case_without_one
ASKED, FIRSTS = test_proof_rules.test_which_cases_are_asked, test_keeping.test_first_runs
APART, RUNS = test_stability.test_samples_full_runs_and_alone_are_counted_apart, test_stability.test_which_runs_count
ENTRIES = test_entry.test_entries_that_cannot_be_used


@dataclass(frozen=True)
class Mutant:
    """`old` stands once in the module's source; with `new` in its place a row of `table` must fall."""

    reason: str
    module: str
    old: str
    new: str
    table: Callable[..., None] = RULES


MUTANTS = [
    # ---------------------------------------------------------------- how a case stands
    Mutant("green must be shown by every base run", "rules.standing", "green=any(", "green=all("),
    Mutant("ran must be shown by every base run", "rules.standing", "ran=any(", "ran=all("),
    Mutant("the smaller count of the base", "rules.standing", "count=max(c.count for _, c", "count=min(c.count for _, c"),
    Mutant("all records are cases of the inventory", "rules.standing", "if case.kind is RecordKind.CASE:", "if True:"),
    Mutant("the oldest run decides", "rules.standing", "newest = max(r.started", "newest = min(r.started"),
    Mutant("only the newest run counts", "rules.standing", 'if reruns == "all":', "if False:"),
    Mutant("a case stands in any deciding run", "rules.standing", "elif len(found) == len(decide):", "else:"),
    Mutant("the best outcome wins", "rules.standing", "worst = max(rows", "worst = min(rows"),
    Mutant("the larger count of the tip", "rules.standing", "count=min(c.count for c in rows)", "count=max(c.count for c in rows)"),
    Mutant("an exit code has a name of its own", "rules.standing", '"" if case.kind is RecordKind.RUN else case.id', "case.id"),
    Mutant("an exit code is a case of the suite", "rules.standing", "if c.kind is not RecordKind.RUN", "if True", COUNTS),
    Mutant("a file is no record of the base", "rules.standing", "len(base) + beside", "len(base)", COUNTS),
    # ---------------------------------------------------------------- what became of a case
    Mutant("what is gone is forgotten", "rules.pairing", "            lost.append(case_id)\n    arrivals", "            pass\n    arrivals"),
    Mutant("a file that does not load covers nothing", "rules.pairing", "case_id[:end]) or found", "case_id) or found"),
    Mutant("the folder before the file", "rules.pairing", "covering.get(case_id[:end]) or found",
           "found or covering.get(case_id[:end])"),
    Mutant("the skipped record before the red one", "rules.pairing", "badness > other.outcome.badness", "badness < other.outcome.badness"),
    Mutant("a renamed file that does not load", "rules.pairing", " or _record_over(_renamed(case_id, renames), covering)", ""),
    Mutant("a file that does not load skips itself", "rules.pairing", "elif record.outcome.is_red:", "elif False:"),
    Mutant("two departures share an arrival", "rules.pairing", " and len(claims[new_id]) == 1", ""),
    Mutant("moved wherever git saw a rename", "rules.pairing", "if new_id in arrivals and", "if new_id and"),
    Mutant("one numbered id is enough", "rules.pairing", "arrivals.issuperset(both)", "both[0] in arrivals"),
    Mutant("a lone numbered id was one of two", "rules.pairing", " and suffixed(plain, 1) in before", ""),
    Mutant("a bar behind every id", "rules.pairing", "'_' if inner[-1:].isdigit() else ''", "'_'",
           test_pairing.test_the_suffix_is_pytests_own),
    Mutant("rows of two words are alike", "rules.pairing", "if b and t and b[0] == t[0]", "if b and t"),
    Mutant("a row may have gaps", "rules.pairing", "sorted(indexes) != list(range(len(indexes)))", "not indexes"),
    Mutant("a row may mix words", "rules.pairing", "len(words) != 1", "not words", test_pairing.test_a_row_of_positions),
    Mutant("a position may say more", "rules.pairing", "not _is_word(word)", "False"),
    # ---------------------------------------------------------------- the rules
    Mutant("fewer is fine", "rules.reduction", "if tip.count < base.count:", "if False:"),
    Mutant("only a green case can be skipped", "rules.reduction", "        if base.ran:", "        if base.green:"),
    Mutant("skipped is fine", "rules.reduction", "elif tip.outcome.is_skip:", "elif False:"),
    Mutant("un-skipped and red is a red", "rules.reduction", "    if not base.ran:", "    if False:"),
    Mutant("red somewhere is red everywhere", "rules.reduction", "    if not base.green:", "    if base.red_in:"),
    Mutant("a day has ended after a day", "rules.reduction", "age > question.window_hours", "age >= question.window_hours"),
    Mutant("a red clears for ever", "rules.reduction", "age > question.window_hours * HOUR or", "False or"),
    Mutant("conditions do not matter", "rules.reduction", "not all(equal_conditions(run, t) for t in decide)", "False"),
    Mutant("the clock is always right", "rules.reduction", "run.clock_suspect or age < -CLOCK_TOLERANCE", "False"),
    Mutant("the clock is never two minutes off", "rules.reduction", "age < -CLOCK_TOLERANCE", "age < 0"),
    Mutant("a suspect time is not told", "rules.reduction", "    if suspect:", "    if False:"),
    Mutant("a new red is a red", "rules.reduction", "wording.new_red(case) if case.outcome.is_red else wording.added(case)",
           "wording.added(case)"),
    Mutant("flaky is not told", "rules.reduction", "    elif tip.total.passed < tip.total.of:", "    elif False:"),
    Mutant("a file that fails beside its cases is new", "rules.reduction", "red_in or any(", "red_in or all("),
    Mutant("one red exit code is all", "rules.reduction", "if red_in and not green:", "if red_in:"),
    Mutant("a red run ended with 0", "rules.reduction", "if r.exit_code in (0, None)", "if True"),
    Mutant("skipped cases of a module that skips itself", "rules.reduction", "pairs.self_skipped.items() if base[i].ran", "pairs.self_skipped.items()"),
    Mutant("a smaller run is not named", "rules.reduction", "        if of < before:", "        if False:"),
    Mutant("runs of two bases are one", "rules.reduction", "largest.get(run.tree, 0)", "max(largest.values(), default=0)"),
    Mutant("conditions are not told", "rules.reduction", "    rows = differing(base, tip)", "    rows = []"),
    Mutant("an unknown condition is not told", "rules.reduction", "(name in ours) != (name in theirs)", "False"),
    Mutant("an unknown condition differs", "rules.conditions", "[(k, v, theirs[k]) for k, v in one.conditions if k in theirs and theirs[k] != v]",
           "[(k, v, str(theirs.get(k))) for k, v in (*one.conditions, *other.conditions) if theirs.get(k) != dict(one.conditions).get(k)]",
           test_reduction.test_an_unknown_value_is_comparable),
    Mutant("what did not run can be a rename's target", "rules.reduction", "if not tip.cases[i].outcome.is_skip", "if True",
           test_reduction.test_a_rename_may_only_name_what_ran_at_the_tip_and_is_new),
    Mutant("runs of the tip are mixed", "rules.conditions", "tuple(r for r in tip if not _unlike(r, run, same))", "tuple(tip)",
           test_reduction.test_only_runs_under_the_conditions_of_the_tip_are_compared),
    Mutant("runs of the base are mixed", "rules.conditions", "tuple(r for r in base if not _unlike(r, run, same))", "tuple(base)",
           test_reduction.test_only_runs_under_the_conditions_of_the_tip_are_compared),
    Mutant("the oldest run of the tip is compared", "rules.conditions", "reverse=True)", "reverse=False)",
           test_reduction.test_only_runs_under_the_conditions_of_the_tip_are_compared),
    Mutant("reduced only while it is open", "rules.verdict", "any(f.code in _REDUCING for f", "any(f.code in _REDUCING and not f.disclosed for f",
           test_verdict.test_a_disclosed_finding_stays_in_the_list_and_lets_through),
    # ---------------------------------------------------------------- which runs count
    Mutant("a partial run counts", "rules.selection", "    if run.problems:", "    if False:", SHARDS),
    Mutant("a run that is bound to nothing counts", "rules.selection", "    if run.tree is None:", "    if False:", SHARDS),
    Mutant("an empty run counts", "rules.selection", "    if not run.count.of:", "    if False:", SHARDS),
    Mutant("weak evidence counts", "rules.selection", "    if run.counts_as < evidence:", "    if False:",
           test_selection.test_evidence_counts_from_the_strength_that_the_policy_asks),
    Mutant("evidence must be stronger than asked", "rules.selection", "run.counts_as < evidence", "run.counts_as <= evidence", SHARDS),
    Mutant("a silent run counts", "rules.selection", "    if silent:", "    if False:", SHARDS),
    Mutant("any suite's run counts", "rules.selection", "        if run.suite != suite.name:", "        if False:", SHARDS),
    Mutant("a run without a shard counts where there are shards", "rules.selection", "        elif suite.shards:", "        elif False:", SHARDS),
    Mutant("the policy's number of shards does not matter", "rules.selection", "{suite.shards} if suite.shards else", "set() or", SHARDS),
    Mutant("the last shard may be missing", "rules.selection", "range(1, total + 1)", "range(1, total)", SHARDS),
    Mutant("the oldest of each shard", "rules.selection", "sorted(parts, key=_order)", "sorted(parts, key=_order, reverse=True)",
           test_selection.test_the_newest_of_each_shard_is_joined_and_the_start_is_the_oldest_parts),
    Mutant("a joined run starts with its newest part", "rules.selection", "started=min(p.started", "started=max(p.started",
           test_selection.test_the_newest_of_each_shard_is_joined_and_the_start_is_the_oldest_parts),
    Mutant("a joined run is as strong as its strongest part", "rules.selection", "evidence=min(", "evidence=max(",
           test_selection.test_a_joined_run_is_as_weak_as_its_weakest_part),
    Mutant("the first shard speaks for all", "rules.selection", "conditions=_conditions(parts)", "conditions=parts[0].conditions",
           test_selection.test_joined_conditions_exit_code_and_clock_are_those_of_all_parts),
    Mutant("old problems are told for ever", "rules.selection", "if started >= since", "if True", SHARDS),
    Mutant("what cannot be read is forgotten", "rules.selection", "    if stock.unreadable:", "    if False:",
           test_selection.test_what_cannot_be_read_comes_last_and_stays_beside_whole_runs),
    # ---------------------------------------------------------------- what follows
    Mutant("missing evidence outweighs a refusal", "rules.verdict", "    if Level.REFUSE in levels:",
           "    if Level.REFUSE in levels and Level.NO_EVIDENCE not in levels:", test_verdict.test_precedence),
    Mutant("missing evidence is let through", "rules.verdict", "    if Level.NO_EVIDENCE in levels:", "    if False:", test_verdict.test_precedence),
    Mutant("a disclosed finding still refuses", "rules.verdict", "for f in findings if f.disclosed is None}", "for f in findings}", WAYS),
    Mutant("a warning lets missing evidence through", "rules.verdict", "        decision = let_through", "        decision = Decision.ALLOWED",
           test_verdict.test_mode_warn),
    Mutant("the policy's mode does not matter", "rules.verdict", '    if mode == "warn" and', "    if False and", test_verdict.test_mode_warn),
    Mutant("what was not compared is not reduced", "rules.verdict", "(False if compared else None)", "False",
           test_verdict.test_reduced_is_null_where_nothing_was_compared),
    Mutant("a first yardstick is a comparison", "rules.verdict", "row.base is not None and row.tip is not None", "True",
           test_verdict.test_reduced_is_null_where_nothing_was_compared),
    Mutant("no line to paste", "rules.verdict", "    if paste is None:", "    if True:", WAYS),
    Mutant("renames are always offered", "rules.verdict", "if max(len(removed), len(new_at_tip)) <= _RENAMES_OFFERED else []", "",
           test_verdict.test_no_rename_is_offered),
    # ---------------------------------------------------------------- disclosures
    Mutant("words clear a red", "rules.trailer_lines", "    Code.CASE_FEWER: (Trailer.REMOVED,),",
           "    Code.CASE_FEWER: (Trailer.REMOVED,), Code.CASE_RED: (Trailer.REMOVED,),", test_verdict.test_no_words_let_a_red_through),
    Mutant("the policy's pattern does not matter", "rules.trailers", "if self.reason_pattern and", "if False and",
           test_verdict.test_the_reason_must_match_the_policy),
    Mutant("lines in the prose count", "rules.trailer_search", "if (trailer, value) not in read and malformed(line) is None:", "if False:",
           test_verdict.test_a_line_in_the_prose_is_told_and_does_not_count),
    Mutant("a wildcard may name others too", "rules.trailer_lines", "if not any(matches(", "if True or not any(matches(", WILDCARD),
    Mutant("a wildcard at any letter", "rules.trailer_lines", 'head[: max(head.rfind("/") + 1, head.rfind("::") + 2 if "::" in head else 0)]',
           "head", WILDCARD),
    Mutant("a star in a name is a star", "rules.trailer_lines", 'not prefix or "*" in prefix or', "not prefix or", WILDCARD),
    # ---------------------------------------------------------------- known positives
    Mutant("any fault proves", "rules.proof_rules", "    if not proof.is_proven:", "    if False:", STALE),
    Mutant("a changed case keeps its proof", "rules.proof_rules", "names.get(proof.expectation_path) != proof.expectation", "False", STALE),
    Mutant("a changed fault keeps its proof", "rules.proof_rules", "there is not None and there != proof.patch_blob", "False", STALE),
    Mutant("a fault must be committed", "rules.proof_rules", "there is not None and there != proof.patch_blob", "proof.patch_path and there != proof.patch_blob", STANDS),
    Mutant("every proof must stand", "rules.proof_rules", '    if "" in why:', '    if set(why) == {""}:', STANDS),
    Mutant("a case that is let loose later is not asked", "rules.proof_rules", "set(new_at_tip) | ((there - ran) & ran_at_tip)", "set(new_at_tip)", ASKED),
    Mutant("a case that does not run yet is asked", "rules.proof_rules", "(there - ran) & ran_at_tip", "there - ran", ASKED),
    Mutant("a case that was red is new", "rules.proof_rules", "        if not case.outcome.is_skip:\n            ran", "        if case.outcome.is_green:\n            ran", ASKED),
    # ---------------------------------------------------------------- k of n, and what is kept
    Mutant("a broken run counts", "rules.stability", "        if problem.code is not Code.RUN_PARTIAL:", "        if False:", RUNS),
    Mutant("a run of no tree counts", "rules.stability", 'return "" if run.tree else "it is bound to no tree"', 'return ""', RUNS),
    Mutant("alone counts as full", "rules.stability", "samples = row.full if run.is_complete else row.alone", "samples = row.full", APART),
    Mutant("a run is a sample", "rules.stability", "samples[1] += case.samples", "samples[1] += 1", APART),
    Mutant("a partial run is a first run", "rules.keeping", " or not run.is_complete:", ":", FIRSTS),
    Mutant("a case fewer is no version", "rules.keeping", "keys.add((*leg, frozenset(pairs)))", "pass", FIRSTS),
    Mutant("an expectation alone is no first", "rules.keeping", "if not keys <= seen:", "if not keys & seen:", FIRSTS),
    Mutant("the last run is the first", "rules.keeping", "key=lambda r: (r.started, r.sequence, r.id)", "key=lambda r: -r.started", FIRSTS),
    # ---------------------------------------------------------------- what is shown
    Mutant("notes without end", "render", "or number <= MOST_NOTES:", "or True:",
           test_render.test_json_keeps_refusals_whole_and_says_how_many_notes_are_left_out),
    Mutant("refusals are cut", "render", "if finding.level is not Level.NOTE or number", "if number",
           test_render.test_json_keeps_refusals_whole_and_says_how_many_notes_are_left_out),
    Mutant("a long group is not cut", "render", "return group if verbose else group[:most]", "return group",
           test_render.test_a_long_group_is_cut_and_says_where_the_rest_is),
    Mutant("format characters pass", "visible", '"Cf", ', "", test_visible.test_what_could_move_a_terminal_is_spelled_out),
    Mutant("what is drawn as nothing passes", "visible", " and character not in _UNSEEN", "",
           test_visible.test_what_could_move_a_terminal_is_spelled_out),
    # ---------------------------------------------------------------- what is stored
    Mutant("the digest does not matter", "store.envelope", 'digest != "sha256:" + hashlib.sha256(payload).hexdigest()', "False", ENTRIES),
    Mutant("base64 has many spellings", "store.envelope", 'base64.b64encode(payload).decode("ascii") != text', "False",
           test_entry.test_a_flipped_bit_never_gives_another_run),
    Mutant("a newer version is read", "store.envelope", "    if int(version[:9]) > newest:", "    if False:", ENTRIES),
    Mutant("any inventory fits", "store.id_lists", "blocks.name != name and sha256(text).hex() != name", "False",
           test_entry.test_a_missing_or_damaged_inventory),
    Mutant("a bomb of outcomes is unpacked", "store.run_fields", "if not len(ids) == len(outcomes) == stored[\"number\"]:", "if False:",
           test_entry.test_cases_that_do_not_fit),
    Mutant("times without an order", "store.run_fields", "if not abs(seconds) < _INFINITE:", "if False:",
           test_entry.test_a_field_of_another_kind_is_told_and_never_a_crash),
]  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m.module}: {m.reason}")
def test_a_broken_rule_is_found(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(f"shipmoor_hooks.{mutant.module}")
    for name, broken in broken_pieces(module, mutant):
        sound = getattr(module, name)
        for other, alias in using(sound):
            monkeypatch.setattr(other, alias, broken)
    assert fallen(mutant.table), "no row of the table falls: the rule is not proven"


def test_without_a_mutant_no_table_falls() -> None:
    for table in {m.table for m in MUTANTS}:
        assert not fallen(table)


def broken_pieces(module: ModuleType, mutant: Mutant) -> Iterator[tuple[str, object]]:
    """The top-level definition that the mutant changes, made anew in the module's own world."""
    source = inspect.getsource(module)
    assert source.count(mutant.old) == 1, f"{mutant.old!r} stands {source.count(mutant.old)} times in {module.__name__}"
    whole, changed = ast.parse(source), ast.parse(source.replace(mutant.old, mutant.new))
    for was, now in zip(whole.body, changed.body, strict=True):
        if ast.dump(was) != ast.dump(now):
            world = dict(vars(module))
            exec(compile(ast.Module([now], []), module.__file__ or "", "exec"), world)  # noqa: S102
            for name in names_of(now):
                piece = world[name]
                if inspect.isfunction(piece):
                    piece = type(piece)(piece.__code__, vars(module), name, piece.__defaults__, piece.__closure__)
                    piece.__kwdefaults__ = world[name].__kwdefaults__
                yield name, piece


def names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [t.id for t in targets if isinstance(t, ast.Name)]


def using(sound: object) -> list[tuple[ModuleType, str]]:
    """Every module that has the sound piece, and under which name."""
    ours = [m for n, m in list(sys.modules.items()) if n.startswith(("shipmoor_hooks", "test_", "rule_world")) and m]
    return [(module, name) for module in ours for name, piece in list(vars(module).items()) if piece is sound]


def fallen(table: Callable[..., None]) -> list[object]:
    """The rows of a table under which its test fails; at once after the first."""
    marks = [m for m in getattr(table, "pytestmark", []) if m.name == "parametrize"]
    assert len(marks) <= 1
    names = [n.strip() for n in marks[0].args[0].split(",")] if marks and isinstance(marks[0].args[0], str) else []
    names = names or (list(marks[0].args[0]) if marks else [])
    for number, row in enumerate(marks[0].args[1] if marks else [()]):
        values = row.values if hasattr(row, "values") and not isinstance(row, dict) else row
        values = values if isinstance(values, tuple) and len(values) == len(names) else (values,) if names else ()
        try:
            table(**dict(zip(names, values, strict=True)))
        except (Exception, pytest.fail.Exception):
            return [number]
    return []
