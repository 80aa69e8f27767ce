"""Options that commands share: options of terms, and groups of options for one value.

A term (a measure, a graph, a rule) has an option for each of its parameters; this module names
no particular term. A term registered by a ``--load`` file or by another distribution gets its
options in the same way.

A group is a function of keyword-only options, such as `settings`, which returns a selector. A
`command` has a parameter for this value, and the options on its command line.
"""

from __future__ import annotations

import csv
import functools
import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, fields
from decimal import Decimal
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypedDict, Union, get_args, get_origin, get_type_hints

import typer

from topofs.cli.messages import Messages, error_translation
from topofs.errors import import_extra
from topofs.terms import DEFAULTS, registered
from topofs.text import joined, suggest

if TYPE_CHECKING:
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import AtLeast, AtMost, TopologicalFeatureSelector
    from topofs.terms import Term

NOTHING = object()
"""The value of an option where the user wrote "none"; None is an option that was not given."""

_NONE = "none"
_KINDS = {"similarity": "Compare columns by", "graph": "Keep links by", "rule": "Rank by"}
_NUMBERS = {int: ("N", "a whole number"), float: ("NUMBER", "a number")}
_THRESHOLDS = {"auto": "auto", "mean": "mean", "none": NOTHING}
_SETTLED_BY_PAPER = ("threshold", "graph", "rule")
_HEADERS = ("column", "feature", "gene", "name", "variable", "item", "asset")
_MAX_BYTES = 1 << 26  # more than any list of columns; reading a device would not end


def option(
    help_text: str,
    metavar: str | None = None,
    *names: str,
    default: Any = None,
    show_default: bool | str = False,
    **further: Any,
) -> Any:
    """Describe an option of a command; ``default=...`` marks a required option.

    The help shows a default that is a number.
    """
    shown = show_default or type(default) is int
    return typer.Option(
        default, *names, metavar=metavar, help=help_text, show_default=shown, **further
    )


def name_option(
    help_text: str,
    choices: Mapping[str, Any] | Iterable[str],
    *,
    default: Any = None,
    hidden: bool = False,
) -> Any:
    """Describe an option with a choice of names, which a shell can complete."""
    values = choices if isinstance(choices, Mapping) else {name: name for name in choices}

    def parse(text: str) -> Any:
        if text in values:
            return values[text]
        near = suggest(text, values)
        advice = f"; {near}" if near else ""
        raise typer.BadParameter(f"{text!r} is none of {', '.join(values)}{advice}")

    def complete(incomplete: str) -> list[str]:
        return [name for name in values if name.startswith(incomplete)]

    return option(
        help_text,
        "NAME",
        default=default,
        parser=parse,
        autocompletion=complete,
        hidden=hidden,
    )


# Groups of options, and the commands that take them.


def command(
    example: str, **groups: Callable[..., Any]
) -> Callable[[Callable[..., None]], typer.Typer]:
    """Make a command from a function; parameters named in `GROUPS` become groups of options.

    Such a parameter gets the value of the group; `groups` override those in `GROUPS`. If a
    group takes ``**terms``, the options of the terms come first. Arguments fixed by a
    `functools.partial` are not options.
    """

    def make(function: Callable[..., None]) -> typer.Typer:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        known = {
            name: group
            for name, group in (GROUPS | groups).items()
            if name in inspect.signature(function).parameters
        }
        app.command(epilog=f"Example:  topofs {example}")(_CommandWithGroups(function, known))
        return app

    return make


class _CommandWithGroups:
    """A command as typer sees it: a function that takes the options of its groups."""

    def __init__(
        self, command: Callable[..., None], groups: Mapping[str, Callable[..., Any]]
    ) -> None:
        functools.update_wrapper(self, command)
        del vars(self)["__wrapped__"]  # typer would read its signature
        self.__annotations__ = {}  # of types that are imported for type checkers only
        self.command, self.groups = command, groups
        self.own = _parameters(command, without=groups)

    def __call__(self, *arguments: Any, **given: Any) -> None:
        for name, group in self.groups.items():
            mine = {known: given.pop(known) for known in _options_of(group) if known in given}
            given[name] = group(**mine)
        self.command(*arguments, **given)

    @property
    def __signature__(self) -> inspect.Signature:
        return _signature(self)


def forget_term_options() -> None:
    """Rebuild the options of the terms at the next use, because a term was registered."""
    for made_once in (_load_installed, offered, _options_of, _signature):
        made_once.cache_clear()


