"""Options that the terms bring: a name for each kind of term, and one for each parameter.

Nothing here knows a particular measure, graph or rule. A term that is registered, by a file
that ``--load`` names or by another distribution, has its options as those of topofs have.

Options that several commands share, written once and handed over as one value.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import Field, fields
from difflib import get_close_matches
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer

from topofs.terms import DEFAULTS, registered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from topofs.terms import Term


__all__ = [
    "NOTHING",
    "changes_in_words",
    "chosen_parameters",
    "name_option",
    "offered",
    "option_groups",
    "option_words",
    "takers_in_words",
    "takes_parameter",
    "term_parameters",
    "without_options",
]


_KINDS = {
    "similarity": "Compare columns by",
    "graph": "Keep links by",
    "rule": "Rank by",
}


"""The kinds of terms, in the order of the options, each with the words before its names."""


_NUMBERS = {int: ("N", "a whole number"), float: ("NUMBER", "a number")}


"""The types that are parsed: what stands for a value in the help, and what it is called."""


_NONE = "none"


NOTHING = object()


"""What an option gives where the user wrote "none"; None is no option at all."""


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


def term_parameters() -> list[inspect.Parameter]:
    """Give the options of all terms, in the form that typer reads."""
    listed: dict[str, Any] = {}
    for kind, words in _KINDS.items():
        names = list(offered(kind))
        option = name_option(f"{words}: {', '.join(names)}.", {name: name for name in names})
        listed[kind] = Annotated[Any, option]
        for name, annotation in _options(kind).items():
            listed.setdefault(name, annotation)
    return [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
        )
        for name, annotation in listed.items()
    ]


def chosen_parameters(given: Mapping[str, Any], terms: Mapping[str, Term]) -> dict[str, Any]:
    """Tell which term each parameter that was given is for, as ``rule__reach``."""
    nested: dict[str, Any] = {}
    for name, value in given.items():
        kinds = [kind for kind, term in terms.items() if name in _described(term)]
        if not kinds:
            takers = takers_in_words(name)
            one = "one of them" if " or " in takers else "that"
            option = option_words(name, value)
            raise ValueError(
                f"{option} is for {takers}; choose {one}, or leave {option.split()[0]} out"
            )
        nested |= {f"{kind}__{name}": value for kind in kinds}
    return nested


def name_option(help_text: str, choices: Mapping[str, Any]) -> Any:
    """Give an option that takes one of some names, which a shell can complete."""

    def chosen(text: str) -> Any:
        if text in choices:
            return choices[text]
        near = get_close_matches(text, choices, n=1)
        advice = f"; did you mean {near[0]!r}?" if near else ""
        raise typer.BadParameter(f"{text!r} is none of {', '.join(choices)}{advice}")

    def completed(incomplete: str) -> list[str]:
        return [name for name in choices if name.startswith(incomplete)]

    return typer.Option(
        parser=chosen,
        autocompletion=completed,
        metavar="NAME",
        help=help_text,
        show_default=False,
    )


def option_words(name: str, value: Any) -> str:
    """Write a value as it is given on the command line, such as "--no-squared"."""
    option = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{option}" if value else f"--no-{option}"
    return f"--{option} {_NONE if value is None else value}"


def changes_in_words(term: Term, other: Term) -> str:
    """Say which options make one term of another, such as "--reach edges"."""
    before = term.get_params()
    return " ".join(
        option_words(name, value)
        for name, value in other.get_params().items()
        if value != before[name]
    )


def takers_in_words(name: str) -> str:
    """Name the terms that take a parameter, such as "--similarity pearson or spearman"."""
    by_kind = {
        kind: [term for term, known in offered(kind).items() if name in _described(known)]
        for kind in _KINDS
    }
    return " or ".join(
        f"--{kind} {_listed(takers)}" for kind, takers in by_kind.items() if takers
    )


def takes_parameter(kind: str, name: str) -> bool:
    """Whether a term of a kind takes a parameter."""
    return any(name in _described(term) for term in offered(kind).values())


def _options(kind: str) -> dict[str, Any]:
    """The options of the parameters of a kind's terms, those of the default first."""
    takers: dict[str, dict[str, Term]] = {}
    for term_name, term in offered(kind).items():
        for name in _described(term):
            takers.setdefault(name, {})[term_name] = term
    return {
        name: _option(
            name, next(iter(terms.values())), () if DEFAULTS[kind] in terms else terms
        )
        for name, terms in takers.items()
    }


def _option(name: str, term: Term, only_for: Collection[str]) -> Any:
    """What typer makes an option of a parameter of."""
    described = _described(term)[name]
    allowed = _types(described, type(term))
    help_text = _help(described, only_for)
    if bool in allowed:
        option = name.replace("_", "-")
        both = typer.Option(f"--{option}/--no-{option}", help=help_text, show_default=False)
        return Annotated[bool | None, both]
    choices = described.metadata.get("choices")
    if choices is not None:
        named = {
            _NONE if value is None else str(value): NOTHING if value is None else value
            for value in choices
        }
        return Annotated[Any, name_option(help_text, named)]
    number = next((kind for kind in _NUMBERS if kind in allowed), None)
    metavar = "TEXT" if number is None else _NUMBERS[number][0]
    parsed = typer.Option(
        parser=_parser(allowed), metavar=metavar, help=help_text, show_default=False
    )
    return Annotated[Any, parsed]


