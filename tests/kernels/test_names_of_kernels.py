"""Cached machine code goes by names: no two kernels may have one name and the same arguments."""

import ast
from pathlib import Path

import topofs

KERNELS = Path(topofs.__file__).parent / "_kernels"
COMPILED = {"njit", "overload", "intrinsic"}


def inner_kernels(source):
    """Compiled functions, and overloads, that a function makes: made twice, they share a name."""
    return [
        inner.name
        for outer in ast.walk(ast.parse(source))
        if isinstance(outer, ast.FunctionDef)
        for inner in ast.walk(outer)
        if inner is not outer and isinstance(inner, ast.FunctionDef) and is_compiled(inner)
    ]


def is_compiled(function):
    called = [getattr(one, "func", one) for one in function.decorator_list]
    return any(getattr(one, "id", None) in COMPILED for one in called)


def test_no_function_makes_kernels():
    sources = {path.name: path.read_text(encoding="utf-8") for path in KERNELS.glob("*.py")}
    assert len(sources) > 15
    assert not [name for name, source in sources.items() if inner_kernels(source)]


def test_it_is_seen_where_one_does():
    source = """
def either(one, other):
    @overload(one, strict=False)
    def compiled(model):
        return other

    return compiled

@njit(cache=True)
def outer(x):
    return x
"""
    assert inner_kernels(source) == ["compiled"]