@functools.cache
def _signature(command: _CommandWithGroups) -> inspect.Signature:
    joined: dict[str, inspect.Parameter] = {}
    for name, parameter in command.own.items():
        group = command.groups.get(name)
        options = {name: parameter} if group is None else _options_of(group)
        _check_distinct(joined, options)
        joined |= options
    return inspect.Signature(list(joined.values()))


@functools.cache
def _options_of(group: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    settled: Iterable[str] = ()
    if isinstance(group, functools.partial):
        settled = group.keywords
        group = group.func
    own = _parameters(group)
    options = {
        name: one
        for name, one in own.items()
        if one.kind is not one.VAR_KEYWORD and name not in settled
    }
    if all(one.kind is not one.VAR_KEYWORD for one in own.values()):
        return options
    terms = _term_options()
    _check_distinct(terms, options)
    return terms | options


def _check_distinct(options: Iterable[str], others: Iterable[str]) -> None:
    for name in set(options) & set(others):
        raise ValueError(
            f"the option --{name.replace('_', '-')} is there twice: give the parameter of the "
            "term another name, or option=False"
        )


def _parameters(
    function: Callable[..., Any], *, without: Iterable[str] = ()
) -> dict[str, inspect.Parameter]:
    """Give the parameters, with evaluated annotations except those of some parameters."""
    parameters = inspect.signature(function).parameters
    written = {name: one.annotation for name, one in parameters.items() if name not in without}
    stand_in = SimpleNamespace(__annotations__=written)
    hints = get_type_hints(stand_in, globalns=function.__globals__)
    return {
        name: one.replace(annotation=hints.get(name, Any)) for name, one in parameters.items()
    }


# Options of the terms.


@functools.cache
def offered(kind: str) -> dict[str, Term]:
    """Give the terms that can be chosen for a table in a file, the default first."""
    _load_installed()
    known = {
        name: term
        for name, term in registered(kind).items()
        if getattr(term, "takes_table", True)
    }
    first = DEFAULTS[kind]
    return {first: known[first]} | known


@functools.cache
def _load_installed() -> None:
    """Let other distributions register their terms; the search is slow."""
    registered("similarity", installed=True)


def changed_options(term: Term, other: Term) -> str:
    """Give the options that change one term into another, such as "--reach edges"."""
    before = term.get_params()
    return " ".join(
        _as_option(name, value)
        for name, value in other.get_params().items()
        if value != before[name]
    )


def _term_options() -> dict[str, inspect.Parameter]:
    """The options of all terms: per kind, one for the name, then one for each parameter."""
    options: dict[str, inspect.Parameter] = {}
    for kind, words in _KINDS.items():
        terms = offered(kind)
        names = name_option(f"{words}: {', '.join(terms)}.", list(terms))
        options[kind] = _as_parameter(kind, names)
        takers: dict[str, list[str]] = {}
        for term_name, term in terms.items():
            for parameter in _parameters_of(term):
                takers.setdefault(parameter, []).append(term_name)
        for parameter, able in takers.items():
            only_for = [] if DEFAULTS[kind] in able else able
            options.setdefault(parameter, _term_option(terms[able[0]], parameter, only_for))
    return options


def _as_parameter(name: str, described: Any, kind: Any = Any) -> inspect.Parameter:
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=described, annotation=kind)


def _term_option(term: Term, name: str, only_for: Sequence[str]) -> inspect.Parameter:
    """The option of a parameter of a term; its help names the terms where not all take it."""
    described = _parameters_of(term)[name]
    allowed = _allowed_types(described, type(term))
    help_text = described.metadata.get("help") or ""
    if only_for:
        help_text = f"For {joined(only_for, 'or')}: {help_text[:1].lower()}{help_text[1:]}"
    if type(described.default) in _NUMBERS:
        help_text += f" [default: {described.default}]"
    help_text = help_text.strip()
    if bool in allowed:
        both = "/".join([_as_option(name, value) for value in (True, False)])
        return _as_parameter(name, option(help_text, None, both), bool | None)
    choices = described.metadata.get("choices")
    if choices is not None:
        named = {
            _NONE if value is None else str(value): NOTHING if value is None else value
            for value in choices
        }
        return _as_parameter(name, name_option(help_text, named))
    numbers = [kind for kind in _NUMBERS if kind in allowed]
    metavar = _NUMBERS[numbers[0]][0] if numbers else "TEXT"

    def parse(text: str) -> Any:
        if types.NoneType in allowed and text == _NONE:
            return NOTHING
        for kind in numbers:
            try:
                return kind(text)
            except ValueError:
                continue
        if not numbers or str in allowed:
            return text
        known = [_NUMBERS[kind][1] for kind in numbers]
        known += [_NONE] if types.NoneType in allowed else []
        raise typer.BadParameter(f"{text!r} is not {' or '.join(known)}")

    return _as_parameter(name, option(help_text, metavar, parser=parse))


