"""The sentences of the page.

The sentences about what the user asked for.

The sentences about columns that represent others: rules with groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topofs.constraints import Budget, MinShare, UntilCoverage
from topofs.rules.base import ScoreWords
from topofs.text import counted, fine_percent, listed, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs.report.selection_summary import (
        Method,
        Representation,
        Resampled,
        SelectionSummary,
    )


__all__ = [
    "REDUNDANCY_SCORE",
    "Words",
    "above",
    "asked_notes",
    "coverage_words",
    "isolated_note",
    "meaning",
    "nothing_to_choose_by",
    "redundancy_sentence",
    "rest_of_ranking",
    "words_of",
]


# After Nogueira et al. (2018): above 0.75 excellent agreement, below 0.4 poor.
_EXCELLENT, _POOR = 0.75, 0.4


# A column of which a selected one explains this share is safe to drop.
_NEAR_COPY = 0.9


_OF_A_SELECTION = {
    "adjective": "selected",
    "status": "Selected",
    "other": "Not selected",
    "added": "Selected",
    "column": "selected column",
    "columns": "selected columns",
    "slider": "Columns to select",
    "about": "Why this column is selected, or not",
    "first": "Shown is the column selected first.",
    "run": "The run selected",
    "fewest": "none, all are forced",
}


_OF_A_LIST = {
    "adjective": "in the list",
    "status": "In the list",
    "other": "Not in the list",
    "added": "Added",
    "column": "column of the list",
    "columns": "columns of the list",
    "slider": "Columns, with those added",
    "about": "About one column",
    "first": "Shown is the first column of the list.",
    "run": "The list has",
    "fewest": "none, all are in the list",
}


@dataclass(frozen=True)
class Words:
    """Sentences about a selection, plain text all of them.

    `how` has the method in two plain sentences and `method` exactly. `covered` is for a caption
    and `above` says what a link must be to count; `end` and `rest` are empty where the selection
    does not stop by itself, `refine` where no exchange is to be offered, `stability` where that
    was not tried. `near_copy` is the share from which a column is safe to drop, None where
    similarity says nothing of that. `said` has the words for what was selected, or for a list
    that is judged.
    """

    said: dict[str, str]
    headline: str
    meaning: str
    how: str
    method: str
    notes: tuple[str, ...]
    covered: str
    measure: str
    score: ScoreWords
    end: str
    rest: str
    above: str
    refine: str
    near_copy: float | None
    stability: str


def words_of(summary: SelectionSummary) -> Words:
    """Write the sentences."""
    method = summary.method
    said = _OF_A_LIST if summary.judged else _OF_A_SELECTION
    covered = (
        "Covered: every column's similarity to the selected column most like it, on average. A "
        "selected column counts with its similarity to itself."
    )
    if summary.representation is not None:
        covered = coverage_words(method, said)
    return Words(
        said=said,
        headline=_headline(summary),
        meaning=f"{_meaning(summary)} {_why_so_many(summary)}".rstrip(),
        how=_how(summary),
        method=_method(summary),
        notes=tuple(_notes(summary)),
        covered=covered,
        measure=method.measure.words,
        score=method.rule.words if method.redundant_from is None else REDUNDANCY_SCORE,
        end=_end(summary),
        rest=_rest(summary),
        above=above(method),
        refine=_refine(summary),
        near_copy=_near_copy(method),
        stability=_stability(summary.resampled),
    )


def _headline(summary: SelectionSummary) -> str:
    n, n_features = summary.n_selected, summary.features.n_features
    representation = summary.representation
    if representation is None or nothing_to_choose_by(summary, representation):
        adjective = (_OF_A_LIST if summary.judged else _OF_A_SELECTION)["adjective"]
        return f"{n:,} of {counted(n_features, 'column')} {adjective}"
    share = f"{percent(float(summary.share[n]))} of the variance of all {summary.n_nodes:,}"
    if summary.n_nodes < n_features:
        share += " that take part"
    if summary.judged:
        return f"The list of {counted(n, 'column')} represents {share}"
    return f"{n:,} of {counted(n_features, 'column')} represent{'s' if n == 1 else ''} {share}"


def _how(summary: SelectionSummary) -> str:
    """The method in two plain sentences."""
    method = summary.method
    rows = f", {counted(summary.n_samples, 'row')}" if summary.n_samples else ""
    what = "how alike they are"
    if summary.representation is not None:
        what = "how much of one's variance the other explains"
    if not method.measure.means_alike:
        what = "how much they have in common"
    return (
        f"For every pair of columns it was measured {what} ({method.measure.words}{rows}); no "
        f"column to predict was used. {_order(summary)}"
    )


def _order(summary: SelectionSummary) -> str:
    """How columns were put in order."""
    method = summary.method
    if summary.judged:
        return f"What could be added to the list is ranked by {method.rule.words.ranked_by}."
    if method.redundant_from is not None:
        return redundancy_sentence(method.redundant_from)
    return method.rule.sentence


def _rest(summary: SelectionSummary) -> str:
    representation = summary.representation
    if representation is None:
        return ""
    return rest_of_ranking(summary, representation)


def _near_copy(method: Method) -> float | None:
    if not method.measure.means_alike or not (
        method.rule.has_groups or method.measure.shares_variance
    ):
        return None
    return _NEAR_COPY if method.redundant_from is None else method.redundant_from


def _refine(summary: SelectionSummary) -> str:
    """Say what makes exchanges that cover more, where that is left to be asked for."""
    offered = getattr(summary.method.rule, "refine", None) is False
    if not offered or summary.judged or summary.method.redundant_from is not None:
        return ""
    return "--refine (in Python, Coverage(refine=True)) makes such exchanges."


def _better(summary: SelectionSummary) -> list[str]:
    """The replacement that would raise the coverage most, where one would."""
    refine, names = _refine(summary), summary.features.names
    changes = [
        (one.gained - one.lost, one.name, names[feature])
        for feature, found in summary.alternatives.items()
        for one in found
    ]
    if not refine or not changes:
        return []
    most, other, selected = max(changes)
    if most < 5e-5:
        return []
    return [
        f"Taking “{other}” in place of “{selected}” would raise the coverage by "
        f"{fine_percent(most).removesuffix(' %')} points: {refine}"
    ]


def _meaning(summary: SelectionSummary) -> str:
    if summary.representation is not None:
        return meaning(summary, summary.representation)
    share = percent(float(summary.share[summary.n_selected]))
    they_cover = "It covers" if summary.n_selected == 1 else "They cover"
    random = f"random lists of {summary.n_selected:,}: {percent(summary.random_share)}"
    if summary.method.measure.shares_variance:
        return (
            f"{they_cover} {share} of the variation in {summary.table_name} ({random}): that is "
            "how much variance a column shares, on average, with the selected column most like "
            "it."
        )
    return (
        f"{they_cover} {share} of {summary.table_name} ({random}): the average "
        "similarity of a column to the selected column most like it."
    )


def _why_so_many(summary: SelectionSummary) -> str:
    """Why the selection has this size, where the rule has a word in it."""
    n, end, representation = summary.n_selected, summary.end, summary.representation
    everything = not summary.size_given and n == summary.features.n_features
    isolated = 0 if representation is None else len(representation.isolated)
    no_word = everything or isolated == summary.n_nodes
    if summary.asked.size is not None or end is None or no_word:
        return ""
    if summary.judged:
        return _end(summary) if end > n else ""
    why = summary.method.rule.end_words
    if not summary.size_given:
        because = f": {why}" if why else " by itself"
        isolated = representation is not None and representation.isolated_selected
        besides = " Isolated columns are selected, too." if isolated else ""
        return f"The selection stopped at {n:,}{because}.{besides}"
    if n == end:
        return "That is also where the selection stops by itself."
    where = f", where {why}" if why else ""
    further = "go on to" if n < end else "stop at"
    return f"You asked for {n:,}; by itself the selection would {further} {end:,}{where}."


def _end(summary: SelectionSummary) -> str:
    if summary.end is None or summary.end >= summary.features.n_features:
        return ""
    why = summary.method.rule.end_words
    start = "Given the list, a" if summary.judged else "The"
    where = f", where {why}" if why else ""
    return f"{start} selection stops by itself at {summary.end:,}{where}."


def _method(summary: SelectionSummary) -> str:
    method = summary.method
    over = f" over {counted(summary.n_samples, 'row')}" if summary.n_samples else ""
    return (
        f"Columns were compared by {method.measure.words}{over}.{_network(summary)} "
        f"{_order(summary)} No column to predict was used."
    )


def _network(summary: SelectionSummary) -> str:
    """What the graph made of the pairs; nothing where there is no link."""
    graph, network = summary.method.graph, summary.network
    if graph is not None and graph.needs_scale:
        return f" Of all pairs count {graph.words}."
    if graph is None or network is None or not len(network.edges):
        return ""
    n_nodes, n_edges = summary.n_nodes, len(network.edges)
    links = counted(n_edges, "link")
    n_carrying = summary.running.n_links
    if n_carrying is not None and summary.method.redundant_from is None:
        many = "all" if n_carrying == n_edges else f"{n_carrying:,}"
        links += f", {many} of them {above(summary.method)}"
    pairs = counted(n_nodes * (n_nodes - 1) // 2, "pair")
    return f" Of {pairs}, {graph.words} keeps {links}."


def _notes(summary: SelectionSummary) -> list[str]:
    notes = list(summary.notes)
    method = summary.method
    if summary.ties is not None:
        ties, unit = summary.ties, method.rule.words.unit
        with_score = counted(int(ties.score), unit) if unit else "the same score"
        notes.append(
            f"Tied at the cut: {counted(ties.inside + ties.outside, 'column')} with "
            f"{with_score}; {ties.inside:,} selected and {ties.outside:,} not, decided by "
            f"{method.rule.ties_words}."
        )
    representation = summary.representation
    isolated = representation and isolated_note(summary, representation)
    if isolated:
        notes.append(isolated)
    notes += _better(summary)
    if not method.measure.means_alike:
        notes.append(
            f"Columns with a high value by this measure, {method.measure.words}, need not be "
            "alike: here “covered”, “nearest” and “alike” speak of a high value, not of shared "
            "information."
        )
    notes += asked_notes(summary)
    notes += _kinds_of_columns(summary)
    if summary.network is not None and len(summary.network.drawn) < summary.n_nodes:
        notes.append(
            f"The graph has {counted(summary.n_nodes, 'column')}; drawn are the "
            f"{len(summary.network.drawn):,} that are selected or joined to a selected one."
        )
    n_left_out = sum(len(names) for _, names in summary.left_out)
    if n_left_out:
        notes.append(f"{counted(n_left_out, 'column')} left out before the comparison.")
    if summary.passed_through:
        notes.append(f"Not compared, but kept in the output: {listed(summary.passed_through)}.")
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
    named = {name for _, names in summary.left_out for name in names}
    in_network = set(features.nodes.tolist())
    outside = sum(
        i not in in_network and name not in named for i, name in enumerate(features.names)
    )
    if outside:
        why_not = [f"{features.names[i]} ({why})" for i, why in summary.reasons.items()]
        notes.append(f"{counted(outside, 'column')} took no part: {listed(why_not)}.")
    return notes


def _stability(resampled: Resampled | None) -> str:
    """Say how much a selection depends on the sample."""
    if resampled is None:
        return ""
    n = resampled.n_resamples
    if resampled.phi is None or resampled.lower is None or resampled.upper is None:
        return f"Drawn anew {n:,} times, the data always gave all columns: nothing to compare."
    if resampled.phi >= _EXCELLENT:
        verdict = "much the same columns"
    elif resampled.phi >= _POOR:
        verdict = "the same columns in part"
    else:
        verdict = "rather different columns"
    sizes = (
        f"{resampled.least:,}"
        if resampled.least == resampled.most
        else f"between {resampled.least:,} and {resampled.most:,}"
    )
    return (
        f"Drawn anew {n:,} times, the data gave {verdict}: stability {resampled.phi:.2f} "
        f"({percent(resampled.level)} interval {resampled.lower:.2f} to {resampled.upper:.2f}), "
        "where 1 is the same columns every time and 0 is what chance gives. Each time "
        f"{sizes} columns were chosen."
    )


REDUNDANCY_SCORE = ScoreWords(
    "Explains anew",
    "the number of columns that none before it explains",
    "columns explained anew",
    unit="column",
    axis="columns, best first",
)


"""What a score is called where only redundant columns are left out."""


def redundancy_sentence(share: float) -> str:
    """Say how columns are put in order where only redundant ones are left out."""
    return (
        "Each next column is the one that explains most of those that none explains yet, each "
        f"to at least {percent(share)}; columns that were not needed in the end were given up."
    )


def asked_notes(summary: SelectionSummary) -> list[str]:
    """Say what was forced, excluded, limited and asked for."""
    features, notes = summary.features, []
    if len(features.forced):
        forced = listed([features.names[i] for i in features.forced])
        given = " The others were chosen given these." if summary.representation else ""
        if summary.judged:
            notes.append(f"In the list: {forced}. What could be added is ranked given these.")
        else:
            notes.append(f"Forced: {forced}.{given}")
    if len(features.excluded):
        excluded = listed([features.names[i] for i in features.excluded])
        cannot = "It" if len(features.excluded) == 1 else "They"
        but = f", but {'is' if cannot == 'It' else 'are'} to be represented"
        if summary.representation is None:
            but = ""
        done = "added" if summary.judged else "selected"
        notes.append(f"Excluded: {excluded}. {cannot} cannot be {done}{but}.")
    notes += [*_limits(summary), *_size(summary)]
    return notes


def _limits(summary: SelectionSummary) -> list[str]:
    asked, features, notes = summary.asked, summary.features, []
    adjective, columns = "selected", "selected columns"
    if summary.judged:
        adjective, columns = "in the list", "columns of the list"
    if asked.at_most is not None:
        free = f" ({counted(asked.n_free, 'column')} in no group)" if asked.n_free else ""
        notes.append(
            f"At most {asked.at_most:,} {adjective} of each of "
            f"{counted(asked.n_groups, 'group')}{free}."
        )
    if asked.max_similarity is not None:
        notes.append(
            f"No two {columns} are more alike than {asked.max_similarity:g} "
            f"({summary.method.measure.words})."
        )
    if features.most < features.n_features:
        within_budget = isinstance(asked.size, Budget)
        why = "within the budget" if within_budget else "under these constraints"
        notes.append(
            f"At most {counted(features.most, 'column')} can be {adjective} together {why}: the "
            "slider ends there."
        )
    return notes


def _size(summary: SelectionSummary) -> list[str]:
    asked, size = summary.asked, summary.asked.size
    if isinstance(size, UntilCoverage):
        return [
            f"Asked for: the fewest columns of the ranking that cover {percent(size.coverage)}."
        ]
    if isinstance(size, Budget):
        return [
            f"Asked for: the most coverage within a budget of {size.total:g}; "
            f"{asked.spent:g} of it spent."
        ]
    if not isinstance(size, MinShare):
        return []
    wanted = (
        "Asked for: leave out only columns of which a selected one explains at least "
        f"{percent(size.share)}."
    )
    if not asked.n_redundant:
        return [f"{wanted} There is none."]
    notes = [wanted]
    if asked.unexplained:
        notes.append(
            f"Left out, and explained by no selected one: {listed(asked.unexplained)}."
        )
    return notes


def coverage_words(method: Method, said: Mapping[str, str]) -> str:
    """Say what "coverage_words" means, for a caption."""
    by = f"the {said['column']} that represents it"
    if method.rule.explains_together and method.redundant_from is None:
        by = f"all {said['columns']} together"
    return (
        f"Represented: how much of a column's variance is explained by {by}, on average over all "
        f"columns. A {said['column']} represents itself fully."
    )


def above(method: Method) -> str:
    """Say what a link must be to count, after "a link"."""
    if method.redundant_from is not None:
        return f"that explains {percent(method.redundant_from)} or more"
    rule = method.rule
    by_chance = (rule.needs.scale or rule.explains_together) and method.measure.knows_chance
    return "stronger than chance explains" if by_chance else "of any weight"


def meaning(summary: SelectionSummary, representation: Representation) -> str:
    """Say what the selected columns represent."""
    if nothing_to_choose_by(summary, representation):
        return (
            f"No two columns of {summary.table_name} have a link {above(summary.method)}, so "
            "there is nothing to choose by: every column represents itself alone."
        )
    n = summary.n_selected
    said = (
        f"{counted(n, 'column')} drawn at random represent{'s' if n == 1 else ''} "
        f"{percent(summary.random_share)} on average."
    )
    if summary.method.redundant_from is None:
        return said
    what = "Only what is redundant was left out."
    return f"{what if summary.asked.n_redundant else 'Nothing is redundant.'} {said}"


def nothing_to_choose_by(summary: SelectionSummary, representation: Representation) -> bool:
    """Whether all columns are isolated."""
    all_isolated = len(representation.isolated) == summary.n_nodes > 1
    return all_isolated and summary.method.redundant_from is None


def rest_of_ranking(summary: SelectionSummary, representation: Representation) -> str:
    """Say what the columns past the automatic end are; empty where there is no such end."""
    features, end = summary.features, summary.end
    if end is None or end >= features.most:
        return ""
    past = features.order[end : features.most]
    past = past[np.isin(past, features.nodes)]
    n_isolated = int(np.isin(past, representation.isolated).sum())
    kinds = []
    if len(past) > n_isolated:
        kinds.append(
            f"{counted(len(past) - n_isolated, 'second representative')} (of groups that have one)"
        )
    if n_isolated:
        kinds.append(f"{counted(n_isolated, 'isolated column')}")
    return f"Past the automatic end at {end:,}: {' and '.join(kinds)}."


def isolated_note(summary: SelectionSummary, representation: Representation) -> str | None:
    """Say how many columns are isolated, why, and what became of them."""
    n = len(representation.isolated)
    if not n:
        return None
    selected = summary.features.order[: summary.n_selected]
    n_selected = int(np.isin(representation.isolated, selected).sum())
    adjective = "in the list" if summary.judged else "selected"
    if n_selected == n:
        fate = f"It is {adjective}." if n == 1 else f"All of them are {adjective}."
    elif n_selected:
        fate = f"{n_selected:,} of them {'is' if n_selected == 1 else 'are'} {adjective}."
    elif summary.judged:
        fate = f"{'It is not' if n == 1 else 'None of them is'} in the list."
    else:
        fate = f"{'It is' if n == 1 else 'They are'} left out."
    if summary.method.redundant_from is not None:
        return (
            f"{counted(n, 'column')} {'is' if n == 1 else 'are'} isolated: no other column "
            f"explains {percent(summary.method.redundant_from)} or more of "
            f"{'it' if n == 1 else 'them'}. {fate}"
        )
    return (
        f"{counted(n, 'column')} {'is' if n == 1 else 'are'} isolated, with no link "
        f"{above(summary.method)}: no other column can represent "
        f"{'it' if n == 1 else 'them'}. {fate}"
    )
