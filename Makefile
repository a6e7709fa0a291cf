# `make demo` shows fenjie at work; `make test` runs its tests, `make test-all` the slow ones too,
# with more examples and the benchmark data. All of them make .venv themselves.
# The plain install (demo) has no torch; `make test` adds torch and the developers' tools to the
# same .venv, `make test-all` the packages that fenjie has a place in. The installation is editable:
# sources are read from src/, so only a change of pyproject.toml installs anew.

VENV = .venv
BIN = $(VENV)/bin
PYTHON = python3.11
WORKERS = 2
PARALLEL = --numprocesses $(WORKERS) --dist worksteal

demo: $(VENV)/plain.stamp
	$(BIN)/fenjie demo

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow and not browser"

test-all: $(VENV)/all.stamp
	$(BIN)/python -m pytest $(PARALLEL) --hypothesis-profile thorough

# Tens of thousands of cases that try to break fenjie: docs/promises.md. SHARE=0.1 runs a tenth.
SHARE = 1
hostile: $(VENV)/all.stamp
	$(BIN)/python -m tests.hostile --share $(SHARE)

lint: $(VENV)/all.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The site, into the folder site; a link that leads nowhere is an error.
docs: $(VENV)/docs.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

clean:
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/plain.stamp: pyproject.toml
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(MAKE) venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/plain.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@

$(VENV)/all.stamp: $(VENV)/dev.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[all]"
	@touch $@

$(VENV)/docs.stamp: $(VENV)/plain.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	@touch $@

venv:
	@for python in $(PYTHON) python3 python; do \
	  if $$python -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "making $(VENV) with $$($$python --version)"; \
	    rm -rf $(VENV); exec $$python -m venv $(VENV); \
	  fi; \
	done; \
	echo "fenjie needs Python 3.11 or later, with venv; name one by: make PYTHON=/path/to/python" >&2; \
	exit 1

.PHONY: demo test test-all hostile lint docs clean venv
