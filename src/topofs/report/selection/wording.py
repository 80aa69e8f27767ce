"""The sentences of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topofs.report.selection import standing_words
from topofs.report.selection.phrases import counted, listed, percent
from topofs.report.selection.resampled_words import stability_sentence

if TYPE_CHECKING:
    from topofs.report.selection.summary import Method, SelectionSummary

__all__ = ["SCORES", "ScoreWords", "Words", "words_of"]

_GRAPHS = {
    "tmfg": "a triangulated maximally filtered graph (TMFG)",
    "pmfg": "a planar maximally filtered graph (PMFG)",
    "mst": "a maximum spanning tree (MST)",
}


@dataclass(frozen=True)
class ScoreWords:
    """What a score is called.

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

GAIN = ScoreWords("Adds", "what each adds to the coverage", axis="columns, best first")

_MEASURES = {
    "mixed": (
        "shared variance (Spearman² between numbers, η² between numbers and names, Cramér's V² "
        "between names)"
    ),
    "mutual_information": "shared information, on the scale of a squared correlation",
    "energy": "energy coefficient (spread and difference)",
    "precomputed": "given similarity",
    "callable": "similarity by a function of your own",
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
        What the score is called.
    above : str
        What a link must be to count, with rule "coverage".
    stability : str
        How much the selection depends on the sample; empty where that was not tried.
    """

    headline: str
    meaning: str
    method: str
    notes: tuple[str, ...]
    covered: str
    measure: str
    score: ScoreWords
    above: str
    stability: str


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
    covered = (
        "Covered: every column's similarity to the kept column most like it, on average. A kept "
        "column counts with its similarity to itself."
    )
    if summary.standing is not None:
        score, covered = GAIN, standing_words.COVERED
    n_features = summary.features.n_features
    return Words(
        headline=f"Keep {summary.n_selected:,} of {counted(n_features, 'column')}",
        meaning=_meaning(summary),
        method=_method(summary, measure, score),
        notes=tuple(_notes(summary, score)),
        covered=covered,
        measure=measure,
        score=score,
        above=standing_words.above(summary.method.similarity),
        stability="" if summary.resampled is None else stability_sentence(summary.resampled),
    )


def _measure(method: Method) -> str:
    named = {"pearson": "Pearson correlation", "spearman": "Spearman rank correlation"}
    if method.similarity in named:
        plain = named[method.similarity]
        return f"squared {plain}" if method.squared else plain
    return _MEASURES.get(method.similarity, method.similarity)


def _meaning(summary: SelectionSummary) -> str:
    if summary.standing is not None:
        return standing_words.meaning(summary, summary.standing)
    share = percent(float(summary.share[summary.n_selected]))
    one = summary.n_selected == 1
    correlation = summary.method.similarity in ("pearson", "spearman")
    if summary.method.similarity == "mixed" or (correlation and summary.method.squared):
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
    links = counted(n_edges, "link")
    standing = summary.standing
    if standing is not None and standing.n_links is not None:
        many = "all" if standing.n_links == n_edges else f"{standing.n_links:,}"
        links += f", {many} of them {standing_words.above(summary.method.similarity)}"
    if standing is not None:
        ranked = standing_words.ranked(standing)
    else:
        ties = (
            ", equal ones by the summed strength of their links"
            if summary.method.ties == "strength" and summary.method.centrality != "strength"
            else ", equal ones in the order of the table"
        )
        ranked = f"Columns were ranked by {score.ranked_by}{ties}."
    return (
        f"Columns were compared by {measure} over {counted(summary.n_samples, 'row')}. Of "
        f"{counted(n_pairs, 'pair')}, {network} keeps {links}. {ranked} No target was used."
    )


def _notes(summary: SelectionSummary, score: ScoreWords) -> list[str]:
    notes = []
    features = summary.features
    if summary.ties is not None:
        ties = summary.ties
        by = "the strength of the links" if summary.method.ties == "strength" else "the order"
        with_score = counted(int(ties.score), score.unit) if score.unit else "the same score"
        notes.append(
            f"Tied at the cut: {counted(ties.inside + ties.outside, 'column')} with "
            f"{with_score}; {ties.inside:,} kept and {ties.outside:,} not, decided by {by}."
        )
    alone = summary.standing and standing_words.isolated_note(summary, summary.standing)
    if alone:
        notes.append(alone)
    if summary.method.similarity == "energy":
        notes.append(
            "The energy coefficient is high for columns that differ: here “covered”, “nearest” "
            "and “alike” stand for a high coefficient, not for shared information."
        )
    if len(features.kept):
        notes.append(f"Kept by request: {listed([features.names[i] for i in features.kept])}.")
    notes += _kinds_of_columns(summary)
    if len(summary.network.drawn) < summary.network.n_nodes:
        notes.append(
            f"The network has {counted(summary.network.n_nodes, 'column')}; drawn are the "
            f"{len(summary.network.drawn):,} that are kept or joined to a kept one."
        )
    n_left_out = sum(len(names) for _, names in summary.left_out)
    if n_left_out:
        notes.append(f"{counted(n_left_out, 'column')} left out before the comparison.")
    if summary.passed_through:
        notes.append(f"Passed through unjudged: {listed(summary.passed_through)}.")
    return notes


def _kinds_of_columns(summary: SelectionSummary) -> list[str]:
    """Which columns hold names, and how many took no part."""
    notes = []
    features, nominal = summary.features, summary.nominal
    if nominal is not None:
        n_numbers = features.n_features - len(nominal)
        notes.append(
            f"{counted(n_numbers, 'column')} of numbers and {len(nominal):,} of names "
            f"(categories): {listed([features.names[i] for i in nominal])}."
        )
    outside = features.n_features - summary.network.n_nodes
    if outside:
        why = "one value only" if nominal is None else "one value or names that hardly repeat"
        notes.append(
            f"{counted(outside, 'column')} held {why}, so took no part in the network."
        )
    return notes
