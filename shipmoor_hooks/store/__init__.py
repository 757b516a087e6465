"""What is kept in the git directory: runs, records beside them, recorded traces, and how each is written and read back."""
