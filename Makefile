# Everything runs in .venv, made on first use from requirements.lock.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
ARGS ?=

.PHONY: run test test-long lint bench lock clean

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $(STAMP)

run: $(STAMP)  ## run the built-in corpus under the built-in variants and print the table
	$(BIN)/backslide run $(ARGS)

test: $(STAMP)  ## the whole test suite
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not long" $(ARGS)

test-long: $(STAMP)  ## what is too slow for every change; writes its figures to benchmarks/LONG.md
	BACKSLIDE_RECORD=1 $(BIN)/python -m pytest -m long $(ARGS)

lint: $(STAMP)  ## ruff, mypy --strict on an installed copy, and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	rm -rf build
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --target build/typed .
	cd build/typed && MYPYPATH=. ../../$(BIN)/mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache -p backslide
	PYTHONPATH=build/typed $(BIN)/lint-imports --config pyproject.toml

bench: $(STAMP)  ## per-turn cost of the whole drive at 50, 200, 1,000 and 5,000 turns
	$(BIN)/python benchmarks/table.py

lock: $(STAMP)  ## write requirements.lock anew from pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --extra dev \
		--no-emit-index-url --no-header --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) build dist *.egg-info
