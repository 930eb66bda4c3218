# Everything goes through .venv: no state outside it, nothing to activate.
BIN := .venv/bin

# Compiled once, not in every process that a test starts.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup run test tests lint bench package release pictures clean

help:
	@echo "make run       set up if needed, then open the window"
	@echo "make test      set up if needed, then lint, type-check and run every test"
	@echo "make setup     set up only: .venv, and the system libraries that Qt needs"
	@echo "make lint      ruff, mypy and the import contracts"
	@echo "make bench     measure the figures of speed"
	@echo "make package   build what is handed on to machines without Python, into dist/, and try it out"
	@echo "make release   make test and make package, pip and pipx, check sums, the list of parts"
	@echo "make pictures  draw the pictures of the README anew"
	@echo "make clean     remove .venv and everything built"

.venv/installed: pyproject.toml packaging/constraints.txt packaging/make_venv.sh
	@sh packaging/make_venv.sh
	@touch $@

setup: .venv/installed
	@$(BIN)/python packaging/system_libraries.py

run: setup
	@if [ "$$(uname)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		echo "There is no display here, so no window can open. Type \`make run\` on a machine with a screen," \
			"or come in over \`ssh -X\` from one." >&2; \
		exit 2; \
	fi
	@$(BIN)/explorer

lint: .venv/installed
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

# Side by side: mypy takes half a minute of one core.
test: setup
	@$(MAKE) --no-print-directory --jobs=2 lint tests

tests: .venv/installed
	@$(BIN)/python packaging/system_libraries.py --test
	@$(BIN)/pytest --numprocesses=logical --dist=worksteal

bench: setup
	@QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/explorer bench

package: setup
	@$(BIN)/python packaging/build.py
	@$(BIN)/python packaging/system_libraries.py --test
	@$(BIN)/python packaging/smoke_test.py

release: test package
	@$(BIN)/python packaging/install_test.py
	@$(BIN)/python packaging/inventory.py

pictures: setup
	@$(BIN)/python packaging/pictures.py

clean:
	rm -rf .venv .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache build dist
	find explorer tests packaging -name __pycache__ -exec rm -rf {} +
