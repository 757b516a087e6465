"""From where other clones of the user's repository can get these hooks, as far as this installation knows (PEP 610)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import metadata

from shipmoor_hooks import __version__
from shipmoor_hooks.data_classes import dataclass

HOOKS = ("shipmoor-gate", "shipmoor-capture", "shipmoor-disclose")
STAGE_OF = {"shipmoor-gate": "pre-push", "shipmoor-capture": "post-commit", "shipmoor-disclose": "commit-msg"}
NAMES = {
    "shipmoor-gate": "no test lost without a word",
    "shipmoor-capture": "bind fresh test reports to the commit's tree",
    "shipmoor-disclose": "disclosures in the commit message",
}


@dataclass(frozen=True, slots=True)
class HookSource:
    """`repository` and `revision` of a git repository with our manifest, or a `package` that pip can install.

    Neither: the hook host must find `shipmoor-hooks-hook` on PATH.
    """

    repository: str = ""
    revision: str = ""
    package: str = ""


def installed_source() -> HookSource:
    """How this installation was made: from a git URL, from an index, or from files of this machine."""
    try:
        told = metadata.distribution("shipmoor-hooks").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return HookSource()
    if told is None:
        return HookSource(package=f"shipmoor-hooks=={__version__}")
    origin = json.loads(told)
    version_control = origin.get("vcs_info", {})
    if version_control.get("vcs") == "git" and not origin["url"].startswith("file:"):
        return HookSource(repository=origin["url"], revision=version_control["commit_id"])
    return HookSource()


def yaml_entry(source: HookSource) -> list[str]:
    """One item of `repos` in a .pre-commit-config.yaml, its lines without indentation."""
    if source.repository:
        head = [f"- repo: {source.repository}", f"  rev: {source.revision}", "  hooks:"]
        return [*head, *(f"    - id: {hook}" for hook in HOOKS)]
    rows = ["- repo: local", "  hooks:"]
    for hook in HOOKS:
        rows.append(f"    - id: {hook}")
        rows += [f"      {key}: {_yaml(value)}" for key, value in local_settings(hook, source)]
    return rows


def toml_entry(source: HookSource) -> list[str]:
    """The same as a table of a prek.toml."""
    if source.repository:
        ids = ", ".join(f'{{ id = "{hook}" }}' for hook in HOOKS)
        return ["[[repos]]", f'repo = "{source.repository}"', f'rev = "{source.revision}"', f"hooks = [{ids}]"]
    rows = ["[[repos]]", 'repo = "local"']
    for hook in HOOKS:
        rows += ["", "[[repos.hooks]]", f'id = "{hook}"']
        rows += [f"{key} = {json.dumps(value)}" for key, value in local_settings(hook, source)]
    return rows


def local_settings(hook: str, source: HookSource) -> list[tuple[str, str | bool | list[str]]]:
    """What our manifest says about a hook, for a configuration that cannot name our repository."""
    stage = STAGE_OF[hook]
    settings: list[tuple[str, str | bool | list[str]]] = [
        ("name", NAMES[hook]),
        ("entry", f"shipmoor-hooks-hook {stage}"),
        ("language", "python" if source.package else "system"),
        ("stages", [stage]),
        ("always_run", True),
        ("require_serial", True),
    ]
    if source.package:
        settings.append(("additional_dependencies", [source.package]))
    if hook != "shipmoor-disclose":
        settings.append(("pass_filenames", False))
    if hook == "shipmoor-gate":
        settings.append(("verbose", True))
    return settings


def _yaml(value: str | bool | Sequence[str]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"[{', '.join(value)}]"
