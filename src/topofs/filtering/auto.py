"""The graph that the rule names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from topofs.filtering.family import Graph
from topofs.terms import register

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph
    from topofs.similarity_matrix import SimilarityMatrix

__all__ = ["AutoGraph"]


@dataclass(frozen=True, repr=False)
class AutoGraph(Graph):
    """The graph that the rule ranks by, unless another is named: `Rule.default_graph`.

    Links for coverage, the TMFG for centralities, and none for rules that rank without a graph.
    """

    by_rule: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The short name."""
        return "auto"

    def build(self, similarity: SimilarityMatrix) -> FilteredGraph:  # noqa: ARG002
        """Refuse: without a rule nothing tells which graph is meant."""
        raise ValueError(
            "graph 'auto' is the graph that a rule ranks by, and there is no rule here: name a "
            "graph, such as 'tmfg'"
        )


register(AutoGraph())
