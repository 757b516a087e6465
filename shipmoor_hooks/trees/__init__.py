"""The tree of a worktree, an index or a revision: git says what changed, pygit2 puts it together (design, section 6)."""
