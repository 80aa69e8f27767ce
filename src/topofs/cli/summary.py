"""What a selection says: how far it reaches, why it ends, who represents whom.

Columns that alone tell the target, found in a table and said.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from topofs.cli.messages import shown
from topofs.cli.term_options import offered

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from topofs.cli.fitting import Fitted
    from topofs.cli.messages import Messages
    from topofs.comparison.leakage import Leak
    from topofs.comparison.prediction import Target
    from topofs.constraints import Size
    from topofs.io import ComparableTable, Table
    from topofs.selection import Group, TopologicalFeatureSelector


__all__ = [
    "SHOWN_LEAKS",
    "SHOWN_NAMES",
    "Represented",
    "alone_names",
    "check_groups",
    "groups_as_json",
    "headline",
    "isolated_columns",
    "isolated_names",
    "leaks_as_json",
    "leaks_by_missing",
    "leaks_in",
    "members_in_words",
    "names_in_words",
    "random_coverage",
    "reached_coverage",
    "represented_columns",
    "stopping",
]


SHOWN_NAMES = 10


"""How many columns that are represented by none are named."""


_WORTH_NAMING = 0.01


@dataclass(frozen=True)
class Represented:
    """Who represents a column, and how much of its variance: a line of ``topofs groups``' file.

    A selected column represents itself; an isolated one is like no other.
    """

    column: str
    representative: str | None
    share: float
    selected: bool
    forced: bool
    isolated: bool


def represented_columns(found: Fitted) -> list[Represented]:
    """Say who represents each of the columns, in their order."""
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
    """Tell the share of the variance of all columns that the selected ones represent."""
    if not found.selector.has_groups:
        return None
    return float(found.selector.explained_[found.selector.nodes_].mean())


def random_coverage(found: Fitted) -> dict[str, Any] | None:
    """Tell the coverage of random lists of as many columns, as JSON can hold it."""
    return None if found.random_lists is None else asdict(found.random_lists)


def check_groups(selector: TopologicalFeatureSelector) -> None:
    """Refuse a rule by which no column represents another."""
    from topofs.selection.compatibility import rule_of

    rule = rule_of(selector.rule)
    if not rule.has_groups:
        able = [name for name, known in offered("rule").items() if rule_of(known).has_groups]
        raise ValueError(
            f"by {rule.name} no column represents another, so there are no groups: choose "
            f"--rule {' or '.join(able)}, and leave --paper out"
        )


def stopping(found: Fitted) -> dict[str, Any]:
    """Say why as many columns were selected."""
    from topofs.selection import Budget, MinShare
    from topofs.selection.compatibility import plain_size

    selector = found.selector
    size, rule = selector.n_features_to_select, selector.rule_
    # The ranking of these two is one of its own.
    has_end = rule.has_end and not isinstance(size, (Budget, MinShare))
    auto = selector.at("auto") if has_end else None
    return {
        "size": plain_size(size),
        "reason": _reason(selector),
        "auto": None if auto is None else auto.n_features_,
        "beyond_auto": None if auto is None else _beyond(selector, auto),
        "next_adds": _next_adds(selector) if rule.has_groups else None,
    }


def _beyond(
    selector: TopologicalFeatureSelector, auto: TopologicalFeatureSelector
) -> dict[str, int] | None:
    """Count what the columns are that "auto" does not select; None where there are none.

    Second columns of groups are those that a column of "auto" represents.
    """
    if not selector.has_groups:
        return None
    beyond = selector.support_ & ~auto.support_
    isolated = beyond.copy()
    isolated[:] = False
    isolated[isolated_columns(selector)] = True
    second = auto.representative_ >= 0
    counts = {
        "isolated": int((beyond & isolated).sum()),
        "second": int((beyond & ~isolated & second).sum()),
        "alone": int((beyond & ~isolated & ~second).sum()),
    }
    return counts if any(counts.values()) else None


def _beyond_in_words(n_selected: int, beyond: dict[str, int]) -> str:
    """Say what the columns are that "auto" does not select."""
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
    listed = " and ".join(filter(None, [", ".join(kinds[:-1]), kinds[-1]]))
    verb = "is" if first == 1 else "are"
    return f"{first} {verb} what -k auto selects; of the other {n_beyond}, {listed}"


def headline(found: Fitted) -> str:
    """Say in a line or two how many columns were selected, why as many, and what they are."""
    from topofs.constraints import Size
    from topofs.selection.compatibility import graph_for

    selector = found.selector
    n_selected, size = selector.n_features_, selector.n_features_to_select
    start = f"{n_selected} of {len(found.compared.names)} columns of {shown(found.table.name)}"
    why = stopping(found)
    ending = "" if why["auto"] is None else f"; -k auto would select {why['auto']}"
    if size == "auto" or isinstance(size, Size):
        ending = f"; {why['reason']}"
    if not selector.has_groups:
        half = " (half of them: -k says how many)" if size is None else ""
        family = graph_for(selector.graph, selector.rule_, size)
        title = "" if family is None else family.title
        words = selector.rule_.words.short
        return f"{start}, by {shown(words)} in the {shown(title)}{half}{ending}"
    verb = "represents" if n_selected == 1 else "represent"
    covered = f"{reached_coverage(found):.0%} of the variance of all"
    assert found.random_lists is not None
    by_chance = f"random lists of {n_selected}: {found.random_lists.mean:.1%}"
    if why["beyond_auto"] is not None:
        ending += f"\n{_beyond_in_words(n_selected, why['beyond_auto'])}"
    return f"{start} {verb} {covered}; {by_chance}{ending}"


def members_in_words(group: Group, *, most: int) -> str:
    """List the columns that a selected one represents, the largest share first."""
    from topofs.selection.answers import REPRESENTS

    # What is less than one percent is counted with the rest, not named.
    named = [m for m in group.members[:most] if m.share >= _WORTH_NAMING]
    much = [f"{shown(m.name)} {m.share:.2f}" for m in named if m.share >= REPRESENTS]
    little = [f"{m.share:.0%} with {shown(m.name)}" for m in named if m.share < REPRESENTS]
    more = len(group.members) - len(named)
    words = ", ".join(much) or "itself"
    words += f"; shares {', '.join(little)}" if little else ""
    return words + (f" and {more} more" if more else "")


def names_in_words(names: Sequence[str]) -> str:
    """List names, and count those beyond the first ten."""
    named = ", ".join(shown(name) for name in names[:SHOWN_NAMES])
    more = len(names) - SHOWN_NAMES
    return f"{named} and {more} more" if more > 0 else named


def groups_as_json(found: Fitted) -> list[dict[str, Any]]:
    """Give the selected columns, each with those it represents, as JSON can hold them."""
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
    """Name the columns that share with no other more than chance explains."""
    return [found.compared.names[column] for column in isolated_columns(found.selector)]


def alone_names(found: Fitted) -> list[str]:
    """Name the columns that have neighbours, none of which reaches a selected column."""
    return [
        column.column
        for column in represented_columns(found)
        if column.representative is None and not column.isolated
    ]


def isolated_columns(selector: TopologicalFeatureSelector) -> npt.NDArray[np.int64]:
    """Find the isolated columns of a fit."""
    import numpy as np

    return getattr(selector, "isolated_", np.empty(0, dtype=np.int64))


def _size_in_words(size: Size, selector: TopologicalFeatureSelector) -> str:
    """Say why a size that is more than a number gave as many columns."""
    from topofs.selection import Budget, MinShare, UntilCoverage

    if isinstance(size, UntilCoverage):
        return f"fewer of the ranking do not reach {size.coverage:.4g}"
    if isinstance(size, MinShare):
        return f"of every other column a selected one explains {size.share:.4g}"
    assert isinstance(size, Budget)
    names = selector.feature_names_in_.tolist()
    spent = size.costs(names, len(names))[selector.support_].sum()
    return f"they cost {spent:g} of the budget of {size.total:g}"


def _reason(selector: TopologicalFeatureSelector) -> str:
    from topofs.constraints import Size

    size, rule = selector.n_features_to_select, selector.rule_
    if size is None:
        return "half of the columns: give -k"
    if isinstance(size, Size):
        return _size_in_words(size, selector)
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


SHOWN_LEAKS = 6


"""How many of them are printed."""


def leaks_in(table: Table, compared: ComparableTable, messages: Messages) -> tuple[Leak, ...]:
    """Find the columns that alone tell the target of a table, and say which.

    There is none without a target; one that nothing can predict is named with the reason.
    """
    from topofs.comparison.leakage import find_leaks
    from topofs.comparison.prediction import target_of
    from topofs.errors import TableError
    from topofs.io.table import column_values

    target = compared.roles.target
    if target is None:
        return ()
    with messages.working("looking for columns that alone tell the target"):
        try:
            labels = column_values(table, target)
            values = target_of(labels if compared.order is None else labels[compared.order])
        except TableError as error:
            why = str(error).partition(";")[0]
            messages.note(f"whether a column alone predicts {target} was not tried: {why}")
            return ()
        leaks = find_leaks(
            compared.named,
            values,
            exclude=compared.roles.exclude,
            also_missing=_missing(table, compared),
        )
    messages.notes(leak.sentence(target) for leak in leaks[:SHOWN_LEAKS])
    if len(leaks) > SHOWN_LEAKS:
        more = len(leaks) - SHOWN_LEAKS
        messages.note(f"{more} more alone predict it; --json and the report list them all")
    return leaks


def leaks_as_json(leaks: Sequence[Leak], target: str | None) -> list[dict[str, Any]]:
    """Give the leaks of a target, each with its sentence."""
    return [asdict(leak) | {"sentence": leak.sentence(str(target))} for leak in leaks]


def leaks_by_missing(
    table: Table, compared: ComparableTable, target: Target
) -> tuple[Leak, ...]:
    """Find the columns that take no part and tell the target by being missing or not."""
    import numpy as np

    from topofs.comparison.leakage import find_leaks
    from topofs.io.frames import NamedArray

    nothing = NamedArray(np.empty((len(target.given), 0)), ())
    return find_leaks(
        nothing,
        target,
        exclude=compared.roles.exclude,
        also_missing=_missing(table, compared),
    )


def _missing(table: Table, compared: ComparableTable) -> dict[str, npt.NDArray[np.bool_]]:
    """Where the columns that take no part for what they hold are missing, in the order of X."""
    import polars as pl

    from topofs.io.annotated import AnnotatedTable
    from topofs.io.table import as_table_errors, columns_named
    from topofs.io.text_values import MISSING_CLASSES

    # Of the genes that take no part, which are constant, none is missing.
    genes = set(table.genes) if isinstance(table, AnnotatedTable) else set()
    names = [c.name for c in compared.left_out if not c.asked_for and c.name not in genes]
    if not names:
        return {}
    expressions = []
    for name in names:
        column, kind = columns_named([name]), table.schema[name]
        missing = column.is_null()
        if kind.is_float():
            missing |= column.is_nan()
        if kind == pl.String and table.as_written is not None:
            missing |= column.str.strip_chars().is_in(MISSING_CLASSES)
        expressions.append(missing.alias(name))
    with as_table_errors(table.name):
        frame = table.select(names).select(expressions).collect(engine="streaming")
    order = slice(None) if compared.order is None else compared.order
    return {name: frame.get_column(name).to_numpy()[order] for name in names}
