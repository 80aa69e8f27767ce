"""Arguments and options that several commands take.

To add a setting of the selection: a field of `SelectionSettings`, an option of `settings` here.
"""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topofs.cli.setting_checks import check_settings, published

if TYPE_CHECKING:
    from topofs.selection import SelectionSettings
    from topofs.tables import ColumnRoles

__all__ = [
    "Centrality",
    "Graph",
    "Isolated",
    "Json",
    "Quiet",
    "Reach",
    "Rule",
    "Similarity",
    "Size",
    "TableName",
    "Ties",
    "parse_share",
    "parse_size",
    "roles",
    "settings",
]


class Similarity(StrEnum):
    """The measures that can be chosen."""

    auto = "auto"
    pearson = "pearson"
    spearman = "spearman"
    energy = "energy"
    mixed = "mixed"
    mutual_information = "mutual_information"


class Rule(StrEnum):
    """How columns are ranked."""

    coverage = "coverage"
    degree = "degree"


class Reach(StrEnum):
    """Whom a column stands for."""

    paths = "paths"
    edges = "edges"
    similarity = "similarity"


class Isolated(StrEnum):
    """What becomes of columns that are like no other."""

    drop = "drop"
    keep = "keep"


class Graph(StrEnum):
    """The families of graphs."""

    tmfg = "tmfg"
    pmfg = "pmfg"
    mst = "mst"


class Centrality(StrEnum):
    """The scores of a node."""

    degree = "degree"
    strength = "strength"
    eigenvector = "eigenvector"
    pagerank = "pagerank"
    closeness = "closeness"
    betweenness = "betweenness"


class Ties(StrEnum):
    """What decides between equal scores."""

    strength = "strength"
    position = "index"


def parse_size(text: str) -> float | str:
    """Read a number of columns, a fraction of them, or "auto".

    Parameters
    ----------
    text : str
        "auto", a whole number from 1, a fraction in (0, 1] written with a point, or a
        percentage.

    Returns
    -------
    str, int or float

    Examples
    --------
    >>> parse_size("auto"), parse_size("10"), parse_size("0.25"), parse_size("25%")
    ('auto', 10, 0.25, 0.25)
    """
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


def parse_share(text: str) -> float:
    """Read a number from 0 to 1.

    Parameters
    ----------
    text : str
        The number.

    Returns
    -------
    float

    Examples
    --------
    >>> parse_share("0.3")
    0.3
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise typer.BadParameter(f"{text!r} is not a number from 0 to 1")
    return number


def _choice(text: str) -> Any:
    """An option that takes a name; its help lists the names, the default first."""
    return typer.Option(metavar="NAME", help=text, show_default=False)


TableName = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Parquet, .mat or .npz file; - is standard input.",
        show_default=False,
    ),
]
Size = Annotated[
    # float, str or None: typer knows no such union, and the parser decides.
    Any,
    typer.Option(
        "-k",
        parser=parse_size,
        metavar="auto|N|FRACTION",
        help="How many columns; auto, the default, stops by itself.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def settings(
    *,
    rule: Annotated[
        Rule | None, _choice("Rank by: coverage (who stands for others), degree.")
    ] = None,
    reach: Annotated[
        Reach | None, _choice("Stand for others along: paths, edges, similarity.")
    ] = None,
    isolated: Annotated[
        Isolated | None, _choice("Columns that are like no other: drop, keep.")
    ] = None,
    similarity: Annotated[
        Similarity | None,
        _choice("Of two columns: auto, pearson, spearman, mixed, mutual_information, energy."),
    ] = None,
    squared: Annotated[
        bool,
        typer.Option(
            "--squared/--no-squared",
            help="Let opposite columns count as alike, or not.",
            show_default=False,
        ),
    ] = True,
    alpha: Annotated[
        float,
        typer.Option(
            parser=parse_share,
            metavar="0..1",
            help="For energy: weight of the dispersion; 0.5.",
            show_default=False,
        ),
    ] = 0.5,
    graph: Annotated[Graph | None, _choice("The network: tmfg, pmfg, mst.")] = None,
    centrality: Annotated[
        Centrality | None,
        _choice("degree, strength, eigenvector, pagerank, closeness or betweenness."),
    ] = None,
    ties: Annotated[Ties | None, _choice("Order equal scores by: strength, index.")] = None,
    paper: Annotated[
        bool, typer.Option("--paper", help="The published method: by degree; half by default.")
    ] = False,
) -> SelectionSettings:
    """Collect the settings of a selection."""
    from topofs.selection import SelectionSettings

    given: dict[str, Any] = {
        name: choice.value
        for name, choice in {
            "rule": rule,
            "reach": reach,
            "isolated": isolated,
            "similarity": similarity,
            "graph": graph,
            "centrality": centrality,
            "ties": ties,
        }.items()
        if choice is not None
    }
    if paper:
        given = published(given)
    check_settings(given)
    return SelectionSettings(squared=squared, alpha=alpha, **given)


def roles(
    *,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Not to select from; passed through to --out."),
    ] = None,
    identifier: Annotated[
        list[str] | None,
        typer.Option("--id", metavar="COLUMN", help="Likewise. Repeatable, as the next two."),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Left out of everything.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Selected in any case."),
    ] = None,
) -> ColumnRoles:
    """Collect the roles of columns."""
    from topofs.tables import ColumnRoles

    return ColumnRoles(
        target=target,
        identifiers=tuple(identifier or ()),
        drop=tuple(drop or ()),
        keep=tuple(dict.fromkeys(keep or ())),
    )
