"""A case's folder at the base and at the tip, loaded and compared part by part (design, section 10.17).

Imported only where two folders differ: it needs the reader of YAML, which comes with the extra `evals`.
"""

from __future__ import annotations

from shipmoor_hooks.case_folders import plugin_of
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import GitFault
from shipmoor_hooks.evals import expectations, loading
from shipmoor_hooks.evals.definitions import CaseDefinition, LoadFault, SuiteDefinition
from shipmoor_hooks.evals.expectations import ChangedPart
from shipmoor_hooks.evals.folder_changes import folder_changes
from shipmoor_hooks.git import Git


@dataclass(frozen=True, slots=True)
class Folder:
    """A case's folder on one side: its path in the tree `tree` (or commit), and git's name of it (None: it is not there)."""

    tree: str
    path: str
    name: str | None


class CaseChanges:
    """Compares case folders; each side's suite is loaded once."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self._suites: dict[tuple[str, str], SuiteDefinition] = {}

    def between(self, base: Folder, tip: Folder, threshold: float) -> tuple[ChangedPart, ...]:
        """Every part that changed. Raises EnvironmentFault where the extra `evals` is missing, GitFault."""
        if base.name is None or tip.name is None:
            return (ChangedPart("case", "its folder is not in the tree that was tested"),)
        try:
            before, after = self._case(base), self._case(tip)
            files = folder_changes(self.git, base.name, tip.name)
        except GitFault:
            return (ChangedPart("case", "its folder changed, and git does not hold both sides to say how"),)
        if not isinstance(before, CaseDefinition):
            return (ChangedPart("case", f"its folder changed, and the base's does not load ({before.message})"),)
        return expectations.compare(before, after, files, threshold)

    def _case(self, folder: Folder) -> CaseDefinition | LoadFault:
        root = plugin_of(self.git, folder.tree, folder.path)
        key = (folder.tree, root)
        if key not in self._suites:
            self._suites[key] = loading.load_tree(self.git, folder.tree, root)
        suite = self._suites[key]
        inside = folder.path[len(root) + 1 :] if root else folder.path
        for case in suite.cases:
            if case.dir == inside:
                return case
        for fault in suite.faults:
            if fault.path == inside or fault.path.startswith(f"{inside}/"):
                return fault
        return LoadFault(inside, "the suite does not find it as a case")
