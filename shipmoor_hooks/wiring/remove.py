"""`init --remove`: what `init` did is undone, as a plan that is shown before it is made (design, 10.21).

A file that still is as `init` left it becomes what it was, byte for byte; in one that was changed since our own lines are taken
out as text. The runs stay, and so does the policy unless it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.place import Place
from shipmoor_hooks.wiring import agent_settings, hosts, stood_before, toml_cut, yaml_cut, yaml_edit
from shipmoor_hooks.wiring.file_change import FileChange, read_text
from shipmoor_hooks.wiring.hook_files import CHAINED, LEGACY, SERVER_STAGE, SHIM_LINE, STAGES, hooks_folder, owner
from shipmoor_hooks.wiring.hook_source import HOOKS, STAGE_OF
from shipmoor_hooks.wiring.install import POLICY_FILE, Plan
from shipmoor_hooks.wiring.stood_before import Before, Memory, digest

AGAIN = "shipmoor-hooks init --remove"


def plan_remove(place: Place, environ: Mapping[str, str], policy: bool = False) -> Plan:
    """What there is to undo in this repository and worktree; `policy` takes shipmoor-hooks.toml, too.

    Raises UsageFault for a file in which our lines cannot be taken out safely: it names them, and nothing is changed.
    """
    memory = stood_before.load(place)
    folder = hooks_folder(place)
    found: dict[str, FileChange] = {}
    for one in memory.files:
        if one.path != POLICY_FILE and (change := _put_back(place, one, memory)) is not None:
            found[change.path] = change
    for stage in (*STAGES, SERVER_STAGE):
        for change in _shims(folder.path, stage):
            found.setdefault(change.path, change)
    if place.top is not None:
        for change in _lines_of_hosts(place.top):
            found.setdefault(change.path, change)
    notes, next_steps = _kept(place, policy, found)
    unset = memory.hooks_path and folder.configured and folder.scope == "local"
    return Plan(
        place=place,
        host=hosts.detect(place, folder, environ).value,
        changes=tuple(sorted(found.values(), key=lambda change: bool(change.moved_from))),
        commands=(("git", "config", "--local", "--unset", "core.hooksPath"),) if unset else (),
        notes=notes,
        next_steps=next_steps,
        environ=environ,
        forgets=True,
    )


def _put_back(place: Place, one: Before, memory: Memory) -> FileChange | None:
    """What stood there before; None when that is there already, or when the file was changed since and is to be edited."""
    path = os.path.join(place.top or "", one.path)
    aside = os.path.join(place.top or "", one.moved_to) if one.moved_to else ""
    now = read_text(path)
    if now is None or now == one.text or digest(now) != one.new:
        return None
    within = place.top if place.top and stood_before.inside(place, path) else ""
    if not within and os.path.dirname(path) in memory.folders:
        within = os.path.dirname(os.path.dirname(path))
    if aside and read_text(aside) == one.text:
        return FileChange(path, now, None, moved_from=aside)
    return FileChange(path, now, one.text, one.mode if os.path.isabs(one.path) else 0, within=within or "")


def _shims(folder: str, stage: str) -> list[FileChange]:
    """Our own hook files of a stage, wherever they stand; an earlier hook that was moved aside comes back."""
    path = os.path.join(folder, stage)
    changes = []
    for name in (path, path + LEGACY):
        aside = path + CHAINED
        if os.path.lexists(name) and owner(name) == "shipmoor-hooks":
            back = aside if name == path and os.path.lexists(aside) else ""
            changes.append(FileChange(name, read_text(name), None, moved_from=back))
    return changes


def _lines_of_hosts(top: str) -> list[FileChange]:
    """Our lines in the configurations of the hosts, and the scripts that belong to them."""
    changes = []
    for name in dict.fromkeys((*hosts.PRE_COMMIT_FILES, *hosts.PREK_FILES)):
        changes += _edited(os.path.join(top, name), name, HOOKS, _without_hooks)
    for name in hosts.LEFTHOOK_FILES:
        text = read_text(os.path.join(top, name))
        if text is None:
            continue
        changes += _edited(os.path.join(top, name), name, HOOKS, _without_scripts)
        for hook in HOOKS:
            script = os.path.join(top, hosts.source_folder(text), STAGE_OF[hook], f"{hook}.sh")
            told = read_text(script)
            if told is not None and SHIM_LINE in told:
                changes.append(FileChange(script, told, None, within=top))
    for stage in STAGES:
        path = os.path.join(top, ".husky", stage)
        changes += _edited(path, os.path.join(".husky", stage), ("shipmoor-hooks",), _without_husky_lines, within=top)
    for name in agent_settings.AGENTS.values():
        words = (agent_settings.COMMAND,)
        changes += _edited(
            os.path.join(top, name), name, words, lambda _, text: agent_settings.remove(text), within=top
        )
    return changes


Cut = Callable[[str, str], str | None]


def _edited(path: str, name: str, words: tuple[str, ...], cut: Cut, within: str = "") -> list[FileChange]:
    """`cut` gets the file's name and text and gives the text without our lines. Raises UsageFault where it cannot."""
    text = read_text(path)
    if text is None or not any(word in text for word in words):
        return []
    new = cut(name, text)
    if new is None:
        ours = [f"{at}: {row.rstrip()}" for at, row in enumerate(text.splitlines(), 1) if any(w in row for w in words)]
        raise UsageFault(
            f"{name} is written in a way from which our lines cannot be taken safely, so nothing was changed",
            f"delete these lines with what belongs to them, and run {AGAIN} again:\n" + "\n".join(ours),
        )
    if new == text:
        return []
    return [FileChange(path, text, new if new or not within else None, 0, within=within)]


