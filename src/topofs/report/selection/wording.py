"""The sentences of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.report.selection.summary import Method, SelectionSummary

__all__ = ["SCORES", "ScoreWords", "Words", "listed", "percent", "words_of"]

_GRAPHS = {
    "tmfg": "a triangulated maximally filtered graph (TMFG)",
    "pmfg": "a planar maximally filtered graph (PMFG)",
    "mst": "a maximum spanning tree (MST)",
}


@dataclass(frozen=True)
class ScoreWords:
    """What a centrality is called.

    Attributes
    ----------
    name : str
        On its own, as over a column of a table.
    ranked_by : str
        After "ranked by".
    unit : str
        After the number one; empty where it has none.
    axis : str
        Under a chart.
    """

    name: str
    ranked_by: str
    unit: str = ""
    axis: str = "score"


SCORES = {
    "degree": ScoreWords(
        "Links", "their number of links (degree)", "link", "links of a column (degree)"
    ),
    "strength": ScoreWords("Strength", "the summed strength of their links"),
    "eigenvector": ScoreWords("Eigenvector", "eigenvector centrality"),
    "pagerank": ScoreWords("PageRank", "PageRank"),
    "closeness": ScoreWords("Closeness", "closeness, how near they are to all others"),
    "betweenness": ScoreWords("Betweenness", "betweenness, how often they lie between others"),
}


@dataclass(frozen=True)
class Words:
    """Sentences about a selection, plain text all of them.

    Attributes
    ----------
    headline : str
        What came out, in a few words.
    meaning : str
        What that means, in a sentence.
    method : str
        How it was found.
    notes : tuple of str
        What a reader should know besides.
    covered : str
        What "covered" means, for a caption.
    measure : str
        What the similarity is called.
    score : ScoreWords
        What the centrality is called.
    """

    headline: str
    meaning: str
    method: str
    notes: tuple[str, ...]
    covered: str
    measure: str
    score: ScoreWords


def words_of(summary: SelectionSummary) -> Words:
    """Write the sentences.

    Parameters
    ----------
    summary : SelectionSummary
        The numbers.

    Returns
    -------
    Words
    """
    measure = _measure(summary.method)
    score = SCORES.get(
        summary.method.centrality,
        ScoreWords(summary.method.centrality.capitalize(), summary.method.centrality),
    )
    return Words(
        headline=(
            f"Keep {summary.n_selected:,} of {_counted(summary.features.n_features, 'column')}"
        ),
        meaning=_meaning(summary),
        method=_method(summary, measure, score),
        notes=tuple(_notes(summary, score)),
        covered=(
            "Covered: every column's similarity to the kept column most like it, on average. "
            "A kept column counts with its similarity to itself."
        ),
        measure=measure,
        score=score,
    )


def percent(share: float) -> str:
    """Print a share; only a whole one is 100 %, and only none is 0 %.

    Parameters
    ----------
    share : float
        Between 0 and 1 as a rule.

    Returns
    -------
    str

    Examples
    --------
    >>> percent(0.514), percent(0.999), percent(1.0), percent(0.001), percent(-0.2)
    ('51 %', '99 %', '100 %', '1 %', '-20 %')
    """
    rounded = round(100 * share)
    if 0 < share < 1:
        rounded = min(max(rounded, 1), 99)
    return f"{rounded} %"


def listed(names: Sequence[str], *, most: int = 8) -> str:
    """List names, and count those beyond `most`.

    Parameters
    ----------
    names : sequence of str
        The names.
    most : int, default=8
        How many to write out.

    Returns
    -------
    str

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def _measure(method: Method) -> str:
    named = {"pearson": "Pearson correlation", "spearman": "Spearman rank correlation"}
    if method.similarity in named:
        plain = named[method.similarity]
        return f"squared {plain}" if method.squared else plain
    return {
        "energy": "energy coefficient (spread and difference)",
        "precomputed": "given similarity",
        "callable": "similarity by a function of your own",
    }.get(method.similarity, method.similarity)


def _meaning(summary: SelectionSummary) -> str:
    share = percent(float(summary.share[summary.n_selected]))
    one = summary.n_selected == 1
    if summary.method.similarity in ("pearson", "spearman") and summary.method.squared:
        return (
            f"{'It stands' if one else 'They stand'} for {share} of the variation in "
            f"{summary.table_name}: that is how much variance a column shares, on average, "
            "with the kept column most like it."
        )
    return (
        f"{'It covers' if one else 'They cover'} {share} of the network of "
        f"{summary.table_name}: the average similarity of a column to the kept column most "
        "like it."
    )


def _method(summary: SelectionSummary, measure: str, score: ScoreWords) -> str:
    n_nodes, n_edges = summary.network.n_nodes, len(summary.network.edges)
    n_pairs = n_nodes * (n_nodes - 1) // 2
    network = _GRAPHS.get(summary.method.graph, summary.method.graph)
    ties = (
        ", equal ones by the summed strength of their links"
        if summary.method.ties == "strength" and summary.method.centrality != "strength"
        else ", equal ones in the order of the table"
    )
    return (
        f"Columns were compared by {measure} over {_counted(summary.n_samples, 'row')}. "
        f"Of {_counted(n_pairs, 'pair')}, {network} keeps {_counted(n_edges, 'link')}. Columns "
        f"were ranked by {score.ranked_by}{ties}. No target was used."
    )


def _notes(summary: SelectionSummary, score: ScoreWords) -> list[str]:
    notes = []
    features = summary.features
    if summary.ties is not None:
        ties = summary.ties
        by = "the strength of the links" if summary.method.ties == "strength" else "the order"
        with_score = _counted(int(ties.score), score.unit) if score.unit else "the same score"
        notes.append(
            f"Tied at the cut: {_counted(ties.inside + ties.outside, 'column')} with "
            f"{with_score}; {ties.inside:,} kept and {ties.outside:,} not, decided by {by}."
        )
    if summary.method.similarity == "energy":
        notes.append(
            "The energy coefficient is high for columns that differ: here “covered”, “nearest” "
            "and “alike” stand for a high coefficient, not for shared information."
        )
    if len(features.kept):
        notes.append(f"Kept by request: {listed([features.names[i] for i in features.kept])}.")
    outside = features.n_features - summary.network.n_nodes
    if outside:
        notes.append(
            f"{_counted(outside, 'column')} held one value only, so took no part in the network."
        )
    if len(summary.network.drawn) < summary.network.n_nodes:
        notes.append(
            f"The network has {_counted(summary.network.n_nodes, 'column')}; drawn are the "
            f"{len(summary.network.drawn):,} that are kept or joined to a kept one."
        )
    n_left_out = sum(len(names) for _, names in summary.left_out)
    if n_left_out:
        notes.append(f"{_counted(n_left_out, 'column')} left out before the comparison.")
    if summary.passed_through:
        notes.append(f"Passed through unjudged: {listed(summary.passed_through)}.")
    return notes


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
