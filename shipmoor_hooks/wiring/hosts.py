"""The hook hosts: which one this repository uses, and what wires our hooks into it (design, 10.21).

pre-commit and prek show their hooks one ref of a push, and no deletion; so our own shim stands beside theirs as well,
where they run it first with git's whole list. lefthook and husky hand the list on and run the gate themselves.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.enums import Enum
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.place import Place
from shipmoor_hooks.wiring import toml_edit, yaml_edit
from shipmoor_hooks.wiring.file_change import FileChange, read_text
from shipmoor_hooks.wiring.hook_files import SHIM_LINE, STAGES, HooksFolder, is_below, owner, shim_changes, shim_text
from shipmoor_hooks.wiring.hook_source import HOOKS, STAGE_OF, HookSource, toml_entry, yaml_entry

PRE_COMMIT_FILES = (".pre-commit-config.yaml",)
PREK_FILES = ("prek.toml", ".pre-commit-config.yaml", ".pre-commit-config.yml")
LEFTHOOK_FILES = tuple(
    prefix + suffix
    for prefix in ("lefthook", ".lefthook", ".config/lefthook")
    for suffix in (".yml", ".yaml", ".toml", ".json", ".jsonc")
)
HOOK_TYPES = "default_install_hook_types"


class Host(Enum):
    PRE_COMMIT = "pre-commit"
    PREK = "prek"
    LEFTHOOK = "lefthook"
    HUSKY = "husky"
    PLAIN = "git"


@dataclass(frozen=True, slots=True)
class Wiring:
    """What wires a host: files to change, the host's own installer to run afterwards, and what to tell."""

    changes: tuple[FileChange, ...]
    commands: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()


def detect(place: Place, folder: HooksFolder, environ: Mapping[str, str]) -> Host:
    """The host that runs this repository's hooks: by the hook files that stand, else by the configuration files."""
    if place.top is None:
        return Host.PLAIN
    if folder.configured.rstrip("/").endswith((".husky", ".husky/_")):
        return Host.HUSKY
    owners = owners_in(folder)
    for host, names in (
        (Host.PREK, PREK_FILES), (Host.PRE_COMMIT, PRE_COMMIT_FILES), (Host.LEFTHOOK, LEFTHOOK_FILES)
    ):  # fmt: skip
        if host.value in owners and configuration(place.top, names):
            return host
    if folder.configured:
        return Host.PLAIN
    if configuration(place.top, PRE_COMMIT_FILES) and not (
        program("prek", place.top, environ) and not program("pre-commit", place.top, environ)
    ):
        return Host.PRE_COMMIT
    if configuration(place.top, PREK_FILES):
        return Host.PREK
    if configuration(place.top, LEFTHOOK_FILES):
        return Host.LEFTHOOK
    return Host.HUSKY if os.path.isdir(os.path.join(place.top, ".husky")) else Host.PLAIN


def owners_in(folder: HooksFolder) -> set[str]:
    """Who wrote the hooks that stand; what cannot be read tells nothing here."""
    found: set[str] = set()
    for stage in (*STAGES, "pre-commit"):
        with contextlib.suppress(UsageFault):
            found.add(owner(os.path.join(folder.path, stage)))
    return found


def configuration(top: str, names: Sequence[str]) -> str:
    """The first of the files that is there, "" for none."""
    return next((name for name in names if os.path.isfile(os.path.join(top, name))), "")


def program(name: str, top: str, environ: Mapping[str, str]) -> str:
    """A host's program: on PATH, or where npm puts the ones that a project declares; "" when it is nowhere."""
    local = os.path.join(top, "node_modules", ".bin", name)
    return shutil.which(name, path=environ.get("PATH")) or (local if os.access(local, os.X_OK) else "")


def wire(
    host: Host, place: Place, folder: HooksFolder, environ: Mapping[str, str], python: str, source: HookSource
) -> Wiring:
    """The changes for `host`; none when it is wired already. Raises UsageFault with the lines to paste."""
    if host is Host.PLAIN:
        return wire_git(folder, place, python)
    top = place.require_top()
    if host is Host.LEFTHOOK:
        return wire_lefthook(top, folder, environ)
    if host is Host.HUSKY:
        return wire_husky(top, folder, environ)
    return wire_pre_commit(host, top, folder, environ, python, source)


