"""shipmoor-hooks keeps a test set honest: what got smaller between the merge base and the tip is named, or not pushed."""

__version__ = "0.1.0"

# Set by `doctor` for a trial push; the hook looks at it before it loads anything else, so it stands here.
PROBE = "SHIPMOOR_HOOKS_PROBE"
