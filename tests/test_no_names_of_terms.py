"""Whoever has a term asks the term: its short name is looked at in one place only."""

import ast
import sys
from pathlib import Path

import pytest

from tests.syntax_trees import SOURCE, source_files
from topofs import registered

KINDS = ("similarity", "graph", "rule")
# A function of the user's own is called "callable".
SHORT_NAMES = {name for kind in KINDS for name in registered(kind)} | {"callable"}
CLASSES = {type(term).__name__ for kind in KINDS for term in registered(kind).values()}

RESOLVING = {"terms.py", "selection/compatibility.py"}
"""Where names become terms."""

ORDINARY = {"auto", "coverage", "degree", "links", "strength", "variance"}
"""Short names that are ordinary words as well: a size, two shares, two numbers of a node, what a
graph consists of. They count where a term, a method or a name is spoken of, or where other short
names stand beside."""

ALLOWED = {
    # The functions behind the scores of the rule `Centrality`, which asks for them by score.
    ("centrality.py", "CENTRALITIES"),
    # Links come from the matrix, from products or from blocks, and not from `Graph.build`.
    ("backends/dispatch.py", "isinstance(graph, Links)"),
    # The scores that are resampled by default, as in bootnet.
    ("selection/network_stability.py", "('strength', 'closeness', 'betweenness')"),
    # Rivals, of which two have names that terms have, too.
    ("comparison/compare.py", "METHOD_NAMES"),
    ("comparison/labelled.py", "LABELLED_METHODS"),
}
"""The file and the piece of it, each with its reason."""

_TERM_LIKE = ("similarity", "measure", "graph", "rule", "term", "centrality", "method")
_LOOKUPS = {"get", "pop", "index", "count", "startswith", "endswith", "setdefault"}


def names_looked_at(source, *, own=frozenset()):
    """Pieces of a source that tell terms apart by name or by class; those in `own` may."""
    tree = ast.parse(source)
    skipped = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        for part in ast.walk(node)
    }
    tables = {
        id(node.value): ast.unparse(getattr(node, "target", None) or node.targets[0])
        for node in ast.walk(tree)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
    }
    for node in ast.walk(tree):
        if id(node) not in skipped and _looks_at_a_name(node, SHORT_NAMES - own):
            named = isinstance(node, ast.Dict) and id(node) in tables
            yield tables[id(node)] if named else ast.unparse(node)


def _looks_at_a_name(node, names):
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        return any(map(_is_name_of_term, operands)) or _compares(operands, names)
    if isinstance(node, ast.match_case):
        return _holds(node.pattern, names)
    if isinstance(node, ast.Dict):
        return _is_a_list_of([key for key in node.keys if key is not None], names)
    if isinstance(node, (ast.Set, ast.List, ast.Tuple)):
        return len(node.elts) > 1 and _is_a_list_of(node.elts, names)
    if isinstance(node, ast.Subscript):
        return _is_name_of_term(node.slice) or _compares([node.value, node.slice], names)
    return isinstance(node, ast.Call) and _is_a_lookup(node, names)


def _is_a_lookup(call, names):
    function = call.func
    if isinstance(function, ast.Name) and function.id in ("isinstance", "issubclass"):
        classes = ast.walk(call.args[1])
        return any(
            getattr(part, "id", getattr(part, "attr", "")) in CLASSES for part in classes
        )
    if isinstance(function, ast.Attribute) and function.attr in _LOOKUPS:
        return any(map(_is_name_of_term, call.args)) or _compares(
            [function.value, *call.args], names
        )
    return False


def _compares(operands, names):
    """Whether a short name is compared; an ordinary word counts beside what may be a term."""
    if any(_holds(part, names - ORDINARY) for part in operands):
        return True
    others = [part for part in operands if not _holds(part, names)]
    return len(others) < len(operands) and any(_may_be_a_term(part) for part in others)


