"""`Graph`, the base of the graph families, and `AutoGraph`, for the graph of the rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from topofs.terms import Term, register

if TYPE_CHECKING:
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.similarity_matrix import SimilarityMatrix


@dataclass(frozen=True, repr=False)
class Graph(Term):
    """A family of sparse graphs over columns: base of the graphs.

    A subclass gives `build` and `words`; `build_without_matrix` where it can.

    Attributes
    ----------
    chordal : bool
        Whether its graphs carry cliques, separators and an order of insertion.
    without_matrix : bool
        Whether it can be built from products of columns, without the n × n similarity.
    leaves_out_chance : bool
        Whether similarities that chance explains are set to 0 before `build`.
    needs_scale : bool
        Whether its weights are shares of variance, so that the measure must have a scale.
    by_rule : bool
        Whether it is a placeholder for the graph that the rule names.
    default_reach : {"edges", "paths"}
        Default of the parameter `reach` of the rule "coverage": which nodes a node represents.
    """

    kind: ClassVar[str] = "graph"
    chordal: ClassVar[bool] = False
    without_matrix: ClassVar[bool] = False
    needs_scale: ClassVar[bool] = False
    by_rule: ClassVar[bool] = False
    default_reach: ClassVar[str] = "paths"

    @property
    def leaves_out_chance(self) -> bool:
        """Whether links that chance explains are set to 0 in the similarity."""
        return False

    @property
    def words(self) -> str:
        """Its name in a sentence, after "Of all pairs"."""
        return f"the graph {self.name!r}"

    @property
    def title(self) -> str:
        """Its name in a headline."""
        return self.name.upper()

    def build(self, similarity: SimilarityMatrix) -> FilteredGraph:
        """Filter a similarity.

        Parameters
        ----------
        similarity : SimilarityMatrix
            Checked: its `values` are symmetric and finite. The graph must not change them.

        Returns
        -------
        FilteredGraph
        """
        raise NotImplementedError

    def build_without_matrix(
        self, products: Any, *, threshold: bool, memory: int
    ) -> FilteredGraph:
        """Filter a similarity without holding its matrix.

        Parameters
        ----------
        products : Products
            Gives rows, row sums and strongest links of the similarity on demand.
        threshold : bool
            Whether entries below the mean of all count as 0.
        memory : int
            Bytes to use beside the columns.

        Returns
        -------
        FilteredGraph
        """
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class AutoGraph(Graph):
    """The graph that the rule ranks by, unless another is named: `Rule.default_graph`.

    It is links for coverage, the TMFG for centralities, none for rules without a graph.
    """

    by_rule: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The short name."""
        return "auto"

    def build(self, similarity: SimilarityMatrix) -> FilteredGraph:  # noqa: ARG002
        """Refuse: only a rule determines the graph."""
        raise ValueError(
            "graph 'auto' is the graph that a rule ranks by, and there is no rule here: name a "
            "graph, such as 'tmfg'"
        )


register(AutoGraph())
