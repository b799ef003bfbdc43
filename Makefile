# Needs make, Python 3.11 or newer with venv, and a package index that its pip reaches. Everything else is made in .venv
# on first use, from the wheels that requirements.lock pins; for tests, programs are installed where root is at work.
# Paths are relative: the checkout's own may hold spaces.

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
# Tests start hundreds of interpreters, each of which would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE
# What is tested is this checkout, with what is locked.
unexport PYTHONHOME PYTHONPATH PYRIGHT_PYTHON_FORCE_VERSION PYRIGHT_PYTHON_PYLANCE_VERSION VIRTUAL_ENV

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: .venv/ready ## Build the example specs, import the result, and call a tool
	@$(PYTHON) -m toolgen build
	@$(PYTHON) toolgen/cli/example/app.py

.PHONY: test
test: lint programs ## Run every check
	@$(PYTHON) -m pytest -n auto --dist loadgroup

.PHONY: test-long
test-long: lint programs ## Run every check, and those that take minutes or the network
	@$(PYTHON) -m pytest -n auto --dist loadgroup -m "long or not long"

# Tests start these themselves. What cannot be installed is told, and its tests are skipped.
.PHONY: programs
programs:
	@sh tests/install_programs.sh

.PHONY: bench
bench: .venv/ready ## Print the benchmarks as JSON
	@$(PYTHON) -m benchmarks

.PHONY: docs
docs: .venv/ready ## Write the reference from the models
	@$(PYTHON) docs/make_reference

.PHONY: lint
lint: .venv/ready ## Check format, style and types
	@$(PYTHON) -m ruff format --check --quiet --output-format concise
	@$(PYTHON) -m ruff check --quiet --output-format concise
	@$(PYTHON) -m mypy --no-error-summary
	@$(PYTHON) -m pyright --pythonpath $(PYTHON)

.PHONY: format
format: .venv/ready ## Format the code, and mend what can be mended
	@$(PYTHON) -m ruff check --fix --quiet
	@$(PYTHON) -m ruff format --quiet

# Keeps the versions that still fit; `make lock UPGRADE=--upgrade` takes the newest.
.PHONY: lock
lock: .venv/installed ## Pin the dependencies of pyproject.toml in requirements.lock
	@$(PYTHON) -m pip install --quiet --upgrade --target .venv/uv $(UV)
	@.venv/uv/bin/uv pip compile pyproject.toml --extra compiler --group dev $(UPGRADE) \
	    --universal --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command "make lock" \
	    --no-config --system-certs --cache-dir .venv/uv/cache --quiet --output-file requirements.lock

.PHONY: clean
clean: ## Remove all that was made
	@rm -rf .venv dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: FORCE
FORCE:

# A virtual environment holds the path of its checkout: one that was copied or moved along is made anew.
ifneq ($(shell cat .venv/installed 2>/dev/null),$(CURDIR))
.venv/installed: FORCE
endif

# Tests install from .venv/wheels again, so that they need no network. The stamp comes last: what broke off is made anew.
.venv/installed: requirements.lock
	@rm -rf .venv
	@for python in $(INTERPRETERS); do \
	    usable='import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'; \
	    if "$$python" -c "$$usable" >/dev/null 2>&1; then \
	        echo "Making .venv with $$("$$python" --version)"; \
	        exec "$$python" -m venv .venv; \
	    fi; \
	done; \
	echo "toolgen needs Python 3.11 or newer with venv and ensurepip; none of these is: $(INTERPRETERS)" >&2; exit 1
	@echo "Installing what requirements.lock pins"
	@$(PYTHON) -m pip wheel --quiet --no-deps --require-hashes --requirement requirements.lock --wheel-dir .venv/wheels
	@$(PYTHON) -m pip install --quiet --no-compile --no-deps --no-index .venv/wheels/*.whl
	@printf '%s\n' "$$(pwd -P)" > $@

.venv/ready: .venv/installed pyproject.toml toolgen/__init__.py
	@$(PYTHON) -m pip install --quiet --no-deps --no-index --no-build-isolation --editable .
	@touch $@
