# Two commands do everything on a machine with Python 3.11+ and make:
#   make demo    selects features on a dataset that ships with scikit-learn
#   make test    runs the whole test suite
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test lint types docs bench bench-large clean
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
		--cov --cov-append --cov-report= tests/kernels tests/filtering tests/similarity
	$(BIN)/python -m coverage report --fail-under=95
endif

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-test
	$(BIN)/mypy

$(VENV)/.installed-docs: pyproject.toml $(VENV)/.created
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@

# The pages go to site/; open site/index.html.
docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) site .coverage .pytest_cache .mypy_cache .ruff_cache

$(VENV)/.installed-bench: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet fast-tmfg
	@touch $@

# Ratios in one run; wants an otherwise idle machine. bench-large takes minutes more.
bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.run

bench-large: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.run --large
