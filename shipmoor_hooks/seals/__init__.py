"""The key of this user, the seals that it makes, the chain of a worktree's runs, and the check of all three."""
