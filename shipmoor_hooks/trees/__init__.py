"""The tree of a worktree, an index or a revision: git says what changed, we name the tree (design, section 6)."""