def _is_a_list_of(parts, names):
    """Whether short names are listed, and not ordinary words among others."""
    return any(_is_one(part, names - ORDINARY) for part in parts) or (
        bool(parts) and all(_is_one(part, names) for part in parts)
    )


def _holds(node, names):
    return any(_is_one(part, names) for part in ast.walk(node))


def _is_one(node, names):
    return (
        isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names
    )


def _may_be_a_term(node):
    text = ast.unparse(node).lower()
    return any(word in text for word in (*_TERM_LIKE, "name"))


def _is_name_of_term(node):
    """Whether it reads as ``measure.name``, or the like."""
    if not isinstance(node, ast.Attribute) or node.attr not in ("name", "short_name"):
        return False
    return any(word in ast.unparse(node.value).lower() for word in _TERM_LIKE)


def own_names(path):
    """Short names of the terms that a file defines."""
    terms = [term for kind in KINDS for term in registered(kind).values()]
    return {
        term.name for term in terms if Path(sys.modules[type(term).__module__].__file__) == path
    }


FILES = {path.relative_to(SOURCE).as_posix(): path for path in source_files()}


@pytest.mark.parametrize("file", sorted(FILES.keys() - RESOLVING))
def test_no_name_of_a_term_is_looked_at(file):
    path = FILES[file]
    found = set(names_looked_at(path.read_text(encoding="utf-8"), own=own_names(path)))
    allowed = {text for where, text in ALLOWED if where == file}
    assert found - allowed == set()
    # What is allowed is still there.
    assert allowed <= found


def test_what_is_allowed_is_in_a_file():
    assert {file for file, _ in ALLOWED} <= FILES.keys()
    assert FILES.keys() >= RESOLVING


@pytest.mark.parametrize(
    "source",
    [
        "if similarity == 'mixed': ...",
        "if 'mixed' != selector.similarity_.name: ...",
        "if name in ('pearson', 'spearman'): ...",
        "x = rule not in {'degree', 'x'}",
        "RANKED = {'spearman', 'energy'}",
        "match rule:\n    case 'coverage': ...",
        "match rule:\n    case 'other' | 'pagerank': ...",
        "WORDS = {'pearson': 'Pearson'}",
        "if 'callable' != name: ...",
        "words = WORDS['tmfg']",
        "words = WORDS.get('tmfg')",
        "words = WORDS[measure.name]",
        "words = WORDS.get(selector.rule_.name, '')",
        "if rule.name == asked: ...",
        "if measure.name in RANKED: ...",
        "if name.startswith('mutual_information'): ...",
        "if isinstance(measure, Mixed): ...",
        "if isinstance(rule, (rules.Coverage, Other)): ...",
        "x = 1 if selector.rule == 'coverage' else 2",
        "if similarity == 'auto': ...",
        "if 'degree' in rule_name: ...",
        "if name == 'coverage': ...",
        "words = MEASURES['auto']",
        "WORDS = {'degree': 1, 'coverage': 2}",
        "WORDS = {'coverage': 1, 'pagerank': 2, 'other': 3}",
        "KNOWN = ('coverage', 'degree')",
    ],
)
def test_it_fires(source):
    assert list(names_looked_at(source))


@pytest.mark.parametrize(
    "source",
    [
        "'''The measure 'pearson' is known.'''",
        "def f(similarity='auto', rule='coverage'): ...",
        "raise ValueError(f\"use rule='coverage', not {rule.name!r}\")",
        "__all__ = ['degree', 'pearson', 'tmfg']",
        "if measure.takes_names and rule.has_end: ...",
        "if ties == 'index' or measure == other or path.name == 'x': ...",
        "if isinstance(measure, Measure): ...",
        "measure_of('pearson')",
        "if size == 'auto' or threshold != 'auto': ...",
        "row = {'name': name, 'degree': 3, 'strength': column['strength']}",
        "HEAD = ('node', 'degree', 'strength')",
    ],
)
def test_asking_a_term_is_not_found(source):
    assert list(names_looked_at(source)) == []
