"""Reports and pictures ask the terms: no name of one is compared anywhere in them."""

import ast
from pathlib import Path

import pytest

import topofs
from topofs.terms import registered

ROOMS = ("report/selection", "report/comparison", "plot")
# A size and a threshold may be "auto", too.
NAMES = {name for kind in ("similarity", "graph", "rule") for name in registered(kind)} - {
    "auto"
}


def named_terms(source):
    """Names of terms that stand in a comparison, or are the keys of a table."""
    found = []
    for node in ast.walk(ast.parse(source)):
        parts = []
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Dict):
            parts = [key for key in node.keys if key is not None]
        constants = [leaf for part in parts for leaf in ast.walk(part)]
        found += [
            leaf.value
            for leaf in constants
            if isinstance(leaf, ast.Constant) and leaf.value in NAMES | {"callable"}
        ]
    return found


@pytest.mark.parametrize(
    "source",
    [
        'if selector.rule == "coverage": pass',
        'if measure in ("pearson", "spearman"): pass',
        'WORDS = {"tmfg": "a graph"}',
        '"callable" != name',
    ],
)
def test_the_guard_fires(source):
    assert named_terms(source)


@pytest.mark.parametrize("room", ROOMS)
def test_no_name_of_a_term_is_compared(room):
    files = sorted((Path(topofs.__file__).parent / room).rglob("*.py"))
    assert len(files) > 3
    found = {path.name: named_terms(path.read_text(encoding="utf-8")) for path in files}
    # The keys of the numbers that a page reads are no names of terms.
    found["page_data.py"] = [
        name for name in found.get("page_data.py", []) if name != "strength"
    ]
    assert {name: names for name, names in found.items() if names} == {}
