"""shipmoor-hooks keeps a test set honest: what got smaller between the merge base and the tip is named, or not pushed."""

__version__ = "0.1.0"
