"""What a selection by coverage says: how far it reaches, why it ends, who stands for whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topofs.cli.fitting import Fitted
    from topofs.selection import Group

__all__ = [
    "Standing",
    "groups_as_json",
    "headline",
    "isolated_names",
    "members_in_words",
    "reached_coverage",
    "standing_columns",
    "stopping",
]


@dataclass(frozen=True)
class Standing:
    """Who stands for a column: a line of the file of ``topofs groups``.

    Attributes
    ----------
    column : str
        The column.
    representative : str or None
        The selected column that stands for it; itself where it is selected.
    weight : float
        The share of its variance that the representative explains.
    selected, isolated : bool
        Whether it is selected, and whether it is like no other column.
    """

    column: str
    representative: str | None
    weight: float
    selected: bool
    isolated: bool


def standing_columns(found: Fitted) -> list[Standing]:
    """Say who stands for each of the columns, in their order.

    Parameters
    ----------
    found : Fitted
        A fit by coverage.

    Returns
    -------
    list of Standing
    """
    selector, names = found.selector, found.compared.names
    owners, weights = selector.representative_, selector.representative_weight_
    alone = set(selector.isolated_.tolist())
    return [
        Standing(
            column=name,
            representative=names[owners[i]] if owners[i] >= 0 else None,
            weight=float(weights[i]),
            selected=bool(selector.support_[i]),
            isolated=i in alone,
        )
        for i, name in enumerate(names)
    ]


def reached_coverage(found: Fitted) -> float | None:
    """Tell the share of the variance of all columns that the selected ones stand for.

    Parameters
    ----------
    found : Fitted
        Any fit.

    Returns
    -------
    float or None
        None where the rule is not coverage.
    """
    if found.settings.rule != "coverage":
        return None
    return float(found.selector.representative_weight_[found.selector.nodes_].mean())


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
        the best column that is not selected would add.
    """
    selector, size = found.selector, found.settings.size
    if found.settings.rule != "coverage":
        reason = "half of the columns: give -k" if size is None else "as many as asked for"
        return {"size": size, "reason": reason, "auto": None, "next_gain": None}
    rest = sorted((selector.ranking_[~selector.support_]).tolist())
    gains = {rank: float(selector.scores_[i]) for i, rank in enumerate(selector.ranking_)}
    auto = selector.at("auto").n_features_
    if size != "auto":
        reason = "as many as asked for"
    elif len(selector.isolated_) == len(selector.nodes_):
        reason = "no two columns share more than chance explains"
    elif len(selector.kept_) == selector.n_features_:
        reason = "the columns to keep are enough"
    else:
        reason = "the next column would explain no more than itself"
        if found.settings.isolated == "keep" and len(selector.isolated_):
            reason += ", and isolated ones are kept"
    return {
        "size": size,
        "reason": reason,
        "auto": auto,
        "next_gain": gains[rest[0]] if rest else None,
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

    n_selected, settings = found.selector.n_features_, found.settings
    start = f"{n_selected} of {len(found.compared.names)} columns of {shown(found.table.name)}"
    why = stopping(found)
    if settings.rule != "coverage":
        half = " (half of them: -k says how many)" if settings.size is None else ""
        return f"{start}, by {settings.centrality} in the {settings.graph.upper()}{half}"
    share = reached_coverage(found)
    verb = "stands" if n_selected == 1 else "stand"
    first = f"{start} {verb} for {share:.0%} of the variance of all;"
    if settings.size == "auto":
        return f"{first} {why['reason']}"
    return f"{first} -k auto would select {why['auto']}"


def members_in_words(group: Group, *, most: int) -> str:
    """List the columns that a selected one stands for, strongest first.

    Parameters
    ----------
    group : Group
        The selected column and those it stands for.
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
    named = [f"{shown(m.name)} {m.weight:.2f}" for m in group.members[:most]]
    more = len(group.members) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def groups_as_json(found: Fitted) -> list[dict[str, Any]]:
    """Give the selected columns, each with those it stands for, as JSON can hold them.

    Parameters
    ----------
    found : Fitted
        A fit by coverage.

    Returns
    -------
    list of dict
    """
    return [
        {
            "name": group.name,
            "rank": group.rank,
            "gain": float(found.selector.scores_[group.position]),
            "members": [{"name": m.name, "weight": m.weight} for m in group.members],
        }
        for group in found.selector.groups_
    ]


def isolated_names(found: Fitted) -> list[str]:
    """Name the columns that share with no other more than chance explains.

    Parameters
    ----------
    found : Fitted
        A fit by coverage.

    Returns
    -------
    list of str
    """
    return [found.compared.names[column] for column in found.selector.isolated_]
