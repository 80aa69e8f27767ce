"""Arguments and options that several commands take.

The options of a selection are those of the estimator: the ones of its terms come from the terms
(`topofs.cli.term_options`), the others stand here.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topofs.cli.spoken import in_options
from topofs.cli.term_options import NOTHING, chosen_parameters, name_option, takes_parameter
from topofs.terms import DEFAULTS

if TYPE_CHECKING:
    from topofs.selection import TopologicalFeatureSelector
    from topofs.tables import ColumnRoles
    from topofs.tables.how_to_read import HowToRead

__all__ = [
    "Json",
    "Quiet",
    "TableName",
    "Time",
    "check_jobs",
    "how",
    "how_to_open",
    "parse_size",
    "roles",
    "settings",
]

_MARKS = {mark: mark for mark in (",", ".")}
_DATES = {"numbers": "numbers"}
_THRESHOLDS = {"auto": "auto", "mean": "mean", "none": NOTHING}
_SETTLED_BY_PAPER = ("threshold", "graph", "rule")


def parse_size(text: str) -> float | str:
    """Read a number of columns, a fraction of them such as 0.25 or 25%, or "auto"."""
    if text == "auto":
        return text
    try:
        number = Decimal(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ArithmeticError:
        number = Decimal(0)
    if text.isdecimal() and number >= 1:
        return int(text)
    if not number.is_finite() or not 0 < float(number) <= 1:
        raise typer.BadParameter(
            f"{text!r} is neither a number of columns such as 10 nor a fraction such as 0.25, "
            "nor auto"
        )
    return float(number)


def _parse_carriers(text: str) -> int | str:
    """Read a number of rows, or "auto"."""
    if text != "auto" and not text.isdecimal():
        raise typer.BadParameter(f"{text!r} is neither a number of rows such as 20 nor auto")
    return text if text == "auto" else int(text)


def check_jobs(jobs: int) -> None:
    """Refuse a number of processes that means nothing."""
    if jobs == 0 or jobs < -1:
        raise typer.BadParameter(f"{jobs} is not a number of processes; give 1 or more, or -1")


TableName = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Parquet, .h5ad, .mat, .npz; - is stdin.",
        show_default=False,
    ),
]
Time = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Rows are ordered by it: numbers or ISO dates."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def settings(
    *,
    threshold: Annotated[
        Any, name_option("Cut weak similarities at: auto, mean, none.", _THRESHOLDS)
    ] = None,
    min_carriers: Annotated[
        Any,
        typer.Option(
            parser=_parse_carriers,
            metavar="auto|N",
            help="Least rows unlike a column's usual value.",
            show_default=False,
            hidden=True,
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Such as 2GB; else half. A GPU: --device cuda."),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Where to multiply: cpu, cuda, cuda:1 and so on.",
            hidden=True,
        ),
    ] = None,
    paper: Annotated[
        bool, typer.Option("--paper", help="The published method; half the columns by default.")
    ] = False,
    **terms: Any,
) -> TopologicalFeatureSelector:
    """Put a selector together from what was given; the rest is as the estimator has it."""
    from topofs.memory_size import parse_memory
    from topofs.selection import TopologicalFeatureSelector
    from topofs.selection.fitting_terms import check_terms, check_threshold, graph_for
    from topofs.selection.short_names import TERMS, measure_of, rule_of

    given = {
        name: None if value is NOTHING else value
        for name, value in (terms | {"threshold": threshold}).items()
        if value is not None
    }
    selector = TopologicalFeatureSelector()
    if paper:
        selector = TopologicalFeatureSelector.paper()
        _check_settled(given, by=rule_of(selector.rule).name)
    own = {name: given.pop(name) for name in (*TERMS, "threshold") if name in given}
    with in_options():
        parse_memory(memory)
        selector.set_params(memory=memory, device=device or "auto", **own)
        if min_carriers is not None:
            selector.set_params(min_carriers=min_carriers)
        chosen: dict[str, Any] = {
            kind: term(getattr(selector, kind)) for kind, term in TERMS.items()
        }
        ranked_by = graph_for(selector.graph, rule_of(selector.rule))
        nested = chosen_parameters(given, chosen | {"graph": ranked_by or chosen["graph"]})
        if any(name.startswith("graph__") for name in nested):
            # Of the graph that the rule ranks by, where none is named.
            selector.set_params(graph=ranked_by)
        selector.set_params(**nested)
        check_threshold(selector.threshold)
        rule = rule_of(selector.rule)
        check_terms(measure_of(selector.similarity), graph_for(selector.graph, rule), rule)
    return selector


def roles(
    *,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Not to select from; passed through to --out."),
    ] = None,
    identifier: Annotated[
        list[str] | None,
        typer.Option("--id", metavar="COLUMN", help="Likewise. Repeatable, as the next four."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Left out, as are rare ones (--min-carriers N)."),
    ] = None,
    time: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Order of the rows.", hidden=True)
    ] = None,
) -> ColumnRoles:
    """Collect the roles of columns."""
    from topofs.tables import ColumnRoles

    return ColumnRoles(
        target=target,
        identifiers=tuple(identifier or ()),
        drop=tuple(drop or ()),
        time=time,
    )


_Decimal = Annotated[
    Any, name_option('Decimal mark: "," or "."; else it is found out.', _MARKS)
]
_Layer = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The layer of an .h5ad file to take."),
]
_MaxSize = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="What a packed file unpacks to or a pipe holds at most; else 2GB.",
        hidden=True,
    ),
]


def how(
    *,
    decimal: _Decimal = None,
    dates: Annotated[
        Any, name_option("Use dates as: numbers (days). Else left out.", _DATES)
    ] = None,
    layer: _Layer = None,
    max_size: _MaxSize = None,
) -> HowToRead:
    """Say how the file is to be read, and what its columns mean."""
    opened = how_to_open(decimal=decimal, layer=layer, max_size=max_size)
    return replace(opened, dates_as_numbers=dates is not None)


def how_to_open(
    *, decimal: _Decimal = None, layer: _Layer = None, max_size: _MaxSize = None
) -> HowToRead:
    """Say how the file is to be read."""
    from topofs.memory_size import parse_memory
    from topofs.tables.how_to_read import HowToRead

    known = HowToRead(layer=layer, decimal=decimal)
    if max_size is None:
        return known
    try:
        return replace(known, max_bytes=parse_memory(max_size))
    except ValueError as error:
        raise ValueError(str(error).replace("memory is", "--max-size", 1)) from None


def _check_settled(given: dict[str, Any], *, by: str) -> None:
    """Refuse what the published method leaves no choice about."""
    free = [kind for kind in DEFAULTS if kind not in _SETTLED_BY_PAPER]
    for name in given:
        if name in free or any(takes_parameter(kind, name) for kind in free):
            continue
        raise ValueError(
            f"--paper settles --{name.replace('_', '-')}; leave one of them out (--rule {by} is "
            "the published rule with settings of your own)"
        )
