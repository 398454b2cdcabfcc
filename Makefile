# Everything a developer runs. `make` alone lists the targets.

ifneq ($(filter 0.% 1.% 2.% 3.%,$(or $(MAKE_VERSION),0.0)),)
$(error GNU make $(MAKE_VERSION) is too old: 4.0 or newer is required (apt-get install make, or brew install make and run gmake))
endif

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all lint format docs bench arm clean

BIN := .venv/bin
CHECK_TOOLS := MAKE="$(MAKE)" sh scripts/check_tools.sh
# Written last, with the folder it was made in: no stamp means no usable environment.
STAMP := .venv/.installed

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## check the tools, make .venv and install the pinned packages
	@$(CHECK_TOOLS)
	@[ "$$(cat $(STAMP) 2>/dev/null)" = "$(CURDIR)" ] && $(BIN)/python -c '' 2>/dev/null || rm -f $(STAMP)
	@$(MAKE) --no-print-directory --silent $(STAMP)

# A finished environment is updated in place; an unfinished one is cleared and made again.
$(STAMP): requirements.lock requirements-nodeps.lock pyproject.toml
	@if [ ! -f $@ ]; then \
		echo "setup: making .venv"; \
		python=$$($(CHECK_TOOLS) --python) && "$$python" -m venv --clear .venv; \
	fi
	@rm -f $@
	@echo "setup: installing the packages of requirements.lock (about 1.5 GB, minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-nodeps.lock
	@echo "setup: installing this project (editable)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@echo "$(CURDIR)" > $@

demo: setup ## run the demonstration; ARGS="--full" for seeds and tables
	@echo "demo: cpt demo $(ARGS)"
	@$(BIN)/cpt demo $(ARGS)

test: lint ## set up, lint and run the tests, all but the exhaustive ones
	@echo "test: pytest on two cores"
	@$(BIN)/python -m pytest -n 2 -m "not exhaustive"

test-all: lint ## the same with every build and seed: what to run before a release
	@echo "test-all: pytest on two cores"
	@$(BIN)/python -m pytest -n 2

lint: setup ## check style, formatting and types
	@echo "lint: ruff check"
	@$(BIN)/ruff check .
	@echo "lint: ruff format --check"
	@$(BIN)/ruff format --check .
	@echo "lint: mypy"
	@$(BIN)/mypy

format: setup ## reformat the Python sources and apply safe fixes
	@echo "format: ruff"
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

docs: setup ## run the commands whose output the pages show, and rewrite what has changed
	@echo "docs: tests/pages.py"
	@$(BIN)/python tests/pages.py

bench: setup ## run the benchmarks
	@echo "bench: cpt bench"
	@$(BIN)/cpt bench

arm: setup ## run the host's tests on a 32-bit ARM by qemu-user, with Debian's packages (minutes)
	@$(BIN)/python tests/arm/run.py

clean: ## remove everything made by the other targets, except .venv
	@echo "clean: removing build products and caches"
	@rm -rf build dist out *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -path ./.venv -prune -o -name __pycache__ -prune -exec rm -rf {} +
