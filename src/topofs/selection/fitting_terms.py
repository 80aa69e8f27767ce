"""Whether a measure, a graph and a rule go together: the one place that refuses a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topofs.selection.short_names import graph_of
from topofs.selection.sizes import MinShare
from topofs.terms import registered

if TYPE_CHECKING:
    from topofs.filtering.family import Graph
    from topofs.rules.rule import Rule
    from topofs.similarity.measure import Measure

__all__ = ["THRESHOLDS", "check_end", "check_terms", "check_threshold", "graph_for"]

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
