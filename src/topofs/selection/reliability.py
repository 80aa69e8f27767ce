"""Reliability of short forms: whether few items of a scale measure what all of them do.

`reliability` rates the items of each scale that are kept. `rest_scores` gives the weights by which
items that stand for their scale are selected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.constraints import group_numbers, resolve_columns
from topofs.io.frames import column_names
from topofs.similarity.table import check_table
from topofs.text import counted, listed, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topofs.typing import Doubles, Ints

__all__ = ["Reliabilities", "ScaleReliability", "reliability", "rest_scores"]

# Steps of the factor, and the change of a communality at which it is found.
_STEPS, _CHANGE = 1000, 1e-9

_FEWEST_FOR_OMEGA = 3


@dataclass(frozen=True)
class ScaleReliability:
    """The reliability of the kept items of a scale.

    Attributes
    ----------
    scale : str
        The name of the scale.
    items : tuple of str
        The kept items, in the order of the table.
    n_items : int
        Number of items of the whole scale.
    alpha : float or None
        Cronbach's α of the kept items; None for one item.
    alpha_of_all : float
        Cronbach's α of all items of the scale.
    omega : float or None
        McDonald's ω of the kept items, by one factor; None for fewer than three items.
    with_full_score : float
        The correlation of the mean of the kept items with the mean of all items.
    reversed_items : tuple of str
        Kept items that are keyed against the scale. They count with the opposite sign.
    """

    scale: str
    items: tuple[str, ...]
    n_items: int
    alpha: float | None
    alpha_of_all: float
    omega: float | None
    with_full_score: float
    reversed_items: tuple[str, ...]

    def __repr__(self) -> str:
        parts = [
            f"{printable(self.scale)}: {len(self.items)} of {counted(self.n_items, 'item')}"
        ]
        if self.alpha is not None:
            parts.append(f"alpha {self.alpha:.2f} (of all {self.alpha_of_all:.2f})")
        if self.omega is not None:
            parts.append(f"omega {self.omega:.2f}")
        parts.append(f"with the full score {self.with_full_score:.2f}")
        turned = f"; reversed: {listed(self.reversed_items)}" if self.reversed_items else ""
        return ", ".join(parts) + turned


class Reliabilities(tuple[ScaleReliability, ...]):
    """The reliability of each scale."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(map(repr, self))


def reliability(X: Any, items: Iterable[str | int] | None = None, *, of: Any) -> Reliabilities:
    r"""Rate the kept items of each scale.

    With k items of covariances :math:`s_{ij}`, from the rows that have both values,

    .. math:: \alpha = \frac{k}{k - 1}
        \left(1 - \frac{\sum_i s_{ii}}{\sum_{ij} s_{ij}}\right), \qquad
        \omega = \frac{(\sum_i \lambda_i)^2}{(\sum_i \lambda_i)^2 + \sum_i \psi_i}

    where :math:`\lambda_i` are the loadings on one factor (principal axes) and :math:`\psi_i` the
    variances that it leaves. Reversed items are found from the first principal component of the
    whole scale: its loadings have the sign of most items, or the opposite one.

    Parameters
    ----------
    X : array-like or data frame, shape (n_samples, n_features)
        The answers, as numbers. Values may be missing.
    items : list of str or int, optional
        Names or positions of the kept items; by default all.
    of : mapping of str to object, or array-like
        The scale of each column, as in `AtLeast`. Columns without one do not count.

    Returns
    -------
    Reliabilities
        One for each scale of which items are kept, in the order of the table.

    See Also
    --------
    rest_scores : select the items that stand for their scale.

    References
    ----------
    .. [1] L. J. Cronbach (1951). Coefficient alpha and the internal structure of tests.
       Psychometrika 16, 297-334.
    .. [2] R. P. McDonald (1999). Test theory: a unified treatment.

    Examples
    --------
    >>> import numpy as np
    >>> from topofs import reliability
    >>> rng = np.random.default_rng(0)
    >>> trait = rng.normal(size=(500, 1))
    >>> X = trait * [1, 1, -1, 1] + rng.normal(size=(500, 4))
    >>> (calm,) = reliability(X, [0, 2, 3], of=["calm"] * 4)
    >>> round(calm.alpha, 2), calm.reversed_items
    (0.75, ('x2',))
    """
    values, names, scales = _scales_of(X, of)
    kept = np.arange(len(names))
    if items is not None:
        kept = resolve_columns(items, names, len(names), what="items")
    found = []
    for scale, columns in scales.items():
        few = columns[np.isin(columns, kept)]
        if not len(few):
            continue
        signs, at = _signs(values[:, columns]), np.isin(columns, few)
        all_items = values[:, columns] * signs
        short = all_items[:, at]
        scores = np.column_stack([_mean_score(short), _mean_score(all_items)])
        found.append(
            ScaleReliability(
                scale=scale,
                items=tuple(names[i] for i in few),
                n_items=len(columns),
                alpha=_alpha(short) if len(few) > 1 else None,
                alpha_of_all=_alpha(all_items),
                omega=_omega(short) if len(few) >= _FEWEST_FOR_OMEGA else None,
                with_full_score=float(_correlations(scores)[0, 1]),
                reversed_items=tuple(names[i] for i in few[signs[at] < 0]),
            )
        )
    if not found:
        raise ValueError("none of the items belongs to a scale: give items that `of` names")
    return Reliabilities(found)


