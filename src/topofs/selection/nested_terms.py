"""Parameters of terms by nested names, as scikit-learn writes them: ``rule__reach``."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator

from topofs.selection.short_names import TERMS
from topofs.selection.sizes import Size

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.terms import Term

__all__ = ["NestedTerms"]


def _size_of(given: Any) -> Size:
    if not isinstance(given, Size):
        raise ValueError(
            f"n_features_to_select is {given!r}, which has no parameters: set it to a size, such "
            "as MinShare(0.9), first"
        )
    return given


_NESTED: dict[str, Callable[[Any], Term]] = {**TERMS, "n_features_to_select": _size_of}


class NestedTerms(BaseEstimator):
    """Base of an estimator whose parameters may be terms, given as objects or by short names.

    A term is frozen, so a nested parameter puts another term in its place.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """Give the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Also those of the terms, as ``similarity__squared``.

        Returns
        -------
        dict
        """
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            for name in params.keys() & _NESTED.keys():
                # An unknown name is refused by fit, not here.
                with suppress(ValueError):
                    term = _NESTED[name](params[name])
                    nested = term.get_params().items()
                    params |= {f"{name}__{key}": value for key, value in nested}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, those of terms by nested names.

        Parameters
        ----------
        **params : object
            New values, such as ``rule__reach="edges"``.

        Returns
        -------
        self
        """
        nested: dict[str, dict[str, Any]] = {}
        own: dict[str, Any] = {}
        for key, value in params.items():
            name, separator, parameter = key.partition("__")
            if separator and name in _NESTED:
                nested.setdefault(name, {})[parameter] = value
            else:
                own[key] = value
        super().set_params(**own)
        for name, changes in nested.items():
            setattr(self, name, _NESTED[name](getattr(self, name)).replace(**changes))
        return self
