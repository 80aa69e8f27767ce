"""Terms by their short names, and the compatibility of measure, graph and rule.

Only this module compares names of terms and refuses pairs of terms. `plain_settings` gives the
terms and the constraints of a selector as JSON values.
"""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from topofs.constraints import Size, size_of
from topofs.graphs.base import Graph
from topofs.rules.base import Rule
from topofs.similarity.base import Measure
from topofs.similarity.given import Function
from topofs.similarity.relevance import relevance_of
from topofs.terms import Term, registered

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.selection.selector import TopologicalFeatureSelector
    from topofs.similarity.relevance import Relevance

THRESHOLDS = ("auto", "mean", None)
"""Values of `threshold`: by the rule; set similarities below the mean to 0; no threshold."""

AnyTerm = TypeVar("AnyTerm", bound=Term)


def _term_of(base: type[AnyTerm], given: Any, *, also: str = "") -> AnyTerm:
    """Resolve a name or a term to a term of a kind."""
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
    if isinstance(given, type) and issubclass(given, Term):
        raise ValueError(f"{base.kind} is the class {given.__name__}: give {given.__name__}()")
    names = ", ".join(map(repr, registered(base.kind)))
    raise ValueError(f"{base.kind} is {given!r}; known are {names}{also}")


def measure_of(given: Any) -> Measure:
    """Resolve a name, a function or a measure to a measure."""
    if callable(given) and not isinstance(given, (type, Measure)):
        return Function(given)
    return _term_of(Measure, given, also=" and a function")


graph_of: Callable[[Any], Graph] = partial(_term_of, Graph)
rule_of: Callable[[Any], Rule] = partial(_term_of, Rule)

TERMS: dict[str, Callable[[Any], Term]] = {
    "similarity": measure_of,
    "graph": graph_of,
    "rule": rule_of,
}
"""The parameters of the estimator that take a term, each with its resolver."""


def graph_for(given: Any, rule: Rule, size: Any = None) -> Graph | None:
    """Resolve the graph that a rule ranks by; refuse a graph if the rule uses none."""
    graph = graph_of(given)
    without, other = None if rule.needs.graph else f"rule {rule.name!r}", "rule"
    if size_of(size).redundant_from is not None:
        without, other = type(size).__name__, "size"
    if without is None:
        return graph_of(rule.default_graph) if graph.by_rule else graph
    if graph.by_rule:
        return None
    raise ValueError(
        f"{without} ranks columns without a graph, and graph {graph.name!r} was given: leave "
        f"graph out, or choose another {other}"
    )


def check_terms(
    measure: Measure,
    graph: Graph | None,
    rule: Rule,
    threshold: Any = "auto",
    relevance: Relevance | None = None,
) -> None:
    """Refuse incompatible terms and an unknown threshold.

    A rule or a graph may need a scale, or the columns themselves, which not every measure has.
    """
    if not (threshold is None or isinstance(threshold, str)) or threshold not in THRESHOLDS:
        known = ", ".join(map(repr, THRESHOLDS))
        raise ValueError(f"threshold is {threshold!r}; known are {known}")
    if relevance is not None and not rule.takes_relevance:
        able = [name for name, known in registered("rule").items() if known.takes_relevance]  # type: ignore[attr-defined]
        raise ValueError(
            f"rule {rule.name!r} does not use the relevance of columns: choose "
            f"rule={' or '.join(map(repr, able))}, or leave relevance out"
        )
    needs = rule.needs
    needing = other = ""
    if needs.scale:
        needing, other = f"rule {rule.name!r}", "rule='degree'"
    elif graph is not None and graph.needs_scale:
        needing, other = f"graph {graph.name!r}", "graph='tmfg'"
    if needing and not measure.has_scale:
        raise ValueError(
            f"similarity {measure.name!r} {measure.why_no_scale}, and {needing} needs that: "
            f"choose {other}, or another similarity"
        )
    if needs.columns and not measure.has_columns:
        able = [name for name, known in registered("similarity").items() if known.has_columns]  # type: ignore[attr-defined]
        raise ValueError(
            f"similarity {measure.name!r} is no correlation of columns, and rule {rule.name!r} "
            f"needs one: choose similarity={' or '.join(map(repr, able))}, or another rule"
        )


def check_end(rule: Rule, size: Any) -> None:
    """Refuse the size "auto" with a rule that has no automatic end."""
    if isinstance(size, str) and size == "auto" and not rule.has_end:
        able = [name for name, known in registered("rule").items() if known.has_end]  # type: ignore[attr-defined]
        raise ValueError(
            f"n_features_to_select is 'auto', which needs rule={' or '.join(map(repr, able))}: a "
            f"ranking by {rule.name} has no end of its own; give a count, a fraction, or None "
            "for half"
        )


def plain_settings(selector: TopologicalFeatureSelector) -> dict[str, Any]:
    """The settings of a selector by name; after its fit, with the resolved similarity."""
    rule, size = rule_of(selector.rule), selector.n_features_to_select
    graph = graph_for(selector.graph, rule, size)
    fitted = selector.__sklearn_is_fitted__()
    measure = selector.similarity_ if fitted else measure_of(selector.similarity)
    return {
        "size": plain_size(size),
        "similarity": _plain(measure),
        "threshold": selector.threshold,
        "graph": None if graph is None else _plain(graph),
        "rule": _plain(rule),
        "keep": list(selector.keep or ()),
        "exclude": list(selector.exclude or ()),
        "at_most": None if selector.at_most is None else selector.at_most.number,
        "at_least": None if selector.at_least is None else selector.at_least.number,
        "max_similarity": selector.max_similarity,
        "relevance": _plain_relevance(relevance_of(selector.relevance)),
        "min_carriers": selector.min_carriers,
    }


def plain_size(size: Any) -> Any:
    """A size as a JSON value, such as ``{'until_coverage': 0.9}``."""
    if not isinstance(size, Size):
        return size
    asked = {
        "until_coverage": size.least_coverage,
        "min_share": size.redundant_from,
        "budget": size.budget,
    }
    return {what: value for what, value in asked.items() if value is not None}


def _plain_relevance(relevance: Relevance | None) -> dict[str, Any] | None:
    """The weights of columns, without a value for each."""
    if relevance is None:
        return None
    by = relevance.by
    if not isinstance(by, str):
        by = getattr(by, "__name__", type(by).__name__) if callable(by) else "weights"
    return {"by": by, "selected": relevance.selected, "represented": relevance.represented}


def _plain(term: Term) -> dict[str, Any]:
    """The name and the parameters of a term."""
    chosen = [known.name for known in fields(term) if known.metadata.get("option")]
    return {"name": term.name} | {name: getattr(term, name) for name in chosen}
