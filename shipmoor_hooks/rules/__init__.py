"""The rule book, pure: which runs count, how each case stands, what is a finding, what discloses it (design, 3 and 4)."""
