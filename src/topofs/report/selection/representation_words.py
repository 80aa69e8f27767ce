"""The sentences about columns that represent others: rules with groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topofs.report.selection.phrases import counted, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs.report.selection.representation import Representation
    from topofs.report.selection.summary import Method, SelectionSummary

__all__ = ["above", "covered", "isolated_note", "meaning"]


def covered(method: Method, said: Mapping[str, str]) -> str:
    """Say what "covered" means, for a caption."""
    by = f"the {said['column']} that represents it"
    if method.rule.explains_together and method.redundant_from is None:
        by = f"all {said['columns']} together"
    return (
        f"Covered: how much of a column's variance is explained by {by}, on average over all "
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
    redundant_from = summary.method.redundant_from
    if redundant_from is None and len(representation.isolated) == summary.network.n_nodes > 1:
        return (
            f"No two columns of {summary.table_name} have a link {above(summary.method)}, so "
            "there is nothing to choose by: every column represents itself alone."
        )
    one = summary.n_selected == 1
    what = f"{'It was' if one else 'They were'} chosen to represent the others"
    if redundant_from is not None:
        what = "Only what is redundant was left out"
        if not summary.asked.left_out:
            what = "Nothing is redundant"
    share = percent(float(summary.share[summary.n_selected]))
    start = f"{what}: {'it covers' if one else 'together they cover'}"
    if summary.judged:
        start = "The list covers"
    return (
        f"{start} {share} of what varies in "
        f"{summary.table_name}; random lists of {summary.n_selected:,}: "
        f"{percent(summary.random_share)}."
    )


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
