"""What is declared is used, what is used is declared, and the page of dependencies lists it."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "dependencies.md"
# Groups of extras that the library itself does not import.
FOR_DEVELOPERS = {"all", "docs", "docs-data", "test"}
MODULES = {
    "scikit-learn": "sklearn",
    "cupy-cuda12x": "cupy",
    "array-api-compat": "array_api_compat",
}
# Imported and not declared: another declared package brings them.
BROUGHT = {
    "joblib": "scikit-learn",
    "threadpoolctl": "scikit-learn",
    "llvmlite": "numba",
    "pandas": "anndata",
    "h5py": "anndata",
}
BY_NAME = {"import_extra", "import_module", "sys.modules.get"}


def requirements():
    """(extra, package, lower bound) of every requirement; the extra is "" where it is always."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    for extra, lines in groups.items():
        if extra in FOR_DEVELOPERS:
            continue
        for line in lines:
            package, bound = re.match(r"([\w-]+)(?:\[.*\])?>=([\d.]+)$", line).groups()
            yield extra, package, bound


def names_in(tree):
    """The modules that a syntax tree imports, also those that are named by a text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module
        elif isinstance(node, ast.Call) and node.args:
            called = ast.unparse(node.func)
            given = (
                node.args[0].values[0]
                if isinstance(node.args[0], ast.JoinedStr)
                else node.args[0]
            )
            if called in BY_NAME and isinstance(given, ast.Constant) and given.value:
                yield str(given.value)


def imported():
    trees = (ast.parse(p.read_text(encoding="utf-8")) for p in (ROOT / "src").rglob("*.py"))
    return {name.split(".")[0] for tree in trees for name in names_in(tree)}


def test_no_declared_package_is_unused():
    declared = {MODULES.get(package, package) for _, package, _ in requirements()}
    assert declared - imported() == set()


def test_no_import_is_undeclared():
    packages = {package for _, package, _ in requirements()}
    assert set(BROUGHT.values()) <= packages
    known = {MODULES.get(package, package) for package in packages} | set(BROUGHT) | {"topofs"}
    installed = packages_distributions().keys() | known
    assert (imported() & installed) - sys.stdlib_module_names - known == set()


@pytest.mark.skipif(not PAGE.exists(), reason="the repository alone has the pages")
def test_the_page_lists_every_requirement():
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    always = {(row[0], row[1]) for row in rows if len(row) == 6}
    of_extras = {
        (extra, package, row[2])
        for row in rows
        if len(row) == 6
        for extra in row[0].split(", ")
        for package in row[1].split(", ")
    }
    for extra, package, bound in requirements():
        if extra:
            assert (extra, package, bound) in of_extras
        else:
            assert (package, bound) in always
