"""Options that say what a user wishes of a selection: which columns, and how far it goes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topofs.cli.options import parse_size
from topofs.cli.spoken import in_options

if TYPE_CHECKING:
    from topofs.selection import AtMost, TopologicalFeatureSelector
    from topofs.tables import ColumnRoles, ComparableTable

__all__ = [
    "Exclude",
    "Wished",
    "limits",
    "names_given",
    "names_in_file",
    "parse_share",
    "size",
    "wishes",
]


_HEADERS = ("column", "feature", "gene", "name", "variable", "item", "asset")

# More than the names of any table, or what belongs to them; a device has no end.
_MAX_BYTES = 1 << 26


@dataclass(frozen=True)
class Wished:
    """What a user wishes of a selection; `keep` and `exclude` are names and patterns."""

    keep: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    at_most: AtMost | None = None
    max_similarity: float | None = None

    def roles(self, roles: ColumnRoles) -> ColumnRoles:
        """Add the wishes to the roles of columns."""
        return replace(roles, keep=self.keep, exclude=self.exclude)

    def settle(self, selector: TopologicalFeatureSelector, compared: ComparableTable) -> None:
        """Hand the wishes to a selector, in the names of the columns that take part."""
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


def wishes(
    *,
    keep: _Keep = None,
    exclude: Exclude = None,
    at_most: _AtMost = None,
    group_file: _Groups = None,
    max_similarity: _MaxSimilarity = None,
) -> Wished:
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
) -> Wished:
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
    return Wished(exclude=excluded, at_most=limit, max_similarity=max_similarity)


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