def _parameters_of(term: Term) -> Mapping[str, Field[Any]]:
    """The parameters of a term that the command line offers."""
    return {known.name: known for known in fields(term) if known.metadata.get("option")}


def _allowed_types(described: Field[Any], owner: type) -> tuple[type, ...]:
    try:
        hint = get_type_hints(owner)[described.name]
    except (NameError, AttributeError):
        # Its type is imported for type checkers only.
        hint = type(described.default)
    members = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    return tuple(member for member in members if isinstance(member, type))


def _takers(name: str) -> str:
    """Name the terms that take a parameter, such as "--similarity pearson or spearman"."""
    by_kind = {
        kind: [term for term, known in offered(kind).items() if name in _parameters_of(known)]
        for kind in _KINDS
    }
    return " or ".join(
        f"--{kind} {joined(able, 'or')}" for kind, able in by_kind.items() if able
    )


def _as_option(name: str, value: Any) -> str:
    """Write a value as it is given on the command line, such as "--no-squared"."""
    name = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{name}" if value else f"--no-{name}"
    return f"--{name} {_NONE if value is None else value}"


# Arguments and options of single commands.


TABLE = typer.Argument(
    metavar="TABLE",
    help="CSV, TSV, Parquet, .h5ad, .mat, .npz; - is stdin.",
    show_default=False,
)
TIME = option("Rows are ordered by it: numbers or ISO dates.", "COLUMN")
EXCLUDE = option("Not selected, but represented.", "COLUMN")
JSON = option("Print the result as JSON.", None, "--json", default=False)


def printing(
    *,
    as_json: bool = JSON,
    quiet: bool = option("Print nothing but errors.", None, "--quiet", "-q", default=False),
) -> Messages:
    """Make the printer of the result and the notes."""
    return Messages(quiet=quiet, as_json=as_json)


def check_jobs(jobs: int) -> None:
    """Refuse an invalid number of processes."""
    if jobs == 0 or jobs < -1:
        raise typer.BadParameter(f"{jobs} is not a number of processes; give 1 or more, or -1")


# How many columns.


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


def _parse_share(text: str) -> float:
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise typer.BadParameter(f"{text!r} is no share such as 0.9 or 90%: above 0, at most 1")
    return share


def size(
    *,
    k: Any = option(
        "How many columns. auto, the default: by its rule.",
        "auto|N|FRACTION",
        "-k",
        parser=parse_size,
    ),
    coverage: Any = option(
        "Or the fewest columns with this coverage.", "SHARE", parser=_parse_share
    ),
    min_share: Any = option(
        "Or leave out columns explained to this share.", "SHARE", parser=_parse_share
    ),
    budget: float | None = option("Or a total cost; --cost FILE.csv (column, cost).", "TOTAL"),
    cost: Path | None = option("Column and cost.", "FILE.csv", hidden=True),
) -> Any:
    """Make `n_features_to_select` from the options; None if none was given."""
    from topofs.selection import Budget, MinShare, UntilCoverage

    sizes = {"-k": k, "--coverage": coverage, "--min-share": min_share, "--budget": budget}
    given = [name for name, value in sizes.items() if value is not None]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} are two sizes: give one of them")
    if cost is not None and budget is None:
        raise ValueError("--cost goes together with --budget TOTAL: give both, or none")
    with error_translation():
        if coverage is not None:
            return UntilCoverage(coverage)
        if min_share is not None:
            return MinShare(min_share)
        if budget is not None:
            return Budget(budget, None if cost is None else _costs(cost))
    return k


# Measure, graph and rule.


def _parse_carriers(text: str) -> int | str:
    if text != "auto" and not text.isdecimal():
        raise typer.BadParameter(f"{text!r} is neither a number of rows such as 20 nor auto")
    return text if text == "auto" else int(text)


