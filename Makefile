# Two commands do everything on a machine with Python 3.11+ and make:
#   make demo    selects features on a dataset that ships with scikit-learn
#   make test    runs the whole test suite
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test test-fast hooks lowest test-lowest torch test-torch lint types docs docs-serve dist bench bench-large clean
.DEFAULT_GOAL := demo

$(VENV)/.created:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "topofs needs Python 3.11 or newer; set PYTHON=python3.11"'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed-demo: pyproject.toml $(VENV)/.created
	$(BIN)/python -m pip install --quiet --editable '.[cli,report]'
	@touch $@

$(VENV)/.installed-test: pyproject.toml study/pyproject.toml $(VENV)/.created
	$(BIN)/python -m pip install --quiet --editable '.[test]' --editable ./study
	@touch $@

demo: $(VENV)/.installed-demo
	$(BIN)/python examples/select_features.py
	@mkdir -p demo
	cd demo && ../$(BIN)/python ../examples/breast_cancer_csv.py
	cd demo && ../$(BIN)/topofs select breast_cancer.csv --target diagnosis \
		--out selected.csv --report report.html
	@echo "The report: $(CURDIR)/demo/report.html"

# COVERAGE=1 measures the lines that were run, which costs a quarter more; a second run then has
# the JIT off, so that the kernels are measured line by line too.
test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 --dist worksteal $(if $(COVERAGE),--cov --cov-report=)
ifdef COVERAGE
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m 'not needs_jit' \
		--cov --cov-append --cov-report= tests/kernels tests/graphs tests/similarity \
		tests/models
	$(BIN)/python -m coverage report --fail-under=95
endif

# Under a minute on two cores from a cold cache of kernels; CONTRIBUTING.md says what it leaves out.
FAST_TESTS := tests/io tests/own_terms tests/similarity/test_measures.py \
	tests/graphs/test_tmfg.py tests/selection/test_topological.py tests/test_graph.py \
	tests/test_terms.py tests/test_public_names.py tests/test_import_direction.py \
	tests/rules/test_constraints.py tests/cli/test_select.py

test-fast: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m 'not needs_jit' $(FAST_TESTS)

# Lint before each commit; the hooks need nothing but the environment.
hooks: $(VENV)/.installed-test
	$(BIN)/pre-commit install

$(VENV)/.installed-torch: pyproject.toml $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --editable '.[torch]'
	@touch $@

torch: $(VENV)/.installed-torch

# What `make test` leaves out because it does not install torch; such small networks want one thread.
test-torch: $(VENV)/.installed-torch
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/torch src/topofs/torch tests/backends/test_device_engine.py \
		tests/test_examples.py -k 'torch or homological or learned'

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-test
	$(BIN)/mypy

$(VENV)/.installed-docs: pyproject.toml $(VENV)/.created
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@

# The pages go to site/; open site/index.html. Warnings are errors.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx --quiet --fresh-env --fail-on-warning --keep-going --jobs auto docs site

docs-serve: docs
	@echo "http://127.0.0.1:8000 (Ctrl-C ends it)"
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory site 8000

# The lowest versions that pyproject.toml declares, in an environment of their own. They have
# wheels for Python 3.11 and 3.12.
LOWEST := .venv-lowest
LOWEST_EXTRAS := anndata cli dask fastcan graphs plot report tables
LOWEST_PYTHON = $(shell for python in $(PYTHON) python3.11 python3.12; do \
	$$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' \
	2> /dev/null && echo $$python && break; done)

lowest: $(LOWEST)/.installed

$(LOWEST)/.installed: pyproject.toml study/pyproject.toml .ci/lowest_versions.py
	$(LOWEST_PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST_PYTHON) .ci/lowest_versions.py $(LOWEST_EXTRAS) test > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pip install --quiet --constraint $(LOWEST)/constraints.txt \
		--editable '.[all]' hypothesis pandas pytest pytest-xdist
	@touch $@

# What depends on versions: reading, measures, graphs, the checks of scikit-learn, commands.
LOWEST_TESTS := tests/io tests/similarity tests/graphs/test_tmfg.py \
	tests/graphs/test_mst.py tests/centrality \
	tests/kernels/test_coverage_kernels.py tests/test_graph.py tests/rules/test_variance.py \
	tests/selection/test_sklearn_conformance.py tests/selection/test_topological.py \
	tests/selection/test_coverage.py tests/selection/test_measure_of_auto.py \
	tests/selection/test_annotated.py tests/selection/test_by_name.py \
	tests/backends/test_dask_table.py tests/cli/test_app.py tests/cli/test_graph.py \
	tests/cli/test_select.py tests/cli/test_mixed_tables.py

# The oldest scikit-learn checks estimators with other arrays only if scipy's switch is set.
test-lowest:
ifeq ($(LOWEST_PYTHON),)
	@echo "test-lowest: skipped (the lowest versions need Python 3.11 or 3.12: none is found)"
else
	@$(MAKE) --no-print-directory $(LOWEST)/.installed
	SCIPY_ARRAY_API=1 $(LOWEST)/bin/python -m pytest -n 2 -q -p no:cacheprovider $(LOWEST_TESTS)
endif

# Both distributions: built, checked, installed into clean environments and tried there.
dist: $(VENV)/.created
	$(BIN)/python -m pip install --quiet build twine
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m build --outdir dist study
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python .ci/check_distributions.py dist

clean:
	rm -rf $(VENV) $(LOWEST) dist site docs/gallery .coverage .pytest_cache .mypy_cache .ruff_cache

$(VENV)/.installed-bench: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet fast-tmfg
	@touch $@

# Ratios in one run; wants an otherwise idle machine. bench-large takes minutes more.
bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.run

bench-large: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.run --large