def wire_git(folder: HooksFolder, place: Place, python: str) -> Wiring:
    """Plain hooks: they see every ref of a push."""
    if os.path.exists(folder.path) and not os.path.isdir(folder.path):
        raise UsageFault(
            f"core.hooksPath ({folder.scope} configuration) is {folder.path}, which is no folder: git runs no hooks",
            "git config --unset core.hooksPath && shipmoor-hooks init",
        )
    within = is_below(folder.path, place.common_dir) or folder.tracked
    if not within and folder.scope not in ("local", "worktree"):
        raise UsageFault(
            f"core.hooksPath ({folder.scope} configuration) sends git to {folder.path}, which other repositories share",
            'git config core.hooksPath "$(git rev-parse --path-format=absolute --git-common-dir)/hooks"'
            " && shipmoor-hooks init",
        )
    changes = [change for stage in STAGES for change in shim_changes(folder, stage, python)]
    kept = [f"{change.path} is kept as {change.moved_to} and runs first" for change in changes if change.moved_to]
    notes = [f"plain git hooks in {folder.path}: they see every ref of a push", *kept]
    if folder.tracked:
        notes.append("that folder is in the working tree: commit it; each clone needs shipmoor-hooks-hook on its PATH")
    return Wiring(tuple(changes), notes=tuple(notes))


def wire_pre_commit(
    host: Host, top: str, folder: HooksFolder, environ: Mapping[str, str], python: str, source: HookSource
) -> Wiring:
    """The configuration names our hooks and their stages, and our own shim stands where the host runs it first."""
    name = configuration(top, PREK_FILES if host is Host.PREK else PRE_COMMIT_FILES)
    path = os.path.join(top, name)
    old = read_text(path) or ""
    new: str | None = old
    if name.endswith(".toml"):
        new = new if "shipmoor-gate" in old else toml_edit.append(old, toml_entry(source))
        new = new and toml_edit.add_to_list(new, HOOK_TYPES, STAGES, ("pre-commit",))
        paste = "\n".join([f"{HOOK_TYPES} = {['pre-commit', *STAGES]}".replace("'", '"'), *toml_entry(source)])
    else:
        new = new if yaml_edit.mentions(old, "shipmoor-gate") else yaml_edit.add_repository(old, yaml_entry(source))
        new = new and yaml_edit.add_hook_types(new, STAGES, ("pre-commit",))
        paste = "\n".join([f"{HOOK_TYPES}: [{', '.join(['pre-commit', *STAGES])}]", "repos:", *yaml_entry(source)])
    if new is None and not all(yaml_edit.mentions(old, word) for word in (HOOK_TYPES, *HOOKS, *STAGES)):
        raise cannot_extend(name, paste)
    new = old if new is None else new  # the user has pasted what could not be written
    changes = [FileChange(path, old, new, 0)] if new != old else []
    changes += shim_changes(folder, "pre-push", python)
    notes = [f"{host.value} shows its hooks one ref of a push; our own pre-push hook beside it sees every ref"]
    if not source.repository and not source.package:
        notes.append(f"{name} calls shipmoor-hooks-hook from PATH: each clone needs shipmoor-hooks installed")
    if all(owner(os.path.join(folder.path, stage)) == host.value for stage in STAGES):
        return Wiring(tuple(changes), notes=tuple(notes))
    return Wiring(tuple(changes), *installer(host, top, environ, "install", notes))


