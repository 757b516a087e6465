# One word for each thing a person does. Needs git, make and Python 3.11 to 3.13; everything else goes into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Made again when the dependencies or the version change.
READY := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest

.PHONY: help demo test test-all check fuzz bench docs site screenshots clean demo-evals

help:
	@echo "make demo      the whole story in a throwaway repository, under a minute"
	@echo "make demo-evals the same of an eval suite, with an agent and no model"
	@echo "make test      the test suite, one of each kind of host and runner"
	@echo "make test-all  every host and runner too"
	@echo "make check     linter, formatter, types, docs that are up to date, and a short fuzz of every reader"
	@echo "make fuzz      a long fuzz of every reader (FUZZ=2000 examples each)"
	@echo "make bench     what everything costs beside its peers, into docs/speed.md (ONLY=readers,spool; half an hour)"
	@echo "make docs      write the generated parts of the docs again"
	@echo "make site      the documentation as a site, in build/site"
	@echo "make screenshots  the pictures of README and docs again (needs a Chromium)"
	@echo "make clean     remove .venv and what tools left"

demo: $(READY)
	@$(BIN)/shipmoor-hooks demo

demo-evals: $(READY)
	@$(BIN)/shipmoor-hooks demo --evals

# Tests that need npm or a package index carry the mark `network`; NETWORK=1 runs them too, as .ci/run does.
SELECTION = not matrix$(if $(NETWORK),, and not network)

test: $(READY)
	$(PYTEST) -n 2 -m "$(SELECTION)"

test-all: $(READY)
	$(PYTEST) -n 2

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check
	$(PYTEST) -q tests/test_readers_fuzz.py

FUZZ ?= 2000

fuzz: $(READY)
	SHIPMOOR_HOOKS_FUZZ=$(FUZZ) $(PYTEST) -q -x tests/test_readers_fuzz.py

# Not part of the tests: it measures, and takes long. Peers that are not installed are named as absent.
bench: $(READY)
	$(BIN)/python -m benchmarks $(if $(ONLY),--only $(ONLY)) $(if $(TIMES),--times $(TIMES))

docs: $(READY)
	$(BIN)/python docs/generate.py

site: $(READY)
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/site
	@echo "build/site/index.html"

screenshots: $(READY)
	$(BIN)/python docs/screenshots.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis

# The pip that comes with Python 3.11 knows no dependency groups (25.1 is the first), and a newer pip is one more download
# that can fail; so the list is read where it stands, and there is one list.
$(READY): pyproject.toml shipmoor_hooks/__init__.py
	@command -v $(PYTHON) >/dev/null || { \
	  echo "there is no $(PYTHON) here; shipmoor-hooks needs Python 3.11 to 3.13: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || { \
	  echo "$(PYTHON) is $$($(PYTHON) --version 2>&1 | head -n 1); shipmoor-hooks needs Python 3.11 to 3.13: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make a virtual environment; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@echo "making $(VENV) (once; takes a minute or two)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import tomllib; print("\n".join(tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["dev"]))' > $(VENV)/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --requirement $(VENV)/dev.txt
	@touch $@