def _help(described: Field[Any], only_for: Collection[str]) -> str:
    text = described.metadata.get("help") or ""
    if only_for:
        text = f"For {_listed(only_for)}: {text[:1].lower()}{text[1:]}"
    if type(described.default) in _NUMBERS:
        text += f" [default: {described.default}]"
    return text.strip()


def _described(term: Term) -> Mapping[str, Field[Any]]:
    """The parameters of a term that the command line offers."""
    return {known.name: known for known in fields(term) if known.metadata.get("option")}


def _types(described: Field[Any], owner: type) -> tuple[type, ...]:
    """The types that a parameter may have."""
    try:
        hint = get_type_hints(owner)[described.name]
    except (NameError, AttributeError):
        # It speaks of what is imported for type checkers only.
        hint = type(described.default)
    members = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    return tuple(member for member in members if isinstance(member, type))


def _parser(allowed: tuple[type, ...]) -> Callable[[str], Any]:
    """Read a value of one of some types; the sentence of an error names them."""
    numbers = [kind for kind in _NUMBERS if kind in allowed]

    def parsed(text: str) -> Any:
        if types.NoneType in allowed and text == _NONE:
            return NOTHING
        for kind in numbers:
            try:
                return kind(text)
            except ValueError:
                continue
        if numbers and str not in allowed:
            known = [_NUMBERS[kind][1] for kind in numbers]
            known += [_NONE] if types.NoneType in allowed else []
            raise typer.BadParameter(f"{text!r} is not {' or '.join(known)}")
        return text

    return parsed


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


@cache
def _load_installed() -> None:
    """Let other distributions register their terms; to look for them takes a while."""
    registered(next(iter(_KINDS)), installed=True)


_WITHOUT = ContextVar("without_options", default=False)


def option_groups(
    **bundles: Callable[..., Any],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command take the options of a bundle in place of the parameter of that name.

    A bundle is a function of keyword-only options; the command gets what it makes of them.
    What it takes by ``**terms`` are the options of the terms, which come first. Options are
    looked up whenever the signature is, so that what was registered meanwhile is among them.
    """
    return functools.partial(_Unfolded, bundles=bundles)


@contextmanager
def without_options() -> Iterator[None]:
    """Look up no bundle while the block runs: a list of commands needs none of their options."""
    token = _WITHOUT.set(True)
    try:
        yield
    finally:
        _WITHOUT.reset(token)


class _Unfolded:
    """A command as typer sees it: a function whose signature has the options of the bundles."""

    def __init__(
        self, command: Callable[..., None], bundles: Mapping[str, Callable[..., Any]]
    ) -> None:
        functools.update_wrapper(self, command)
        # Or a signature would be that of the command itself.
        vars(self).pop("__wrapped__")
        self._command = command
        self._bundles = bundles
        self._own = _parameters(command, without=bundles)

    def __call__(self, *arguments: Any, **given: Any) -> None:
        for name, bundle in self._bundles.items():
            mine = {
                option: given.pop(option) for option in _options_of(bundle) if option in given
            }
            given[name] = bundle(**mine)
        self._command(*arguments, **given)

    @property
    def __signature__(self) -> inspect.Signature:
        parameters: dict[str, inspect.Parameter] = {}
        for name, parameter in self._own.items():
            if name not in self._bundles:
                parameters = _joined(parameters, {name: parameter})
            elif not _WITHOUT.get():
                parameters = _joined(parameters, _options_of(self._bundles[name]))
        return inspect.Signature(list(parameters.values()))

    @property
    def __annotations__(self) -> dict[str, Any]:
        # What typer reads beside the signature; no names of modules are needed.
        parameters = self.__signature__.parameters
        return {name: parameter.annotation for name, parameter in parameters.items()}

    @__annotations__.setter
    def __annotations__(self, _: Any) -> None:
        """Those of the command are evaluated elsewhere."""


def _options_of(bundle: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    given = _parameters(bundle)
    options = {name: one for name, one in given.items() if one.kind is not one.VAR_KEYWORD}
    if len(options) == len(given):
        return options

    return _joined({option.name: option for option in term_parameters()}, options)


def _joined(
    some: dict[str, inspect.Parameter], others: dict[str, inspect.Parameter]
) -> dict[str, inspect.Parameter]:
    for option in some.keys() & others.keys():
        raise ValueError(
            f"the option --{option.replace('_', '-')} is there twice: give the parameter of the "
            "term another name, or option=False"
        )
    return some | others


def _parameters(
    function: Callable[..., Any], *, without: Iterable[str] = ()
) -> dict[str, inspect.Parameter]:
    """Give the parameters with their annotations evaluated, where the types are imported."""
    parameters = inspect.signature(function).parameters
    written = {
        name: parameter.annotation
        for name, parameter in parameters.items()
        if name not in without
    }
    stand_in = SimpleNamespace(__annotations__=written)
    hints = get_type_hints(stand_in, globalns=function.__globals__, include_extras=True)
    return {
        name: parameter.replace(annotation=hints.get(name, Any))
        for name, parameter in parameters.items()
    }