def _without_hooks(name: str, text: str) -> str | None:
    default = ("pre-commit",)
    if name.endswith(".toml"):
        return toml_cut.remove_hooks(text, HOOKS, hosts.HOOK_TYPES, STAGES, default)
    new = yaml_cut.remove_hooks(text, HOOKS)
    return new if new is None else yaml_cut.remove_hook_types(new, hosts.HOOK_TYPES, STAGES, default)


def _without_scripts(name: str, text: str) -> str | None:
    new: str | None = text
    for hook in HOOKS:
        stage, script = STAGE_OF[hook], f"{hook}.sh"
        if new is None or not yaml_edit.mentions(new, script):
            continue
        if name.endswith((".yml", ".yaml")):
            new = yaml_cut.remove_lefthook_script(new, stage, script)
        elif name.endswith(".toml"):
            new = toml_cut.remove_table(new, f'{stage}.scripts."{script}"')
        else:
            new = None
    return new if new is not None and not any(yaml_edit.mentions(new, f"{hook}.sh") for hook in HOOKS) else None


def _without_husky_lines(name: str, text: str) -> str | None:
    stage = os.path.basename(name)
    plain = SHIM_LINE + stage + hosts.HUSKY_LINES[stage]
    for block in (plain, plain.replace("\n", "\r\n")):
        text = text.replace(block, "", 1)
    return None if "shipmoor-hooks" in text else text


def _kept(place: Place, policy: bool, found: dict[str, FileChange]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What stays, with the command that takes it; the policy's file as one more change where it is asked for."""
    notes: list[str] = []
    path = os.path.join(place.top or "", POLICY_FILE)
    text = read_text(path) if place.top is not None else None
    if text is not None and policy:
        found[path] = FileChange(path, text, None)
    elif text is not None:
        notes.append(f"{POLICY_FILE} is kept; to take it as well: {AGAIN} --policy")
    elif place.top is not None and "[tool.shipmoor-hooks" in (
        read_text(os.path.join(place.top, "pyproject.toml")) or ""
    ):
        notes.append("the policy in pyproject.toml is kept: init did not write it")
    runs = os.path.join(place.common_dir, "shipmoor-hooks")
    if os.path.isdir(runs):
        notes.append(f"the stored runs are kept in {runs}; delete the folder when nobody needs them")
    return tuple(notes), ()
