"""Whether a measure, a graph and a rule go together: the one place that refuses a pair.

From short names to terms: the one place where the name of a term is looked at.

The settings of a selector in plain words: what JSON can hold.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from topofs.constraints import Budget, MinShare, UntilCoverage
from topofs.graphs.base import Graph
from topofs.rules.base import Rule
from topofs.similarity.base import Measure
from topofs.similarity.given import Function
from topofs.terms import Term, registered

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.selection.selector import TopologicalFeatureSelector


__all__ = [
    "TERMS",
    "THRESHOLDS",
    "check_end",
    "check_terms",
    "check_threshold",
    "graph_for",
    "graph_of",
    "measure_of",
    "plain_settings",
    "plain_size",
    "rule_of",
]


THRESHOLDS = ("auto", "mean", None)


"""What may be set to 0 before filtering: as the rule says, what is below the mean, nothing."""


def graph_for(given: Any, rule: Rule, size: Any = None) -> Graph | None:
    """Resolve the graph that a rule ranks by; refuse one where it ranks without."""
    without = None if rule.needs.graph else f"rule {rule.name!r}"
    if isinstance(size, MinShare):
        without = "MinShare"
    graph = graph_of(given)
    if graph.by_rule:
        return None if without else graph_of(rule.default_graph)
    if without is None:
        return graph
    other = "size" if isinstance(size, MinShare) else "rule"
    raise ValueError(
        f"{without} ranks columns without a graph, and graph {graph.name!r} was given: leave "
        f"graph out, or choose another {other}"
    )


def check_terms(measure: Measure, graph: Graph | None, rule: Rule) -> None:
    """Refuse a rule or a graph that needs a scale, or columns, where the measure has none."""
    if graph is not None and graph.needs_scale and not (rule.needs.scale or measure.has_scale):
        raise ValueError(
            f"similarity {measure.name!r} {measure.why_no_scale}, and graph {graph.name!r} needs "
            "that: choose graph='tmfg', or another similarity"
        )
    if rule.needs.scale and not measure.has_scale:
        raise ValueError(
            f"similarity {measure.name!r} {measure.why_no_scale}, and rule {rule.name!r} needs "
            "that: choose rule='degree', or another similarity"
        )
    if rule.needs.columns and not measure.has_columns:
        able = [name for name, known in registered("similarity").items() if known.has_columns]  # type: ignore[attr-defined]
        raise ValueError(
            f"similarity {measure.name!r} is no correlation of columns, and rule {rule.name!r} "
            f"needs one: choose similarity={' or '.join(map(repr, able))}, or another rule"
        )


def check_end(rule: Rule, size: Any) -> None:
    """Refuse the size "auto" with a rule that has no end of its own."""
    if isinstance(size, str) and size == "auto" and not rule.has_end:
        able = [name for name, known in registered("rule").items() if known.has_end]  # type: ignore[attr-defined]
        raise ValueError(
            f"n_features_to_select is 'auto', which needs rule={' or '.join(map(repr, able))}: a "
            f"ranking by {rule.name} has no end of its own; give a count, a fraction, or None "
            "for half"
        )


def check_threshold(threshold: Any) -> None:
    """Refuse an unknown threshold; the message lists what is known."""
    if not (threshold is None or isinstance(threshold, str)) or threshold not in THRESHOLDS:
        known = ", ".join(map(repr, THRESHOLDS))
        raise ValueError(f"threshold is {threshold!r}; known are {known}")


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


def plain_settings(selector: TopologicalFeatureSelector) -> dict[str, Any]:
    """The settings of a selector by name; after its fit the similarity is the one that was used."""
    rule, size = rule_of(selector.rule), selector.n_features_to_select
    graph = graph_for(selector.graph, rule, size)
    fitted = selector.__sklearn_is_fitted__()
    return {
        "size": plain_size(size),
        "similarity": _plain(
            selector.similarity_ if fitted else measure_of(selector.similarity)
        ),
        "threshold": selector.threshold,
        "graph": None if graph is None else _plain(graph),
        "rule": _plain(rule),
        "keep": list(selector.keep or ()),
        "exclude": list(selector.exclude or ()),
        "at_most": None if selector.at_most is None else selector.at_most.number,
        "max_similarity": selector.max_similarity,
        "min_carriers": selector.min_carriers,
    }


def plain_size(size: Any) -> Any:
    """A size as JSON can hold it, such as ``{'until_coverage': 0.9}``."""
    if isinstance(size, UntilCoverage):
        return {"until_coverage": size.coverage}
    if isinstance(size, MinShare):
        return {"min_share": size.share}
    return {"budget": size.total} if isinstance(size, Budget) else size


def _plain(term: Term) -> dict[str, Any]:
    """The name of a term and what a user can choose about it."""
    chosen = [known.name for known in fields(term) if known.metadata.get("option")]
    return {"name": term.name} | {name: getattr(term, name) for name in chosen}
