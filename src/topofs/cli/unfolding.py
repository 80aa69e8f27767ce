"""Options that several commands share, written once and handed over as one value."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["unfolding", "without_options"]

_WITHOUT = ContextVar("without_options", default=False)


def unfolding(
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
            mine = {option: given.pop(option) for option in _options(bundle) if option in given}
            given[name] = bundle(**mine)
        self._command(*arguments, **given)

    @property
    def __signature__(self) -> inspect.Signature:
        parameters: dict[str, inspect.Parameter] = {}
        for name, parameter in self._own.items():
            if name not in self._bundles:
                parameters = _joined(parameters, {name: parameter})
            elif not _WITHOUT.get():
                parameters = _joined(parameters, _options(self._bundles[name]))
        return inspect.Signature(list(parameters.values()))

    @property
    def __annotations__(self) -> dict[str, Any]:
        # What typer reads beside the signature; no names of modules are needed.
        parameters = self.__signature__.parameters
        return {name: parameter.annotation for name, parameter in parameters.items()}

    @__annotations__.setter
    def __annotations__(self, _: Any) -> None:
        """Those of the command are evaluated elsewhere."""


def _options(bundle: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    given = _parameters(bundle)
    options = {name: one for name, one in given.items() if one.kind is not one.VAR_KEYWORD}
    if len(options) == len(given):
        return options
    from topofs.cli.term_options import term_parameters

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