def rest_scores(X: Any, *, of: Any) -> Doubles:
    """Weights of items: the squared correlation with the rest of their scale.

    The rest score of an item is the mean of the other items of its scale, standardised; reversed
    items count with the opposite sign. Given as `relevance`, with `AtLeast` and `AtMost` for the
    number of items of each scale, topofs selects items that stand for their scale.

    Parameters
    ----------
    X : array-like or data frame, shape (n_samples, n_features)
        The answers, as numbers. Values may be missing.
    of : mapping of str to object, or array-like
        The scale of each column, as in `AtLeast`. Columns without one have the weight 0.

    Returns
    -------
    array of float, shape (n_features,)

    See Also
    --------
    reliability : rate the selected items.

    Examples
    --------
    >>> import numpy as np
    >>> from topofs import rest_scores
    >>> rng = np.random.default_rng(0)
    >>> trait = rng.normal(size=(500, 1))
    >>> X = trait * [1, 1, -1, 0.2] + rng.normal(size=(500, 4))
    >>> rest_scores(X, of=["calm"] * 4).round(2).tolist()
    [0.3, 0.26, 0.27, 0.03]
    """
    values, names, scales = _scales_of(X, of)
    weights = np.zeros(len(names))
    for columns in scales.values():
        answers = values[:, columns]
        z = (answers - np.nanmean(answers, axis=0)) / np.nanstd(answers, axis=0)
        z = z * _signs(answers)
        for at, column in enumerate(columns):
            rest = _mean_score(np.delete(z, at, axis=1))
            pair = np.column_stack([z[:, at], rest])
            weights[column] = _correlations(pair)[0, 1] ** 2
    return weights


def _scales_of(X: Any, of: Any) -> tuple[Doubles, list[str], dict[str, Ints]]:
    """The answers, the names of the columns, and the columns of each scale, all checked."""
    found = column_names(X)
    values = np.asarray(
        check_table(X, no_sparse="the reliability of scales takes"), dtype=np.float64
    )
    names = [f"x{i}" for i in range(values.shape[1])] if found is None else list(found)
    group, labels = group_numbers(of, names, what="of")
    scales = {str(label): np.flatnonzero(group == g) for g, label in enumerate(labels)}
    for scale, columns in scales.items():
        if len(columns) == 1:
            raise ValueError(
                f"the scale {scale!r} has one item; a scale needs at least two: leave it out of "
                "`of`, or give it more items"
            )
        shared = ~np.isnan(values[:, columns])
        if (shared.T.astype(np.int64) @ shared).min() < 2:
            raise ValueError(
                f"two items of the scale {scale!r} have fewer than two answers in the same rows: "
                "leave one of them out"
            )
        still = np.flatnonzero(np.nanstd(values[:, columns], axis=0) == 0)
        if still.size:
            raise ValueError(
                f"the item {names[columns[still[0]]]!r} has the same answer in all rows: leave it "
                "out"
            )
    return values, names, scales


def _covariances(values: Doubles) -> Doubles:
    """Covariances of columns, each from the rows that have both values."""
    return _products(values)[0]


def _correlations(values: Doubles) -> Doubles:
    """Correlations of columns, each from the rows that have both values."""
    covariances, variances = _products(values)
    return np.asarray(covariances / np.sqrt(variances * variances.T))


def _products(values: Doubles) -> tuple[Doubles, Doubles]:
    """The covariances of columns, and the variance of column i in the rows with column j."""
    given = ~np.isnan(values)
    z, given = np.where(given, values - np.nanmean(values, axis=0), 0), given.astype(float)
    n, sums = given.T @ given, z.T @ given
    covariances = (z.T @ z - sums * sums.T / n) / (n - 1)
    return covariances, ((z**2).T @ given - sums**2 / n) / (n - 1)


def _signs(answers: Doubles) -> Doubles:
    """1, or -1 for items that are keyed against most of the others."""
    loadings = np.linalg.eigh(_correlations(answers))[1][:, -1]
    signs = np.where(loadings < 0, -1.0, 1.0)
    return signs if signs.sum() > 0 or (signs.sum() == 0 and signs[0] > 0) else -signs


def _mean_score(items: Doubles) -> Doubles:
    """The mean of the answers of each row; NaN in a row without any."""
    given = ~np.isnan(items)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(given, items, 0).sum(axis=1) / given.sum(axis=1))


def _alpha(items: Doubles) -> float:
    covariances, k = _covariances(items), items.shape[1]
    return float(k / (k - 1) * (1 - np.trace(covariances) / covariances.sum()))


def _omega(items: Doubles) -> float:
    """McDonald's ω by one factor of the correlations, found by principal axes."""
    spread = np.sqrt(np.diag(_covariances(items)))
    reduced = _correlations(items)
    # Start from the largest correlation of each item.
    communalities = np.abs(reduced - np.eye(len(reduced))).max(axis=0)
    for _ in range(_STEPS):
        np.fill_diagonal(reduced, communalities)
        values, vectors = np.linalg.eigh(reduced)
        loadings = vectors[:, -1] * np.sqrt(max(values[-1], 0.0))
        before, communalities = communalities, np.minimum(loadings**2, 1.0)
        if np.abs(communalities - before).max() < _CHANGE:
            break
    common = float((loadings * spread).sum()) ** 2
    return common / (common + float(((1 - communalities) * spread**2).sum()))