def settings(
    *,
    threshold: Any = name_option(
        "Ignore similarities below: auto, mean, none.", _THRESHOLDS, hidden=True
    ),
    min_carriers: Any = option(
        "Least rows unlike a column's usual value.",
        "auto|N",
        parser=_parse_carriers,
        hidden=True,
    ),
    relevance: Any = name_option("Columns count by what they say about: target.", ("target",)),
    memory: str | None = option("2GB or so; default: half. A GPU: --device cuda.", "SIZE"),
    device: str | None = option(
        "Where to multiply: cpu, cuda, cuda:1 and so on.", "NAME", hidden=True
    ),
    paper: bool = option(
        "The published method. Default size: half.", None, "--paper", default=False
    ),
    **terms: Any,
) -> TopologicalFeatureSelector:
    """Make a selector from the given options; other parameters keep their defaults."""
    from topofs.runtime import parse_memory
    from topofs.selection import TopologicalFeatureSelector
    from topofs.selection.compatibility import (
        TERMS,
        check_terms,
        graph_for,
        measure_of,
        rule_of,
    )
    from topofs.similarity.relevance import relevance_of

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
    further = {"min_carriers": min_carriers, "relevance": relevance}
    own |= {name: value for name, value in further.items() if value is not None}
    with error_translation():
        parse_memory(memory)
        selector.set_params(memory=memory, device=device or "auto", **own)
        chosen: dict[str, Any] = {
            kind: resolve(getattr(selector, kind)) for kind, resolve in TERMS.items()
        }
        ranked_by = graph_for(selector.graph, chosen["rule"])
        nested = _by_term(given, chosen | {"graph": ranked_by or chosen["graph"]})
        if any(name.startswith("graph__") for name in nested):
            # For the default graph of the rule, if no graph is named.
            selector.set_params(graph=ranked_by)
        selector.set_params(**nested)
        rule, measure = rule_of(selector.rule), measure_of(selector.similarity)
        weights = relevance_of(selector.relevance)
        check_terms(measure, graph_for(selector.graph, rule), rule, relevance=weights)
    return selector


def _by_term(given: Mapping[str, Any], terms: Mapping[str, Term]) -> dict[str, Any]:
    """Prefix each parameter with its kind of term, as in ``rule__reach``."""
    nested: dict[str, Any] = {}
    for name, value in given.items():
        kinds = [kind for kind, term in terms.items() if name in _parameters_of(term)]
        if not kinds:
            takers, written = _takers(name), _as_option(name, value)
            one = "one of them" if " or " in takers else "that"
            raise ValueError(
                f"{written} is for {takers}; choose {one}, or leave {written.split()[0]} out"
            )
        nested |= {f"{kind}__{name}": value for kind in kinds}
    return nested


def _check_settled(given: Iterable[str], *, by: str) -> None:
    """Refuse options that the published method fixes."""
    free = [kind for kind in DEFAULTS if kind not in _SETTLED_BY_PAPER]
    terms = [term for kind in free for term in offered(kind).values()]
    allowed = set(free).union(*(_parameters_of(term) for term in terms))
    for name in given:
        if name not in allowed:
            raise ValueError(
                f"--paper settles --{name.replace('_', '-')}; leave one of them out (--rule {by} "
                "is the published rule with settings of your own)"
            )


# Roles of the columns, and reading options.


def roles(
    *,
    target: str | None = option("Takes no part; copied to --out.", "COLUMN"),
    identifier: list[str] | None = option(
        "Takes no part; copied. Repeatable, as the next 4.", "COLUMN", "--id"
    ),
    drop: list[str] | None = option("Left out. See also --min-carriers N.", "COLUMN"),
    time: str | None = option("Order of the rows.", "COLUMN", hidden=True),
) -> ColumnRoles:
    """Collect the roles of columns."""
    from topofs.io import ColumnRoles

    return ColumnRoles(
        target=target, identifiers=tuple(identifier or ()), drop=tuple(drop or ()), time=time
    )


def read_options(
    *,
    decimal: Any = name_option('Decimal mark: "," or "."; default: detected.', (",", ".")),
    dates: Any = name_option("Dates as: numbers (days). Default: left out.", ("numbers",)),
    layer: str | None = option("Layer of an .h5ad file.", "NAME"),
    max_size: str | None = option(
        "What a packed file unpacks to or a pipe holds at most; else 2GB.", "SIZE", hidden=True
    ),
) -> ReadOptions:
    """Collect the reading options of a file."""
    import_extra("polars", extra="cli", purpose="Reading and writing tables")
    from topofs.io.read import ReadOptions
    from topofs.runtime import parse_memory

    try:
        max_bytes = None if max_size is None else parse_memory(max_size)
    except ValueError as error:
        raise ValueError(str(error).replace("memory is", "--max-size", 1)) from None
    return ReadOptions(
        layer=layer, decimal=decimal, dates_as_numbers=dates is not None, max_bytes=max_bytes
    )


# Constraints of the selection.


