"""From a checked table to its filtered graph, with or without the matrix of similarities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.filtering import GRAPHS
from topofs.selection.from_data import tmfg_from_columns
from topofs.selection.memory_size import parse_memory
from topofs.selection.reading import check_returned_similarity
from topofs.similarity import SIMILARITIES
from topofs.similarity.operator import dense
from topofs.similarity.registry import COLUMN_MEASURES
from topofs.similarity.shared_variance import (
    check_shared_variance,
    variance_scale,
    whole_weights,
)
from topofs.similarity.threshold import threshold_links_in_place, threshold_mean_in_place
from topofs.similarity_matrix import SimilarityMatrix, check_similarity_matrix, sum_and_peak

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph
    from topofs.similarity.shared_variance import VarianceScale

__all__ = ["ScaledGraph", "graph_of_similarity", "graph_of_table"]

Matrix = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class ScaledGraph:
    """A filtered graph, and what its weights say about shared variance.

    Attributes
    ----------
    graph : FilteredGraph
        The graph; its weights are similarities.
    scale : VarianceScale
        How they become shared variance.
    whole : array, shape (n_nodes, n_nodes), or None
        Shared variance of all pairs, where the rule asks for it.
    """

    graph: FilteredGraph
    scale: VarianceScale
    whole: npt.NDArray[np.float64] | None


def graph_of_table(selector: Any, table: Any, measure: Any) -> ScaledGraph:
    """Build the graph of the columns of a table.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Its parameters say how.
    table : array, sparse matrix or TypedTable, shape (n_samples, n_features)
        Columns that vary; the similarity itself where `measure` is "precomputed".
    measure : str or callable
        The similarity, resolved.

    Returns
    -------
    ScaledGraph
    """
    n_samples, n_features = table.shape
    if isinstance(measure, str) and measure == "precomputed":
        given = check_similarity_matrix(table).values
        return graph_of_similarity(selector, given.copy(), measure, n_samples=n_samples)
    if callable(measure):
        given = check_returned_similarity(measure(table), n_features)
        return graph_of_similarity(selector, given.copy(), measure, n_samples=n_samples)
    memory = parse_memory(selector.memory)
    item_size = getattr(getattr(table, "dtype", None), "itemsize", 8)
    # The matrix, and a block of rows while it is filled; the weights of all pairs are another.
    matrices = 2.2 if _needs_all_pairs(selector) else 1.2
    if n_features**2 * item_size * matrices > memory:
        return _graph_without_matrix(selector, table, measure, memory)
    operator = SIMILARITIES[measure](table, squared=selector.squared, alpha=selector.alpha)
    return graph_of_similarity(
        selector, dense(operator), measure, n_samples=n_samples, operator=operator
    )


def graph_of_similarity(
    selector: Any, similarity: Matrix, measure: Any, *, n_samples: int, operator: Any = None
) -> ScaledGraph:
    """Filter a similarity that has passed its checks; it is overwritten.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Its parameters say how.
    similarity : array, shape (n_features, n_features)
        Similarity of all pairs.
    measure : str or callable
        Where it comes from.
    n_samples : int
        Number of samples it was computed from.
    operator : SimilarityOperator, optional
        What computed it, where that knows the noise floors.

    Returns
    -------
    ScaledGraph
    """
    scale = variance_scale(
        measure,
        operator,
        squared=selector.squared,
        n_samples=n_samples,
        n_features=len(similarity),
    )
    given = callable(measure) or measure == "precomputed"
    if given and selector.rule == "coverage":
        check_shared_variance(similarity)
    whole = whole_weights(similarity, scale) if _needs_all_pairs(selector) else None
    if given and selector.rule == "coverage" and selector.threshold == "auto":
        # Nothing tells what chance gives, so what is less than usual counts as no link.
        mean = threshold_links_in_place(similarity)
    elif _cuts_at_the_mean(selector):
        mean = threshold_mean_in_place(similarity)
    else:
        mean = sum_and_peak(similarity)[0] / similarity.size
    graph = GRAPHS[selector.graph](SimilarityMatrix(similarity, mean, labels=None))
    return ScaledGraph(graph, scale, whole)


def _graph_without_matrix(selector: Any, table: Any, measure: str, memory: int) -> ScaledGraph:
    n_samples, n_features = table.shape
    too_large = (
        f"the similarity of {n_features} columns does not fit into memory "
        f"({memory / 1e9:.3g} GB), and "
    )
    advice = ", allow more memory, or select among fewer columns"
    if selector.graph != "tmfg":
        raise ValueError(
            f"{too_large}graph {selector.graph!r} needs it whole: use graph 'tmfg'{advice}"
        )
    if _needs_all_pairs(selector):
        raise ValueError(
            f"{too_large}reach 'similarity' needs it whole: use reach 'paths'{advice}"
        )
    if measure not in COLUMN_MEASURES:
        known = ", ".join(repr(name) for name in COLUMN_MEASURES)
        raise ValueError(f"{too_large}{measure!r} needs it whole: use one of {known}{advice}")
    graph = tmfg_from_columns(
        table,
        similarity=measure,
        squared=selector.squared,
        alpha=selector.alpha,
        threshold=_cuts_at_the_mean(selector),
        memory=memory,
    )
    scale = variance_scale(
        measure, None, squared=selector.squared, n_samples=n_samples, n_features=n_features
    )
    return ScaledGraph(graph, scale, None)


def _needs_all_pairs(selector: Any) -> bool:
    return bool(selector.rule == "coverage" and selector.reach == "similarity")


def _cuts_at_the_mean(selector: Any) -> bool:
    """Whether similarities below their mean count as 0."""
    if selector.threshold == "auto":
        return bool(selector.rule == "degree")
    return bool(selector.threshold == "mean")
