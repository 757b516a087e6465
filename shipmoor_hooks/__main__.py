"""`python -m shipmoor_hooks`."""

from shipmoor_hooks.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
