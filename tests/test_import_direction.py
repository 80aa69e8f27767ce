"""Imports point one way through the rooms (ARCHITECTURE.md; the layers are in pyproject.toml)."""

import ast
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

import topofs

SOURCE = Path(topofs.__file__).parent
PROJECT = Path(__file__).parents[1] / "pyproject.toml"

WITHOUT_NUMBA = ("_kernels/__init__.py", "_kernels/numpy_or_numba.py")
"""What of the kernels is imported for any table."""


def is_kept(config):
    return lint_imports(config_filename=str(config), no_cache=True) == 0


def test_a_module_imports_only_what_lies_below_it():
    assert is_kept(PROJECT)


def test_the_check_fires(tmp_path):
    config = tmp_path / "pyproject.toml"
    text = PROJECT.read_text(encoding="utf-8")
    rooms = ['  "selection",\n', '  "rules | backends",\n']
    assert "".join(rooms) in text
    config.write_text(text.replace("".join(rooms), "".join(reversed(rooms))), encoding="utf-8")
    assert not is_kept(config)


@pytest.mark.parametrize("file", WITHOUT_NUMBA)
def test_what_any_table_imports_of_the_kernels_needs_numpy_alone(file):
    tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
    needed = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in (
            [node.module]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
    }
    assert needed <= {"__future__", "typing", "numpy"}


def test_public_names_are_sorted():
    """Abbreviations, then classes, then functions, as ruff sorts them."""

    def place(name):
        return not name.isupper(), not name[0].isupper(), name

    assert topofs.__all__ == sorted(topofs.__all__, key=place)
