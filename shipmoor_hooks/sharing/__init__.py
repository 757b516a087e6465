"""Runs that leave this machine or come from another: published, fetched, exported, and who signed them."""
