# Each target sets up what it needs; a second run finds it done.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt

.PHONY: reproduce scoreboard ablations test test-slow check format bench bench-peers clean

reproduce: .venv/.experiments ## the paper's two experiments, with a verdict
	@$(BIN)/driftwise reproduce $(ARGS)

scoreboard: .venv/.experiments ## every policy over many kinds of drift; writes README.md, docs/scoreboard.*
	@$(BIN)/python -m driftwise.experiments.scoreboard $(ARGS)

ablations: .venv/.experiments ## AdaptiveUCB with one setting changed at a time; writes docs/scoreboard.md, docs/ablations.json
	@$(BIN)/python -m driftwise.experiments.scoreboard --ablations $(ARGS)

test: .venv/.test ## every test but the slow ones; one worker a core, so that workers need no threads
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -m 'not slow' --numprocesses auto --dist loadgroup $(ARGS)

test-slow: .venv/.test ## real clusters, processes that are killed, and what compiles longest
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -m slow --numprocesses auto --dist loadgroup $(ARGS)

check: .venv/.dev ## format, lint, types, import contract
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: .venv/.dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: .venv/.experiments ## ratios to a floor, held to a budget; writes BENCHMARKS.md
	@$(BIN)/python -m benchmarks

bench-peers: .venv/.experiments ## other packages, each in an environment of its own
	@$(BIN)/python -m benchmarks.peers

clean:
	rm -rf .venv .venv-peers .machine_code_cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

.venv/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "driftwise needs Python 3.11 or newer, got " + sys.version.split()[0] + "; try: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv .venv
	@touch $@

# What is installed for one purpose serves the smaller ones, too.
.venv/.experiments: .venv/.python pyproject.toml constraints.txt
	@echo "Setting up .venv (about a minute, once) ..." >&2
	@$(PIP) --editable '.[experiments]'
	@touch $@

.venv/.test: .venv/.python pyproject.toml constraints.txt
	@echo "Setting up .venv (about a minute, once) ..." >&2
	@$(PIP) --editable '.[test]'
	@touch .venv/.experiments $@

.venv/.dev: .venv/.python pyproject.toml constraints.txt
	@echo "Setting up .venv (about a minute, once) ..." >&2
	@$(PIP) --editable '.[dev]'
	@touch .venv/.experiments .venv/.test $@
