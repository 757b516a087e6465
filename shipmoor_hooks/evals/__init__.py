"""Eval suites: cases, graders, traces and the rules of the source document (design, section 8)."""
