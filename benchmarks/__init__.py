"""What the hooks, the tree, the readers and the spool cost, each against its named peer in the same run: `make bench`."""
