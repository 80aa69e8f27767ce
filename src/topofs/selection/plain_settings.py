"""The settings of a selector in plain words: what JSON can hold."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from topofs.selection.fitting_terms import graph_for
from topofs.selection.short_names import measure_of, rule_of
from topofs.selection.sizes import Budget, MinShare, UntilCoverage

if TYPE_CHECKING:
    from topofs.selection.topological import TopologicalFeatureSelector
    from topofs.terms import Term

__all__ = ["plain_settings", "plain_size"]


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
