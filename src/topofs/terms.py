"""Terms: the small frozen objects that define a selection.

Measures, graphs and rules are terms. A term holds its parameters, its words and its
capabilities. The estimator, the command line and the report use these and never compare names.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields, replace
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from topofs.text import joined, suggest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["DEFAULTS", "Term", "is_whole", "parameter", "register", "registered", "takers_of"]

_ROOMS = {"similarity": "similarity", "graph": "graphs", "rule": "rules"}
"""The kinds of terms, each with the package that registers the terms of topofs."""

DEFAULTS = {"similarity": "auto", "graph": "auto", "rule": "coverage"}
"""The kinds of terms, each with the short name of its default."""

_ENTRY_POINTS = "topofs.terms"

_terms: dict[str, dict[str, Term]] = {kind: {} for kind in _ROOMS}


def parameter(
    default: Any,
    *,
    help: str = "",  # noqa: A002 - the word that command lines use
    choices: tuple[Any, ...] | None = None,
    check: Callable[[Any], None] | None = None,
    option: bool = True,
) -> Any:
    """Describe a parameter of a term: a field of its dataclass.

    Parameters
    ----------
    default : object
        The default value.
    help : str
        A few words for the command line.
    choices : tuple, optional
        The values that are allowed.
    check : callable, optional
        Raises a ValueError for a value that is not allowed.
    option : bool, default=True
        Whether the command line offers it.

    Returns
    -------
    dataclasses.Field

    Examples
    --------
    >>> @dataclass(frozen=True, repr=False)
    ... class Shout(Term):
    ...     kind = "rule"
    ...     volume: str = parameter("low", help="How loud.", choices=("low", "high"))
    >>> Shout(volume="high")
    Shout(volume='high')
    >>> Shout("middle")
    Traceback (most recent call last):
    ValueError: volume is 'middle'; known are 'low', 'high'
    """
    described = {"help": help, "choices": choices, "check": check, "option": option}
    return field(default=default, metadata=described)


@dataclass(frozen=True, repr=False)
class Term:
    """Base of measures, graphs and rules: a frozen dataclass that describes itself.

    A subclass is decorated with ``@dataclass(frozen=True, repr=False)`` and declares its
    parameters as fields (see `parameter`). Values are checked on creation, so users of a term
    need no checks. Two terms are equal if their classes and parameters are equal.

    Attributes
    ----------
    kind : {"similarity", "graph", "rule"}
        Which parameter of the estimator takes it.
    short_name : str
        The name it is registered under; by default that of the class, in small letters.
    """

    kind: ClassVar[str] = ""
    short_name: ClassVar[str] = ""

    def __new__(cls, *_: Any, **given: Any) -> Self:  # noqa: D102
        known = [parameter.name for parameter in fields(cls)]
        for name in given:
            if name not in known:
                raise TypeError(_no_such_parameter(cls.__name__, known, name))
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for described in fields(self):
            value = getattr(self, described.name)
            choices, check = described.metadata.get("choices"), described.metadata.get("check")
            if choices is not None and not _is_one_of(value, choices):
                known = ", ".join(map(repr, choices))
                raise ValueError(f"{described.name} is {value!r}; known are {known}")
            if check is not None:
                check(value)

    def __repr__(self) -> str:
        defaults = {described.name: described.default for described in fields(self)}
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if _differs(value, defaults[name])
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    @property
    def name(self) -> str:
        """The short name."""
        return self.short_name or type(self).__name__.lower()

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002, FBT001, FBT002
        """Give the parameters by name, as scikit-learn's `clone` wants them.

        Parameters
        ----------
        deep : bool
            Ignored: a term contains no terms.

        Returns
        -------
        dict
        """
        return {described.name: getattr(self, described.name) for described in fields(self)}

    def replace(self, **changes: Any) -> Self:
        """Give the same term with other parameters.

        Parameters
        ----------
        **changes : object
            New values by name.

        Returns
        -------
        Term

        Raises
        ------
        ValueError
            There is no such parameter; the message names the terms that have it.
        """
        known = list(self.get_params())
        for name in changes:
            if name not in known:
                raise ValueError(_no_such_parameter(repr(self), known, name))
        return replace(self, **changes)


AnyTerm = TypeVar("AnyTerm", bound=Term)


def register(term: AnyTerm) -> AnyTerm:
    """Register a term, so that its short name can be used wherever names are accepted.

    Parameters
    ----------
    term : Term
        A measure, a graph or a rule; its `name` is the short name.

    Returns
    -------
    Term
        The same.

    Raises
    ------
    ValueError
        Another term has the name.

    Examples
    --------
    >>> from topofs import Spearman, register, registered
    >>> class SignedRanks(Spearman):
    ...     short_name = "signed_ranks"
    >>> register(SignedRanks(squared=False))
    SignedRanks(squared=False)
    >>> "signed_ranks" in registered("similarity")
    True
    """
    if not isinstance(term, Term) or term.kind not in _terms:
        raise TypeError(
            f"register takes a measure, a graph or a rule; got {term!r}: make it a subclass of "
            "topofs.Measure, topofs.Graph or topofs.Rule, and give an object, not the class"
        )
    known = _terms[term.kind]
    other = known.get(term.name)
    if other is not None and other != term and not _is_written_anew(other, term):
        raise ValueError(
            f"the {term.kind} {term.name!r} is {other!r} already: give the new one another "
            "short_name"
        )
    known[term.name] = term
    return term


def registered(kind: str, *, installed: bool = False) -> Mapping[str, Term]:
    """Give the terms of a kind by their short names.

    Parameters
    ----------
    kind : {"similarity", "graph", "rule"}
        Which.
    installed : bool, default=False
        Whether to include terms of other distributions (the entry-point group ``topofs.terms``:
        each entry names a module that registers terms, or a term).

    Returns
    -------
    mapping of str to Term
        Sorted by name.

    Examples
    --------
    >>> list(registered("graph"))
    ['auto', 'links', 'mfcf', 'mst', 'pmfg', 'tmfg']
    """
    import_module(f"topofs.{_ROOMS[kind]}")
    if installed:
        _load_installed()
    return dict(sorted(_terms[kind].items()))


def takers_of(name: str) -> list[str]:
    """Name the terms that take a parameter, by their classes."""
    found = [
        type(term).__name__
        for kind in _ROOMS
        for term in registered(kind).values()
        if name in term.get_params()
    ]
    return list(dict.fromkeys(found))


def _load_installed() -> None:
    from importlib.metadata import entry_points

    for entry in entry_points(group=_ENTRY_POINTS):
        found = entry.load()
        if isinstance(found, Term):
            register(found)


def _no_such_parameter(term: str, known: list[str], name: str) -> str:
    takers = takers_of(name)
    elsewhere = f" ({', '.join(takers)} take{'s' * (len(takers) == 1)} it)" if takers else ""
    mine = f"; it takes {joined(known, 'and')}" if known else ", and takes none"
    if near := suggest(name, known):
        mine = f"; {near}"
    return f"{term} has no parameter {name!r}{elsewhere}{mine}"


def _differs(value: Any, default: Any) -> bool:
    """Whether a value differs from the default, if there is a default."""
    if default is MISSING:
        return True
    # Arrays have no single truth value of equality.
    return value is not default and (type(value) is not type(default) or value != default)


def _is_one_of(value: Any, choices: tuple[Any, ...]) -> bool:
    return any(type(value) is type(choice) and value == choice for choice in choices)


def _is_written_anew(old: Term, new: Term) -> bool:
    """Whether the class of a term was defined again, as when a notebook cell runs again."""
    before, now = type(old), type(new)
    same_place = (before.__module__, before.__qualname__) == (now.__module__, now.__qualname__)
    return same_place and before is not now


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, including numpy's, but not True or False."""
    return isinstance(value, Integral) and not isinstance(value, bool)
