"""Are cases that are gone only somewhere else? git is asked, and only then (design, section 3: CASE_MOVED).

First for renamed files, then for the blocks of single cases. One for one, and only what git itself shows: whatever is
not explained stays removed, and may be disclosed as a rename.
"""

from __future__ import annotations

from shipmoor_hooks import history
from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Code
from shipmoor_hooks.rules import reduction
from shipmoor_hooks.rules.reduction import Comparison, Question

_MOST_CASES = 200  # single blocks that are looked at; more than that is no move of single cases


def explained(git: Git, base_tree: str, tip_tree: str, question: Question, result: Comparison) -> Comparison:
    """The comparison again, with what git sees moved between the two trees; the same one when nothing is gone."""
    if not result.may_have_moved:
        return result
    known = history.renames(git, base_tree, tip_tree)
    if known:
        result = reduction.compare(replace(question, renames=known))
    gone = [f.case for f in result.findings if f.code is Code.CASE_REMOVED and f.case]
    if not gone or not result.new_at_tip:
        return result
    from shipmoor_hooks.rules import moved_blocks  # only what is gone and what is new can be a move

    pairs = moved_blocks.candidates(gone, result.new_at_tip)
    if not pairs or len(pairs) > _MOST_CASES:
        return result
    paths = {case_id.partition("::")[0] for pair in pairs.items() for case_id in pair}
    diff = moved_blocks.parse(history.moved_lines(git, base_tree, tip_tree, sorted(paths), moved_blocks.COLOURS))
    known |= {old: new for old, new in pairs.items() if moved_blocks.moved(diff, old, new)}
    return reduction.compare(replace(question, renames=known))
