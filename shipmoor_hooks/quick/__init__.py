"""The quick paths of the hooks, without the standard library's larger half: docs/decisions/quick-gate.md."""
