# Requires make, Python 3.11 or newer with venv, and a package index for pip. Everything else is installed into .venv
# on first use, from the wheels pinned in requirements.lock; tests also install programs if run as root.
# Paths are relative, because the path of the checkout may contain spaces.

PYTHON := .venv/bin/python
INTERPRETERS ?= python3.11 python3.12 python3.13 python3.14 python3 python
UV := uv==0.13.8

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PIP_ROOT_USER_ACTION := ignore
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
# Tests start hundreds of interpreters, which share compiled bytecode.
unexport PYTHONDONTWRITEBYTECODE
# Tests use this checkout and the locked dependencies only.
unexport PYTHONHOME PYTHONPATH PYRIGHT_PYTHON_FORCE_VERSION PYRIGHT_PYTHON_PYLANCE_VERSION VIRTUAL_ENV

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: .venv/ready ## Create an example project, build it, and call a tool
	@rm -rf .venv/demo
	@$(PYTHON) -m toolgen init .venv/demo >/dev/null
	@cd .venv/demo && ../bin/python -m toolgen build && ../bin/python app.py

# What everything else stands on, without property tests and tests that start many programs.
FAST := tests/test_cases.py $(addprefix tests/unit/,compiler providers runtime schema search spec)

IN_MEMORY := sh tests/programs/in_memory.sh

.PHONY: check
check: .venv/ready ## Run mypy, ruff and the fast tests, in under a minute
	@$(MAKE) --jobs --keep-going lint-mypy lint-ruff test-fast

.PHONY: test-fast
test-fast:
	@$(IN_MEMORY) $(PYTHON) -m pytest -n logical --dist loadgroup -q -m "not (slow or long or hypothesis)" $(FAST)

# pyright runs beside the tests, many of which wait; mypy before them, because they start from what it keeps. So are the
# modules of the tests compiled: else each worker rewrites the asserts of all of them.
.PHONY: test
test: programs .venv/ready .venv/compiled ## Run all checks
	@$(MAKE) --jobs --keep-going lint-mypy lint-ruff .venv/collected
	@$(MAKE) --jobs --keep-going lint-pyright test-all

.venv/collected: $(shell find tests -name '*.py')
	@found=$$($(PYTHON) -m pytest --collect-only --quiet) || { echo "$$found"; exit 1; }
	@touch $@

.PHONY: test-all
test-all:
	@$(IN_MEMORY) $(PYTHON) -m pytest -n auto --dist loadgroup

.PHONY: test-long
test-long: lint .venv/compiled ## Run all checks, including those that take minutes or need the network
	@sh tests/programs/install.sh long
	@$(IN_MEMORY) $(PYTHON) -m pytest -n auto --dist loadgroup --hypothesis-profile=ci -m "long or not long"

# Programs that tests start. If one cannot be installed, a message says so and its tests are skipped.
.PHONY: programs
programs:
	@sh tests/programs/install.sh

.PHONY: bench
bench: .venv/ready ## Print the benchmarks as JSON
	@$(PYTHON) -m benchmarks

.PHONY: docs
docs: .venv/ready ## Generate the reference from the source
	@$(PYTHON) docs/make_reference

.PHONY: docs-site
docs-site: .venv/ready ## Write the documentation as a static site into dist/docs
	@$(PYTHON) docs/make_site dist/docs

LINT := lint-pyright lint-mypy lint-ruff

.PHONY: lint
lint: .venv/ready ## Check formatting, style and types
	@$(MAKE) --jobs --keep-going $(LINT)

.PHONY: $(LINT)
lint-pyright: # it has no quiet mode
	@found=$$(nice $(PYTHON) -m pyright --pythonpath $(PYTHON)) || { echo "$$found"; exit 1; }
lint-mypy:
	@$(PYTHON) -m mypy --no-error-summary
lint-ruff:
	@$(PYTHON) -m ruff format --check --quiet --output-format concise
	@$(PYTHON) -m ruff check --quiet --output-format concise

.PHONY: format
format: .venv/ready ## Format the code and apply automatic fixes
	@$(PYTHON) -m ruff check --fix --quiet
	@$(PYTHON) -m ruff format --quiet

# Keeps versions that still satisfy the requirements; `make lock UPGRADE=--upgrade` takes the newest.
.PHONY: lock
lock: .venv/installed ## Pin the dependencies of pyproject.toml in requirements.lock
	@$(PYTHON) -m pip install --quiet --upgrade --target .venv/uv $(UV)
	@.venv/uv/bin/uv pip compile pyproject.toml --extra compiler --group dev $(UPGRADE) \
	    --universal --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command "make lock" \
	    --no-config --system-certs --cache-dir .venv/uv/cache --quiet --output-file requirements.lock

.PHONY: clean
clean: ## Remove all generated files
	@rm -rf .venv dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: FORCE
FORCE:

# A virtual environment contains the path of its checkout: it is recreated if the checkout was copied or moved.
ifneq ($(shell cat .venv/installed 2>/dev/null),$(CURDIR))
.venv/installed: FORCE
endif

# Tests install from .venv/wheels, so that they need no network. The stamp is written last: an interrupted install restarts.
.venv/installed: requirements.lock
	@rm -rf .venv
	@for python in $(INTERPRETERS); do \
	    usable='import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'; \
	    if "$$python" -c "$$usable" >/dev/null 2>&1; then \
	        echo "Creating .venv with $$("$$python" --version)"; \
	        exec "$$python" -m venv .venv; \
	    fi; \
	done; \
	echo "toolgen needs Python 3.11 or newer with venv and ensurepip; none of these is: $(INTERPRETERS)" >&2; exit 1
	@echo "Installing what requirements.lock pins"
	@$(PYTHON) -m pip wheel --quiet --no-deps --require-hashes --requirement requirements.lock --wheel-dir .venv/wheels
	@$(PYTHON) -m pip install --quiet --no-compile --no-deps --no-index .venv/wheels/*.whl
	@printf '%s\n' "$$(pwd -P)" > $@

# Else each worker of pytest compiles the same libraries when it starts. A few files in them are not for this Python.
.venv/compiled: .venv/installed
	@$(PYTHON) -m compileall -qq -j 0 .venv/lib || true
	@touch $@

.venv/ready: .venv/installed pyproject.toml toolgen/__init__.py
	@$(PYTHON) -m pip install --quiet --no-deps --no-index --no-build-isolation --editable .
	@touch $@
