"""The sentences about columns that stand for others: rule "coverage"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topofs.report.selection.phrases import counted, percent

if TYPE_CHECKING:
    from topofs.report.selection.standing import Standing
    from topofs.report.selection.summary import SelectionSummary

__all__ = ["COVERED", "above", "isolated_note", "meaning", "ranked"]

COVERED = (
    "Covered: how much of a column's variance is explained by the kept column that stands for "
    "it, on average over all columns. A kept column stands for itself fully."
)
"""What "covered" means, for a caption."""

_REACHES = {
    "paths": "along the links of the network",
    "edges": "among its neighbours in the network",
    "similarity": "among all columns, linked or not",
}


def above(similarity: str) -> str:
    """Say what a link must be to count, after "a link".

    Parameters
    ----------
    similarity : str
        The measure; one that was given has no noise floor.

    Returns
    -------
    str
    """
    given = similarity in ("precomputed", "callable")
    return "of any weight" if given else "stronger than chance explains"


def meaning(summary: SelectionSummary, standing: Standing) -> str:
    """Say what was selected and why it is that many.

    Parameters
    ----------
    summary : SelectionSummary
        The numbers.
    standing : Standing
        Its part about who stands for whom.

    Returns
    -------
    str
    """
    if len(standing.isolated) == summary.network.n_nodes > 1:
        return (
            f"No two columns of {summary.table_name} have a link "
            f"{above(summary.method.similarity)}, so there is nothing to choose by: every column "
            "stands for itself alone."
        )
    one = summary.n_selected == 1
    share = percent(float(summary.share[summary.n_selected]))
    return (
        f"{'It was' if one else 'They were'} chosen to stand for the others: "
        f"{'it covers' if one else 'together they cover'} {share} of what varies in "
        f"{summary.table_name}. {_why_so_many(summary, standing)}"
    ).rstrip()


def _why_so_many(summary: SelectionSummary, standing: Standing) -> str:
    n, stop = summary.n_selected, standing.stop
    if not standing.asked_for:
        if n == summary.features.n_features:
            return ""
        kept = " Columns that stand alone are kept." if standing.isolated_kept else ""
        return (
            "The next column would explain no more than itself, so the selection stopped there "
            f"by itself.{kept}"
        )
    if n == stop:
        return "That is also where the selection stops by itself."
    if n < stop:
        return (
            f"You asked for {n:,}; by itself the selection would go on to {stop:,}, while a "
            "column explains more than itself."
        )
    return (
        f"You asked for {n:,}; by itself the selection would stop at {stop:,}, where the next "
        "column explains no more than itself."
    )


def ranked(standing: Standing) -> str:
    """Say how columns were put in order.

    Parameters
    ----------
    standing : Standing
        How far a column may speak.

    Returns
    -------
    str
        One sentence.
    """
    return (
        "The first column kept is the one that stands for most "
        f"{_REACHES[standing.reach]}, each next one the one that adds most to that."
    )


def isolated_note(summary: SelectionSummary, standing: Standing) -> str | None:
    """Say how many columns stand alone, why, and what became of them.

    Parameters
    ----------
    summary : SelectionSummary
        The numbers.
    standing : Standing
        Its part about who stands for whom.

    Returns
    -------
    str or None
        None where there are none.
    """
    n = len(standing.isolated)
    if not n:
        return None
    selected = summary.features.order[: summary.n_selected]
    n_kept = int(np.isin(standing.isolated, selected).sum())
    if n_kept == n:
        fate = "It is kept." if n == 1 else "All of them are kept."
    elif n_kept:
        fate = f"{n_kept:,} of them {'is' if n_kept == 1 else 'are'} kept."
    else:
        fate = f"{'It was' if n == 1 else 'They were'} left out."
    return (
        f"{counted(n, 'column')} {'stands' if n == 1 else 'stand'} alone, with no link "
        f"{above(summary.method.similarity)}: no other column can stand for "
        f"{'it' if n == 1 else 'them'}. {fate}"
    )
