"""From short names to terms: the one place where the name of a term is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from topofs.filtering.family import Graph
from topofs.rules.rule import Rule
from topofs.similarity.given import Function
from topofs.similarity.measure import Measure
from topofs.terms import Term, registered

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TERMS", "graph_of", "measure_of", "rule_of"]

AnyTerm = TypeVar("AnyTerm", bound=Term)


def measure_of(given: Any) -> Measure:
    """The measure that a name, a function or a measure stands for."""
    if callable(given) and not isinstance(given, (type, Measure)):
        return Function(given)
    return _resolve(given, Measure, also=" and a function")


def graph_of(given: Any) -> Graph:
    """The graph that a name or a graph stands for."""
    return _resolve(given, Graph)


def rule_of(given: Any) -> Rule:
    """The rule that a name or a rule stands for."""
    return _resolve(given, Rule)


TERMS: dict[str, Callable[[Any], Term]] = {
    "similarity": measure_of,
    "graph": graph_of,
    "rule": rule_of,
}
"""The parameters of the estimator that take a term, each with what resolves it."""


def _resolve(given: Any, base: type[AnyTerm], *, also: str = "") -> AnyTerm:
    if isinstance(given, base):
        return given
    if isinstance(given, str):
        known = registered(base.kind)
        if given not in known:
            known = registered(base.kind, installed=True)
        if given in known:
            found = known[given]
            assert isinstance(found, base)
            return found
    names = ", ".join(map(repr, registered(base.kind)))
    if isinstance(given, type) and issubclass(given, Term):
        raise ValueError(f"{base.kind} is the class {given.__name__}: give {given.__name__}()")
    raise ValueError(f"{base.kind} is {given!r}; known are {names}{also}")
