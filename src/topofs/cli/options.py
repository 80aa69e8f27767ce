"""Arguments and options that several commands take.

The options of a selection are those of the estimator: the ones of its terms come from the terms
(`topofs.cli.term_options`), the others stand here.

Options that say what a user constraints of a selection: which columns, and how far it goes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topofs.cli.messages import in_options
from topofs.cli.term_options import NOTHING, chosen_parameters, name_option, takes_parameter
from topofs.terms import DEFAULTS

if TYPE_CHECKING:
    from topofs.io import ColumnRoles, ComparableTable
    from topofs.io.read import ReadOptions
    from topofs.selection import AtMost, TopologicalFeatureSelector


__all__ = [
    "ConstraintOptions",
    "Exclude",
    "Json",
    "Quiet",
    "TableName",
    "Time",
    "check_jobs",
    "constraints",
    "how",
    "how_to_open",
    "limits",
    "names_given",
    "names_in_file",
    "parse_share",
    "parse_size",
    "roles",
    "settings",
    "size",
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
    from topofs.runtime import parse_memory
    from topofs.selection import TopologicalFeatureSelector
    from topofs.selection.compatibility import (
        TERMS,
        check_terms,
        check_threshold,
        graph_for,
        measure_of,
        rule_of,
    )

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
    from topofs.io import ColumnRoles

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
) -> ReadOptions:
    """Say how the file is to be read, and what its columns mean."""
    opened = how_to_open(decimal=decimal, layer=layer, max_size=max_size)
    return replace(opened, dates_as_numbers=dates is not None)


def how_to_open(
    *, decimal: _Decimal = None, layer: _Layer = None, max_size: _MaxSize = None
) -> ReadOptions:
    """Say how the file is to be read."""
    from topofs.io.read import ReadOptions
    from topofs.runtime import parse_memory

    known = ReadOptions(layer=layer, decimal=decimal)
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


_HEADERS = ("column", "feature", "gene", "name", "variable", "item", "asset")


# More than the names of any table, or what belongs to them; a device has no end.
_MAX_BYTES = 1 << 26


@dataclass(frozen=True)
class ConstraintOptions:
    """What a user constraints of a selection; `keep` and `exclude` are names and patterns."""

    keep: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    at_most: AtMost | None = None
    max_similarity: float | None = None

    def roles(self, roles: ColumnRoles) -> ColumnRoles:
        """Add the constraints to the roles of columns."""
        return replace(roles, keep=self.keep, exclude=self.exclude)

    def settle(self, selector: TopologicalFeatureSelector, compared: ComparableTable) -> None:
        """Hand the constraints to a selector, in the names of the columns that take part."""
        there = set(compared.names)
        selector.set_params(
            keep=list(compared.roles.keep) or None,
            exclude=[name for name in compared.roles.exclude if name in there] or None,
            at_most=self.at_most,
            max_similarity=self.max_similarity,
        )


def parse_share(text: str) -> float:
    """Read a share, such as 0.9 or 90%: above 0, at most 1."""
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise typer.BadParameter(f"{text!r} is no share such as 0.9 or 90%: above 0, at most 1")
    return share


_Keep = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help='Forced. A name, a pattern "x*", or @FILE.'),
]


Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Never selected, but to be represented."),
]


_AtMost = Annotated[
    int | None,
    typer.Option(metavar="N", help="Of each group; --groups FILE.csv (column, group)."),
]


_Groups = Annotated[
    Path | None,
    typer.Option("--groups", metavar="FILE.csv", help="Column and group.", hidden=True),
]


_MaxSimilarity = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", help="No two selected columns are more alike."),
]


_Size = Annotated[
    # float, str or None: typer knows no such union, and the parser decides.
    Any,
    typer.Option(
        "-k",
        parser=parse_size,
        metavar="auto|N|FRACTION",
        help="How many; auto, the default, stops by itself.",
        show_default=False,
    ),
]


def constraints(
    *,
    keep: _Keep = None,
    exclude: Exclude = None,
    at_most: _AtMost = None,
    group_file: _Groups = None,
    max_similarity: _MaxSimilarity = None,
) -> ConstraintOptions:
    """Collect what is wished."""
    found = limits(
        exclude=exclude, at_most=at_most, group_file=group_file, max_similarity=max_similarity
    )
    return replace(found, keep=names_given(keep, option="--keep"))


def limits(
    *,
    exclude: Exclude = None,
    at_most: _AtMost = None,
    group_file: _Groups = None,
    max_similarity: _MaxSimilarity = None,
) -> ConstraintOptions:
    """Collect what may not be selected."""
    from topofs.selection import AtMost

    if (at_most is None) != (group_file is None):
        given, other = ("--at-most", "--groups FILE.csv") if group_file is None else (
            "--groups", "--at-most N"
        )  # fmt: skip
        raise ValueError(f"{given} goes together with {other}: give both, or none")
    excluded = names_given(exclude, option="--exclude")
    limit = None
    if at_most is not None and group_file is not None:
        with in_options():
            limit = AtMost(at_most, of=_by_column(group_file, option="--groups"))
    return ConstraintOptions(exclude=excluded, at_most=limit, max_similarity=max_similarity)


def size(
    *,
    k: _Size = None,
    coverage: Annotated[
        Any,
        typer.Option(
            parser=parse_share,
            metavar="SHARE",
            help="Or as few as represent this share of all.",
        ),
    ] = None,
    min_share: Annotated[
        Any,
        typer.Option(
            parser=parse_share,
            metavar="SHARE",
            help="Or leave out only what another explains so far.",
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            metavar="TOTAL", help="Or what this pays; --cost FILE.csv (column, cost)."
        ),
    ] = None,
    cost: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Column and cost.", hidden=True)
    ] = None,
) -> Any:
    """Settle how far the selection goes."""
    from topofs.selection import Budget, MinShare, UntilCoverage

    sizes = {"-k": k, "--coverage": coverage, "--min-share": min_share, "--budget": budget}
    given = [option for option, value in sizes.items() if value is not None]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} are two sizes: give one of them")
    if cost is not None and budget is None:
        raise ValueError("--cost goes together with --budget TOTAL: give both, or none")
    with in_options():
        if coverage is not None:
            return UntilCoverage(coverage)
        if min_share is not None:
            return MinShare(min_share)
        if budget is not None:
            return Budget(budget, None if cost is None else _costs(cost))
    return k


def names_given(given: list[str] | None, *, option: str) -> tuple[str, ...]:
    """Read the names that an option was given; those of a file where it says ``@FILE``."""
    found: list[str] = []
    for name in given or ():
        if name.startswith("@") and len(name) > 1:
            found += names_in_file(Path(name[1:]), option=option)
        else:
            found.append(name)
    return tuple(dict.fromkeys(found))


def names_in_file(path: Path, *, option: str) -> list[str]:
    """Read a file of one name a line."""
    try:
        lines = _text_of(path, given=f"{option} @{path}").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{option} @{path}: is no text in UTF-8; give one name a line"
        ) from error
    names = [line.strip() for line in lines if line.strip()]
    if not names:
        raise ValueError(f"{option} @{path}: the file is empty; give one name a line")
    return names


def _text_of(path: Path, *, given: str) -> str:
    """Read a file whole, also a pipe; one that is too long for its purpose is refused."""
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
    except OSError as error:
        reason = "there is no such file" if not path.exists() else error.strerror
        raise ValueError(f"{given}: {reason}") from error
    if len(raw) > _MAX_BYTES:
        raise ValueError(
            f"{given}: has more than {_MAX_BYTES >> 20} MB, which no list of columns has"
        )
    return raw.decode("utf-8-sig")


def _costs(path: Path) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, written in _by_column(path, option="--cost").items():
        try:
            found[name] = float(written)
        except ValueError:
            raise ValueError(
                f"--cost {path}: the column {name!r} costs {written!r}, which is no number"
            ) from None
    return found


def _by_column(path: Path, *, option: str) -> dict[str, str]:
    """Read a table of two columns: the name of a column, and what belongs to it.

    The first row is a header where it begins with a word for a column.
    """
    import csv
    from io import StringIO

    try:
        text = _text_of(path, given=f"{option} {path}")
        mark = next((mark for mark in "\t;," if mark in text.partition("\n")[0]), ",")
        lines = StringIO(text, newline="")
        rows = [row for row in csv.reader(lines, delimiter=mark) if any(row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{option} {path}: is no CSV file in UTF-8 ({error})") from error
    has_header = bool(rows) and rows[0][0].strip().lower() in _HEADERS
    if len(rows) == has_header:
        raise ValueError(
            f"{option} {path}: the file is empty; give a header and one column a line"
        )
    found: dict[str, str] = {}
    for line, row in enumerate(rows[has_header:], start=1 + has_header):
        if len(row) != 2:
            raise ValueError(
                f"{option} {path}: row {line} has {len(row)} fields; give two, the name of a "
                f"column and its {option.removeprefix('--').removesuffix('s')}"
            )
        name, value = row[0].strip(), row[1].strip()
        if found.setdefault(name, value) != value:
            raise ValueError(f"{option} {path}: the column {name!r} is there twice")
    return {name: value for name, value in found.items() if value}
