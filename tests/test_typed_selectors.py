"""A function that takes a fitted selector says which: no ``selector: Any``."""

import ast

import pytest

from tests.syntax_trees import SOURCE, source_files

ROOMS = {"selection", "comparison", "report", "plot", "cli"}
NAMES = {"selector", "selectors", "estimator", "estimators", "fitted"}


def untyped_selectors(source):
    """Functions with a parameter of such a name that may be anything."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            for argument in arguments:
                if argument.arg in NAMES and _is_anything(argument.annotation):
                    yield f"{node.name}({argument.arg})"


def _is_anything(annotation):
    """Whether an annotation is missing, or is Any or object, alone or in a union or a list."""
    if annotation is None:
        return True
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval")
    return any(
        getattr(part, "id", getattr(part, "attr", None)) in ("Any", "object")
        for part in ast.walk(annotation)
    )


@pytest.mark.parametrize(
    "path", list(source_files(rooms=ROOMS)), ids=lambda path: str(path.relative_to(SOURCE))
)
def test_selectors_are_typed(path):
    assert list(untyped_selectors(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def f(selector: Any): ...", ["f(selector)"]),
        ("def f(selector): ...", ["f(selector)"]),
        ("def f(*, estimator: typing.Any | None = None): ...", ["f(estimator)"]),
        ("class A:\n    def f(self, selector: 'Any'): ...", ["f(selector)"]),
        ("async def f(selectors: list[Any]): ...", ["f(selectors)"]),
        ("def f(fitted: object): ...", ["f(fitted)"]),
        ("def f(selector: TopologicalFeatureSelector, X: Any): ...", []),
        ("def f(selector: Selector, estimator: 'BaseEstimator | None'): ...", []),
    ],
)
def test_it_fires(source, found):
    assert list(untyped_selectors(source)) == found
