"""What a selection says: how far it reaches, why it ends, who represents whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from topofs.cli.fitting import Fitted
    from topofs.selection import Group, TopologicalFeatureSelector

__all__ = [
    "Represented",
    "alone_names",
    "groups_as_json",
    "headline",
    "isolated_columns",
    "isolated_names",
    "members_in_words",
    "reached_coverage",
    "represented_columns",
    "stopping",
]


@dataclass(frozen=True)
class Represented:
    """Who represents a column: a line of the file of ``topofs groups``.

    Attributes
    ----------
    column : str
        The column.
    representative : str or None
        The selected column that represents it; itself where it is selected.
    share : float
        The share of its variance that the representative explains.
    selected, forced : bool
        Whether it is selected, and whether by the user's wish.
    isolated : bool
        Whether it is like no other column.
    """

    column: str
    representative: str | None
    share: float
    selected: bool
    forced: bool
    isolated: bool


def represented_columns(found: Fitted) -> list[Represented]:
    """Say who represents each of the columns, in their order.

    Parameters
    ----------
    found : Fitted
        A fit by a rule with groups.

    Returns
    -------
    list of Represented
    """
    selector, names = found.selector, found.compared.names
    representative, share = selector.representative_, selector.shares_
    forced = set(selector.forced_.tolist())
    isolated = set(isolated_columns(selector).tolist())
    return [
        Represented(
            column=name,
            representative=names[representative[i]] if representative[i] >= 0 else None,
            share=float(share[i]),
            selected=bool(selector.support_[i]),
            forced=i in forced,
            isolated=i in isolated,
        )
        for i, name in enumerate(names)
    ]


def reached_coverage(found: Fitted) -> float | None:
    """Tell the share of the variance of all columns that the selected ones represent.

    Parameters
    ----------
    found : Fitted
        Any fit.

    Returns
    -------
    float or None
        None where the rule has no groups.
    """
    if not found.selector.has_groups:
        return None
    return float(found.selector.shares_[found.selector.nodes_].mean())


def stopping(found: Fitted) -> dict[str, Any]:
    """Say why as many columns were selected.

    Parameters
    ----------
    found : Fitted
        Any fit.

    Returns
    -------
    dict
        What was asked for (None: half), the reason, what the automatic size is, and what
        the best column that is not selected would add; None where the rule cannot tell.
    """
    selector = found.selector
    size, rule = selector.n_features_to_select, selector.rule_
    return {
        "size": size,
        "reason": _reason(selector),
        "auto": selector.at("auto").n_features_ if rule.has_end else None,
        "next_adds": _next_adds(selector) if rule.has_groups else None,
    }


def headline(found: Fitted) -> str:
    """Say in a line or two how many columns were selected and why as many.

    Parameters
    ----------
    found : Fitted
        Any fit.

    Returns
    -------
    str
        Ready to print.
    """
    from topofs.cli.messages import shown
    from topofs.selection.short_names import graph_of

    selector = found.selector
    n_selected, size = selector.n_features_, selector.n_features_to_select
    start = f"{n_selected} of {len(found.compared.names)} columns of {shown(found.table.name)}"
    why = stopping(found)
    ending = "" if why["auto"] is None else f"; -k auto would select {why['auto']}"
    if size == "auto":
        ending = f"; {why['reason']}"
    if not selector.has_groups:
        half = " (half of them: -k says how many)" if size is None else ""
        words, title = selector.rule_.words.short, graph_of(selector.graph).title
        return f"{start}, by {shown(words)} in the {shown(title)}{half}{ending}"
    verb = "represents" if n_selected == 1 else "represent"
    return f"{start} {verb} {reached_coverage(found):.0%} of the variance of all{ending}"


def members_in_words(group: Group, *, most: int) -> str:
    """List the columns that a selected one represents, the largest share first.

    Parameters
    ----------
    group : Group
        The selected column and those it represents.
    most : int
        How many to name.

    Returns
    -------
    str
        Ready to print.
    """
    from topofs.cli.messages import shown

    if not group.members:
        return "itself"
    named = [f"{shown(m.name)} {m.share:.2f}" for m in group.members[:most]]
    more = len(group.members) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def groups_as_json(found: Fitted) -> list[dict[str, Any]]:
    """Give the selected columns, each with those it represents, as JSON can hold them.

    Parameters
    ----------
    found : Fitted
        A fit by a rule with groups.

    Returns
    -------
    list of dict
    """
    selector = found.selector
    return [
        {
            "name": group.name,
            "rank": group.rank,
            "forced": group.position in selector.forced_,
            "adds": float(selector.scores_[group.position]),
            "members": [{"name": m.name, "share": m.share} for m in group.members],
        }
        for group in selector.groups_
    ]


def isolated_names(found: Fitted) -> list[str]:
    """Name the columns that share with no other more than chance explains.

    Parameters
    ----------
    found : Fitted
        Any fit.

    Returns
    -------
    list of str
    """
    return [found.compared.names[column] for column in isolated_columns(found.selector)]


def alone_names(found: Fitted) -> list[str]:
    """Name the columns that have neighbours, none of which reaches a selected column.

    Parameters
    ----------
    found : Fitted
        A fit by a rule with groups.

    Returns
    -------
    list of str
    """
    return [
        column.column
        for column in represented_columns(found)
        if column.representative is None and not column.isolated
    ]


def isolated_columns(selector: TopologicalFeatureSelector) -> npt.NDArray[np.int64]:
    """Find the isolated columns of a fit.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted.

    Returns
    -------
    array of int
        Their positions; none where the rule cannot tell.
    """
    import numpy as np

    return getattr(selector, "isolated_", np.empty(0, dtype=np.int64))


def _reason(selector: TopologicalFeatureSelector) -> str:
    size, rule = selector.n_features_to_select, selector.rule_
    if size is None:
        return "half of the columns: give -k"
    if size != "auto":
        return "as many as asked for"
    isolated = isolated_columns(selector)
    if len(isolated) == len(selector.nodes_):
        return "no two columns share more than chance explains"
    if len(selector.forced_) == selector.n_features_:
        return "the forced columns are enough"
    reason = rule.end_words or "the ranking ends there"
    if rule.keeps_isolated and len(isolated):
        reason += ", and isolated ones are selected, too"
    return reason


def _next_adds(selector: TopologicalFeatureSelector) -> float | None:
    """What the best column that is not selected would add."""
    rest = (~selector.support_).nonzero()[0].tolist()
    if not rest:
        return None
    return float(selector.scores_[min(rest, key=selector.ranking_.__getitem__)])
