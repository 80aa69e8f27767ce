"""The summary of a selection, as text and as JSON.

It gives the number of selected columns, the reason for it, their coverage, and the columns that
each represents.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from topofs.cli.options import offered
from topofs.text import joined

if TYPE_CHECKING:
    from topofs.cli.fitting import Fitted
    from topofs.selection import Group, TopologicalFeatureSelector

SHOWN_NAMES = 10
"""Number of columns of a list that are named; the others are counted."""

_LEAST_NAMED_SHARE = 0.01


@dataclass(frozen=True)
class RepresentedColumn:
    """The representative of a column, and the share: a line of ``topofs groups``' file.

    A selected column represents itself.
    """

    column: str
    representative: str | None
    share: float
    selected: bool
    forced: bool
    isolated: bool


def represented_columns(found: Fitted) -> list[RepresentedColumn]:
    """Give the representative of each column, in their order."""
    selector, names = found.selector, found.compared.names
    representative = selector.representative_.tolist()
    share, selected = selector.shares_.tolist(), selector.support_.tolist()
    forced, isolated = set(selector.forced_.tolist()), set(found.isolated.tolist())
    return [
        RepresentedColumn(
            column=name,
            representative=names[representative[i]] if representative[i] >= 0 else None,
            share=share[i],
            selected=selected[i],
            forced=i in forced,
            isolated=i in isolated,
        )
        for i, name in enumerate(names)
    ]


def check_groups(selector: TopologicalFeatureSelector) -> None:
    """Refuse a rule without groups."""
    from topofs.selection.compatibility import rule_of

    rule = rule_of(selector.rule)
    if not rule.has_groups:
        able = [name for name, known in offered("rule").items() if rule_of(known).has_groups]
        raise ValueError(
            f"by {rule.name} no column represents another, so there are no groups: choose "
            f"--rule {' or '.join(able)}, and leave --paper out"
        )


def headline(found: Fitted) -> list[str]:
    """Give the size of the selection, the reason for it, and the coverage, in a line or two."""
    from topofs.constraints import Size
    from topofs.selection.compatibility import graph_for

    selector = found.selector
    n_selected, size = selector.n_features_, selector.n_features_to_select
    start = f"{n_selected} of {len(found.compared.names)} columns of {found.table.name}"
    auto = _auto_selection(selector)
    ending = "" if auto is None else f"; -k auto would select {auto.n_features_}"
    if size == "auto" or isinstance(size, Size):
        ending = f"; {_reason(found)}"
    if not selector.has_groups:
        half = " (half of them: -k says how many)" if size is None else ""
        family = graph_for(selector.graph, selector.rule_, size)
        title = "" if family is None else family.title
        return [f"{start}, by {selector.rule_.words.short} in the {title}{half}{ending}"]
    verb = "represents" if n_selected == 1 else "represent"
    assert found.random_lists is not None
    randomly = f"random lists of {n_selected}: {found.random_lists.mean:.1%}"
    line = (
        f"{start} {verb} {_coverage(selector):.0%} of the variance of all; {randomly}{ending}"
    )
    lines = [line]
    if found.relevance_held is not None:
        held, by_chance = found.relevance_held
        lines.append(
            f"{n_selected} {'holds' if n_selected == 1 else 'hold'} {held:.0%} of what all "
            f"columns say about {found.compared.roles.target}, one by one; random lists of "
            f"{n_selected}: {by_chance.mean:.1%}"
        )
    beyond = None if auto is None else _beyond_auto(found, auto)
    return lines if beyond is None else [*lines, _format_beyond(n_selected, beyond)]


def coverage_as_json(found: Fitted) -> dict[str, Any]:
    """Give the coverage of the selection and of random lists, and the reason for its size."""
    from topofs.selection.compatibility import plain_size

    selector, random = found.selector, found.random_lists
    auto = _auto_selection(selector)
    return {
        "coverage": _coverage(selector) if selector.has_groups else None,
        "random_coverage": None if random is None else asdict(random),
        "relevance": relevance_as_json(found),
        "stopping": {
            "size": plain_size(selector.n_features_to_select),
            "reason": _reason(found),
            "auto": None if auto is None else auto.n_features_,
            "beyond_auto": None if auto is None else _beyond_auto(found, auto),
            "next_adds": _next_adds(selector) if selector.rule_.has_groups else None,
        },
    }


def relevance_as_json(found: Fitted) -> dict[str, Any] | None:
    """Give what the selected columns say about the target; None if it plays no part."""
    selector = found.selector
    if found.target is None:
        return None
    held, random = found.relevance_held or (None, None)
    return {
        "target": found.target.name,
        "held": held,
        "random": None if random is None else asdict(random),
        "columns": [
            {"name": name, "relevance": value}
            for name, value in zip(
                found.compared.names, selector.relevance_.tolist(), strict=True
            )
        ],
    }


def groups_as_json(found: Fitted) -> list[dict[str, Any]]:
    """Give the selected columns, each with the columns that it represents."""
    selector = found.selector
    return [
        {
            "name": group.name,
            "rank": group.rank,
            "forced": group.position in selector.forced_,
            "adds": float(selector.scores_[group.position]),
            "members": members_as_json(group),
        }
        for group in selector.groups_
    ]


def members_as_json(group: Group) -> list[dict[str, Any]]:
    """Give the columns that a selected one represents, with their shares."""
    return [{"name": member.name, "share": member.share} for member in group.members]


def format_members(group: Group, *, most: int) -> str:
    """List the columns that a selected one represents, the largest share first."""
    from topofs.selection.answers import REPRESENTS

    # Shares below one percent are counted with the rest, not named.
    named = [m for m in group.members[:most] if m.share >= _LEAST_NAMED_SHARE]
    much = [f"{m.name} {m.share:.2f}" for m in named if m.share >= REPRESENTS]
    little = [f"{m.share:.0%} with {m.name}" for m in named if m.share < REPRESENTS]
    more = len(group.members) - len(named)
    words = ", ".join(much) or "itself"
    words += f"; shares {', '.join(little)}" if little else ""
    return words + (f" and {more} more" if more else "")


def isolated_names(found: Fitted) -> list[str]:
    """Name the isolated columns."""
    return [found.compared.names[column] for column in found.isolated]


def unrepresented_names(found: Fitted) -> list[str]:
    """Name the columns that have neighbours, none of which reaches a selected column."""
    return [
        column.column
        for column in represented_columns(found)
        if column.representative is None and not column.isolated
    ]


def _coverage(selector: TopologicalFeatureSelector) -> float:
    """The share of the variance of all columns that the selected ones represent."""
    return float(selector.explained_[selector.nodes_].mean())


def _auto_selection(selector: TopologicalFeatureSelector) -> TopologicalFeatureSelector | None:
    """The selection of size "auto"; None if the ranking has no automatic end."""
    from topofs.constraints import size_of

    other_ranking = size_of(selector.n_features_to_select).has_own_ranking
    return selector.at("auto") if selector.rule_.has_end and not other_ranking else None


def _beyond_auto(found: Fitted, auto: TopologicalFeatureSelector) -> dict[str, int] | None:
    """Count the kinds of the columns that "auto" does not select; None if there are none.

    Second columns of groups are those that a column of "auto" represents.
    """
    import numpy as np

    selector = found.selector
    if not selector.has_groups:
        return None
    # With relevance, the columns beyond are those that say less about the target.
    if found.target is not None:
        return None
    beyond = selector.support_ & ~auto.support_
    isolated = np.isin(np.arange(len(beyond)), found.isolated)
    second = auto.representative_ >= 0
    counts = {
        "isolated": int((beyond & isolated).sum()),
        "second": int((beyond & ~isolated & second).sum()),
        "alone": int((beyond & ~isolated & ~second).sum()),
    }
    return counts if any(counts.values()) else None


def _format_beyond(n_selected: int, beyond: dict[str, int]) -> str:
    n_beyond = sum(beyond.values())
    first = n_selected - n_beyond
    one, many = "a second column of a group", "second columns of groups"
    kinds = [
        f"{n} {'is' if n == 1 else 'are'} {said}"
        for n, said in (
            (beyond["isolated"], "isolated"),
            (beyond["second"], one if beyond["second"] == 1 else many),
            (beyond["alone"], "linked to none of these"),
        )
        if n
    ]
    verb = "is" if first == 1 else "are"
    return (
        f"{first} {verb} what -k auto selects; of the other {n_beyond}, {joined(kinds, 'and')}"
    )


def _reason(found: Fitted) -> str:
    """Give the reason for the number of selected columns."""
    from topofs.constraints import size_of

    selector = found.selector
    size, rule = selector.n_features_to_select, selector.rule_
    if size is None:
        reason = "half of the columns: give -k"
    elif (share := size_of(size).least_coverage) is not None:
        reason = f"the shortest top of the ranking with coverage {share:.4g} or more"
    elif (share := size_of(size).redundant_from) is not None:
        reason = f"a selected column explains at least {share:.4g} of each column left out"
    elif (cost := size_of(size).costs(selector.feature_names_in_.tolist())) is not None:
        spent, budget = cost[selector.support_].sum(), size_of(size).budget
        reason = f"they cost {spent:g} of the budget of {budget:g}"
    elif size != "auto":
        reason = "as many as asked for"
    elif found.target is not None:
        reason = f"no other column would add more about {found.target.name} than chance gives"
    elif len(found.isolated) == len(selector.nodes_):
        reason = "no two columns share more than chance explains"
    elif len(selector.forced_) == selector.n_features_:
        reason = "the forced columns are enough"
    else:
        reason = rule.end_words or "the ranking ends there"
        if rule.keeps_isolated and len(found.isolated):
            reason += ", and isolated ones are selected, too"
    return reason


def _next_adds(selector: TopologicalFeatureSelector) -> float | None:
    """The gain of the best column that is not selected."""
    rest = (~selector.support_).nonzero()[0].tolist()
    if not rest:
        return None
    return float(selector.scores_[min(rest, key=selector.ranking_.__getitem__)])
