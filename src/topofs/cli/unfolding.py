"""Options that several commands share, written once and handed over as one value."""

from __future__ import annotations

import functools
import inspect
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["unfolding"]


def unfolding(
    **bundles: Callable[..., Any],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command take the options of a bundle in place of one parameter.

    A bundle is a function of keyword-only options that returns a value. A parameter of the
    command that has the name of a bundle is replaced by the options of the bundle, and gets
    what the bundle makes of them.

    Parameters
    ----------
    **bundles : callable
        A bundle for each of the parameters.

    Returns
    -------
    callable
        A decorator.

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
    options = {name: _parameters(bundle) for name, bundle in bundles.items()}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        parameters: list[inspect.Parameter] = []
        for name, parameter in _parameters(command, without=options).items():
            parameters += options[name].values() if name in options else [parameter]

        @functools.wraps(command)
        def unfolded(*arguments: Any, **given: Any) -> None:
            for name, bundle in bundles.items():
                mine = {
                    option: given.pop(option) for option in options[name] if option in given
                }
                given[name] = bundle(**mine)
            command(*arguments, **given)

        # What typer reads: the new signature, and annotations that need no names of modules.
        unfolded.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        unfolded.__annotations__ = {
            parameter.name: parameter.annotation for parameter in parameters
        }
        return unfolded

    return decorate


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
