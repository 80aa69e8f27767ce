"""The strongest links of each column above the noise floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from topofs.graphs.base import Graph
from topofs.terms import is_whole, parameter, register

if TYPE_CHECKING:
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.similarity_matrix import SimilarityMatrix


def _check_strongest(value: Any) -> None:
    if value is not None and (not is_whole(value) or value < 1):
        raise ValueError(
            f"strongest is {value!r}; give a whole number of at least 1, or None for all pairs"
        )


@dataclass(frozen=True, repr=False)
class Links(Graph):
    """Each column's strongest links above the noise floor: the graph that coverage ranks by.

    A link is in the graph if it is among the strongest of either of its columns. Its weight is
    the variance that the two columns share, corrected for chance, so the measure must have a
    scale. Memory is n · `strongest`.

    Parameters
    ----------
    strongest : int or None, default=128
        Number of links that each column lists. None keeps all pairs above the noise floor;
        memory is then n².

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import Links, TopologicalFeatureSelector
    >>> X = load_wine(as_frame=True).data
    >>> TopologicalFeatureSelector(graph=Links(strongest=1)).fit(X).graph_.n_edges
    10
    """

    strongest: int | None = parameter(128, help="Links of each column.", check=_check_strongest)

    without_matrix: ClassVar[bool] = True
    needs_scale: ClassVar[bool] = True
    default_reach: ClassVar[str] = "edges"

    @property
    def words(self) -> str:
        """Its name in a sentence, after "Of all pairs"."""
        if self.strongest is None:
            return "all links above the noise floor"
        return f"the {self.strongest} strongest links of each column above the noise floor"

    @property
    def title(self) -> str:
        """Its name in a headline."""
        return "strongest links"

    def build(self, similarity: SimilarityMatrix) -> FilteredGraph:  # noqa: ARG002
        """Refuse a bare matrix: it has no scale and so no noise floor."""
        raise ValueError(
            "graph 'links' keeps what chance does not explain, and a matrix of similarities does "
            "not say how many samples it comes from: fit a TopologicalFeatureSelector, or use "
            "graph 'tmfg'"
        )


register(Links())