class ConstraintOptions(TypedDict, total=False):
    """The constraints, by the names of the selector's parameters; names may be patterns."""

    keep: tuple[str, ...]
    exclude: tuple[str, ...]
    at_most: AtMost | None
    at_least: AtLeast | None
    max_similarity: float | None


def constraints(
    *,
    keep: list[str] | None = option('Forced. A name, a pattern "x*", or @FILE.', "COLUMN"),
    exclude: list[str] | None = EXCLUDE,
    at_most: int | None = option("Most per --groups FILE.csv group; also --at-least N.", "N"),
    at_least: int | None = option("Fewest columns of each such group.", "N", hidden=True),
    group_file: Path | None = option("Column and group.", "FILE.csv", "--groups", hidden=True),
    max_similarity: float | None = option(
        "Highest similarity of two selected columns.", "NUMBER"
    ),
) -> ConstraintOptions:
    """Collect the constraints."""
    from topofs.selection import AtLeast, AtMost

    numbers: tuple[tuple[Any, int | None], ...] = ((AtMost, at_most), (AtLeast, at_least))
    given = [(kind, number) for kind, number in numbers if number is not None]
    if given and group_file is None:
        name = given[0][0].parameter.replace("_", "-")
        raise ValueError(f"--{name} goes together with --groups FILE.csv: give both, or none")
    if group_file is not None and not given:
        raise ValueError(
            "--groups goes together with --at-most N or --at-least N: give one of them, or no "
            "--groups"
        )
    limits: dict[str, Any] = {}
    if group_file is not None:
        with error_translation():
            groups = _by_column(group_file, given_to="--groups")
            limits = {kind.parameter: kind(number, of=groups) for kind, number in given}
    return {
        "keep": listed_names(keep, given_to="--keep"),
        "exclude": listed_names(exclude, given_to="--exclude"),
        "at_most": limits.get("at_most"),
        "at_least": limits.get("at_least"),
        "max_similarity": max_similarity,
    }


GROUPS: dict[str, Callable[..., Any]] = {
    "size": size,
    "selector": settings,
    "roles": roles,
    "constraints": constraints,
    "read": read_options,
    "messages": printing,
}
"""The groups by the name of their parameter."""


# Files named by options: one name per line, or a value for each column.


def listed_names(given: Iterable[str] | None, *, given_to: str) -> tuple[str, ...]:
    """Give the names of an option; for ``@FILE``, those in the file."""
    found: list[str] = []
    for name in given or ():
        if name.startswith("@") and len(name) > 1:
            found += _names_in_file(Path(name[1:]), given=f"{given_to} {name}")
        else:
            found.append(name)
    return tuple(dict.fromkeys(found))


def _names_in_file(path: Path, *, given: str) -> list[str]:
    try:
        lines = _text_of(path, given=given).splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{given}: is no text in UTF-8; give one name a line") from error
    names = [line.strip() for line in lines if line.strip()]
    if not names:
        raise ValueError(f"{given}: the file is empty; give one name a line")
    return names


def _text_of(path: Path, *, given: str) -> str:
    """Read a complete file or pipe; refuse one that is too long."""
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
    for name, written in _by_column(path, given_to="--cost").items():
        try:
            found[name] = float(written)
        except ValueError:
            raise ValueError(
                f"--cost {path}: the column {name!r} costs {written!r}, which is no number"
            ) from None
    return found


def _by_column(path: Path, *, given_to: str) -> dict[str, str]:
    """Read a table of two columns: the name of a column, and its value.

    The first row is a header if it begins with a word for a column.
    """
    given = f"{given_to} {path}"
    try:
        text = _text_of(path, given=given)
        mark = next((mark for mark in "\t;," if mark in text.partition("\n")[0]), ",")
        lines = StringIO(text, newline="")
        rows = [row for row in csv.reader(lines, delimiter=mark) if any(row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{given}: is no CSV file in UTF-8 ({error})") from error
    has_header = bool(rows) and rows[0][0].strip().lower() in _HEADERS
    if len(rows) == has_header:
        raise ValueError(f"{given}: the file is empty; give a header and one column a line")
    found: dict[str, str] = {}
    for line, row in enumerate(rows[has_header:], start=1 + has_header):
        if len(row) != 2:
            raise ValueError(
                f"{given}: row {line} has {len(row)} fields; give two, the name of a column and "
                f"its {given_to.removeprefix('--').removesuffix('s')}"
            )
        name, value = row[0].strip(), row[1].strip()
        if found.setdefault(name, value) != value:
            raise ValueError(f"{given}: the column {name!r} is there twice")
    return {name: value for name, value in found.items() if value}
