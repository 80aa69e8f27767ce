"""Options that several commands share, written once and handed over as one value."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Bundle", "unfolding", "without_options"]

_WITHOUT = ContextVar("without_options", default=False)


@dataclass(frozen=True)
class Bundle:
    """A function of options, some of which are known only when they are asked for.

    Attributes
    ----------
    make : callable
        Its keyword-only parameters are options; what it takes by ``**`` are the others.
    more : callable
        Gives the others, which come first.
    """

    make: Callable[..., Any]
    more: Callable[[], Iterable[inspect.Parameter]]

    def __call__(self, **given: Any) -> Any:
        """Make a value of the options."""
        return self.make(**given)


def unfolding(
    **bundles: Callable[..., Any],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command take the options of a bundle in place of one parameter.

    A bundle is a function of keyword-only options that returns a value, or a `Bundle`. A
    parameter of the command that has the name of a bundle is replaced by the options of the
    bundle, and gets what the bundle makes of them. The options are looked up whenever the
    signature is, so that what was registered meanwhile is among them.

    Examples
    --------
    >>> def span(*, low: int = 0, high: int = 1) -> range:
    ...     return range(low, high)
    >>> @unfolding(numbers=span)
    ... def show(*, numbers: range, loud: bool = False) -> None:
    ...     print(list(numbers), loud)
    >>> list(inspect.signature(show).parameters)
    ['low', 'high', 'loud']
    >>> show(high=3, loud=True)
    [0, 1, 2] True
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        return _Unfolded(command, bundles)

    return decorate


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
            mine = {option: given.pop(option) for option in _options(bundle) if option in given}
            given[name] = bundle(**mine)
        self._command(*arguments, **given)

    @property
    def __signature__(self) -> inspect.Signature:
        parameters: dict[str, inspect.Parameter] = {}
        for name, parameter in self._own.items():
            if name in self._bundles and _WITHOUT.get():
                continue
            if name in self._bundles:
                parameters = _joined(parameters, _options(self._bundles[name]))
            else:
                parameters = _joined(parameters, {name: parameter})
        return inspect.Signature(list(parameters.values()))

    @property
    def __annotations__(self) -> dict[str, Any]:
        # What typer reads beside the signature; no names of modules are needed.
        signature = self.__signature__
        return {
            parameter.name: parameter.annotation for parameter in signature.parameters.values()
        }

    @__annotations__.setter
    def __annotations__(self, _: Any) -> None:
        """Those of the command are evaluated elsewhere."""


def _options(bundle: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    if not isinstance(bundle, Bundle):
        return _parameters(bundle)
    fixed = {
        name: parameter
        for name, parameter in _parameters(bundle.make).items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    }
    return _joined({parameter.name: parameter for parameter in bundle.more()}, fixed)


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