def installer(
    host: Host, top: str, environ: Mapping[str, str], word: str, notes: Sequence[str]
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """The host's own installer as a command to run, or as a thing to do where the program is not at hand."""
    found = program(host.value, top, environ)
    words = (word,) if word else ()
    if found:
        return ((found, *words),), tuple(notes)
    return (), (*notes, f"{host.value} is not on PATH here; run in each clone: {' '.join((host.value, *words))}")


def wire_lefthook(top: str, folder: HooksFolder, environ: Mapping[str, str]) -> Wiring:
    """Scripts, since lefthook skips jobs when HEAD equals its upstream, whatever is pushed."""
    name = configuration(top, LEFTHOOK_FILES)
    path = os.path.join(top, name)
    old = read_text(path) or ""
    new: str | None = old
    changes: list[FileChange] = []
    scripts = os.path.join(top, source_folder(old))
    paste: list[str] = []
    for hook in HOOKS:
        stage, script = STAGE_OF[hook], f"{hook}.sh"
        settings = ["runner: sh", *(["use_stdin: true"] if stage == "pre-push" else [])]
        paste += [f"{stage}:", "  scripts:", f'    "{script}":', *(f"      {row}" for row in settings)]
        if new is not None and not yaml_edit.mentions(old, script):
            new = with_script(name, new, stage, script, settings)
        target = os.path.join(scripts, stage, script)
        change = FileChange(target, read_text(target), shim_text(stage, ""), 0o755)
        changes += [] if change.old == change.new else [change]
    if new is None:
        raise cannot_extend(name, "\n".join(paste))
    if new != old:
        changes.insert(0, FileChange(path, old, new, 0))
    notes = [
        f"lefthook runs the scripts below {scripts}: commit them; each clone needs shipmoor-hooks-hook on its PATH"
    ]
    if all(owner(os.path.join(folder.path, stage)) == "lefthook" for stage in STAGES):
        return Wiring(tuple(changes), notes=tuple(notes))
    return Wiring(tuple(changes), *installer(Host.LEFTHOOK, top, environ, "install", notes))


def source_folder(text: str) -> str:
    """lefthook's `source_dir`."""
    rows = (row.partition(":") for row in text.splitlines() if row.startswith("source_dir:"))
    return next((value.split("#")[0].strip().strip("\"'") for _, _, value in rows), ".lefthook")


def with_script(name: str, text: str, stage: str, script: str, settings: Sequence[str]) -> str | None:
    if name.endswith((".yml", ".yaml")):
        return yaml_edit.add_lefthook_script(text, stage, script, settings)
    if name.endswith(".toml"):
        values = [row.replace("runner: sh", 'runner = "sh"').replace(": ", " = ") for row in settings]
        return toml_edit.append(text, [f'[{stage}.scripts."{script}"]', *values])
    return None


HUSKY_LINES = {
    "pre-push": (
        " (it reads git's list of refs, so it stands first and hands the list on)\n"
        "pushed=$(cat)\n"
        'printf \'%s\' "$pushed" | shipmoor-hooks-hook pre-push "$@" || exit $?\n'
        'if [ -n "$pushed" ]; then exec <<END_OF_PUSHED\n'
        "$pushed\n"
        "END_OF_PUSHED\n"
        "fi\n"
    ),
    "post-commit": "\nshipmoor-hooks-hook post-commit || exit $?\n",
    "commit-msg": '\nshipmoor-hooks-hook commit-msg "$1" || exit $?\n',
}


def wire_husky(top: str, folder: HooksFolder, environ: Mapping[str, str]) -> Wiring:
    """Lines in the files that husky runs, before the user's own and behind what older versions need at the top."""
    changes = []
    for stage in STAGES:
        path = os.path.join(top, ".husky", stage)
        old = read_text(path)
        rows = (old or "").splitlines(keepends=True)
        if SHIM_LINE in (old or ""):
            continue
        heads = [at for at, row in enumerate(rows) if (at == 0 and row.startswith("#!")) or "_/husky.sh" in row]
        at = heads[-1] + 1 if heads else 0
        lines = SHIM_LINE + stage + HUSKY_LINES[stage]
        changes.append(FileChange(path, old, "".join([*rows[:at], lines, *rows[at:]]), 0o755 if old is None else 0))
    notes = (
        "husky runs the lines in .husky/: commit them; each clone needs shipmoor-hooks-hook on its PATH",
        "each linked worktree needs husky's own set-up: npx husky",
    )
    if folder.configured:
        return Wiring(tuple(changes), notes=notes)
    return Wiring(tuple(changes), *installer(Host.HUSKY, top, environ, "", notes))


def cannot_extend(name: str, paste: str) -> UsageFault:
    return UsageFault(
        f"{name} is written in a way that cannot be extended safely, so nothing was changed",
        f"add these lines to it and run shipmoor-hooks init again:\n{paste}",
    )
