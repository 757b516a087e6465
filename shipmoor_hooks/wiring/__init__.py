"""Hooks and hook hosts: what `init` writes, what stands beside it, what `doctor` finds (design, sections 7 and 10.21)."""
