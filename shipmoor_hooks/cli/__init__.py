"""The typer command line, for people."""
