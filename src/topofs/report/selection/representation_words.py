"""The sentences about columns that represent others: rules with groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topofs.report.selection.phrases import counted, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs.report.selection.representation import Representation
    from topofs.report.selection.summary import Method, SelectionSummary

__all__ = [
    "above",
    "covered",
    "isolated_note",
    "meaning",
    "nothing_to_choose_by",
    "rest_of_ranking",
]


def covered(method: Method, said: Mapping[str, str]) -> str:
    """Say what "covered" means, for a caption."""
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
