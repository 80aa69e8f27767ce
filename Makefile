# Two commands do everything on a machine with Python 3.11+ and make:
#   make demo    selects features on a dataset that ships with scikit-learn
#   make test    runs the whole test suite
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test test-torch lint types docs bench bench-large clean
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

# The second run has the JIT off, so that the kernels are measured line by line too.
test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 --cov --cov-report=
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -m 'not needs_jit' --cov --cov-append --cov-report= \
		tests/kernels tests/filtering tests/similarity tests/models
	$(BIN)/python -m coverage report --fail-under=95

$(VENV)/.installed-torch: pyproject.toml $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --editable '.[torch]'
	@touch $@

# What `make test` leaves out because it does not install torch; such small networks want one thread.
test-torch: $(VENV)/.installed-torch
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/torch src/topofs/torch tests/test_examples.py \
		-k 'torch or homological or learned'

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
