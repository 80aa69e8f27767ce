"""Is a selection any good on this table? TFS against its rivals, by cross-validation."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.experiments.prediction import (
    METRICS,
    MODELS,
    Resampling,
    Target,
    fit_and_score,
    folds,
)
from topofs.experiments.rivals import subsets
from topofs.experiments.statistics import corrected_resampled_test
from topofs.selection import SelectionSettings
from topofs.selection.subset_size import resolve_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

__all__ = [
    "DEFAULT_SIZES",
    "METHOD_NAMES",
    "Comparison",
    "ComparisonTest",
    "MethodScores",
    "compare",
]

METHOD_NAMES = {
    "tfs": "TFS",
    "inf_fs": "Inf-FS",
    "variance": "variance",
    "random": "random subsets",
    "all": "all columns",
}
"""The methods, and what to call them."""

DEFAULT_SIZES = (0.05, 0.1, 0.25, 0.5)
"""The sizes that are compared unless others are given."""


@dataclass(frozen=True)
class MethodScores:
    """The scores of a method at a size.

    Attributes
    ----------
    method : str
        One of `METHOD_NAMES`.
    n_features : int
        How many columns the model saw.
    by_split : tuple of float
        A score for each split; for random subsets their mean.
    """

    method: str
    n_features: int
    by_split: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean over the splits."""
        return float(np.mean(self.by_split))

    @property
    def spread(self) -> float:
        """Standard deviation over the splits."""
        return float(np.std(self.by_split, ddof=1))


@dataclass(frozen=True)
class ComparisonTest:
    """TFS against a rival at a size.

    Attributes
    ----------
    n_features : int
        The size of the selection; "all" has every column nevertheless.
    rival : str
        One of `METHOD_NAMES`.
    difference : float
        Mean score of TFS minus that of the rival.
    p_value : float
        Two-sided, of the corrected resampled t-test.
    """

    n_features: int
    rival: str
    difference: float
    p_value: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What came of a comparison.

    Attributes
    ----------
    task, metric, model, target : str
        What was predicted, the score, the model, the name of the target.
    n_samples, n_features : int
        Rows that have a target, and columns to select from.
    n_folds, n_repeats, n_random : int
        Folds of a cross-validation, how often it was repeated, seeds of the random subsets.
    sizes : tuple of int
        Ascending.
    scores : tuple of MethodScores
        Every method at every size; "all" once.
    tests : tuple of ComparisonTest
        TFS against every rival at every size.
    settings : SelectionSettings
        The settings of TFS.
    """

    task: str
    metric: str
    model: str
    target: str
    n_samples: int
    n_features: int
    n_folds: int
    n_repeats: int
    n_random: int
    sizes: tuple[int, ...]
    scores: tuple[MethodScores, ...]
    tests: tuple[ComparisonTest, ...]
    settings: SelectionSettings

    def of(self, method: str, n_features: int | None = None) -> MethodScores:
        """Find the scores of a method.

        Parameters
        ----------
        method : str
            One of `METHOD_NAMES`.
        n_features : int, optional
            The size; not needed for "all".

        Returns
        -------
        MethodScores
        """
        return next(
            scores
            for scores in self.scores
            if scores.method == method and n_features in (None, scores.n_features)
        )

    def as_dict(self) -> dict[str, Any]:
        """Give everything by name, as JSON can hold it.

        Returns
        -------
        dict
        """
        scores = [asdict(s) | {"mean": s.mean, "spread": s.spread} for s in self.scores]
        return asdict(self) | {"scores": scores, "settings": self.settings.as_dict()}


def compare(
    X: npt.NDArray[np.floating[Any]],
    target: Target,
    *,
    settings: SelectionSettings | None = None,
    sizes: Sequence[float] = DEFAULT_SIZES,
    model: str = MODELS[0],
    target_name: str = "target",
    resampling: Resampling | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Cross-validate TFS, Inf-FS, variance, random subsets and all columns.

    In every split each method selects on the training rows alone, a model is fitted to the
    columns it selected, and scored on the test rows.

    Parameters
    ----------
    X : array, shape (n_samples, n_features)
        The table; NaN marks a missing value.
    target : Target
        What to predict; its rows are those of `X` that have one.
    settings : SelectionSettings, optional
        The settings of TFS.
    sizes : sequence of int or float
        Numbers or fractions of the columns.
    model : {"linear", "knn", "tree"}, default="linear"
        Ridge, nearest neighbours or a decision tree.
    target_name : str
        What to call the target.
    resampling : Resampling, optional
        Folds, repetitions, random subsets and their seed.
    progress : callable, optional
        Called with the number of splits that are done, and of all.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs.experiments.prediction import Resampling, target_of
    >>> X, y = load_wine(return_X_y=True)
    >>> target = target_of(y.astype(float))
    >>> found = compare(X, target, sizes=[3], resampling=Resampling(n_random=2))
    >>> found.metric, found.sizes, len(found.tests)
    ('balanced accuracy', (3,), 4)
    >>> found.of("all").mean > found.of("random", 3).mean
    True
    """
    settings = settings or SelectionSettings()
    resampling = resampling or Resampling()
    table = X if target.given.all() else X[target.given]
    counts = tuple(sorted({resolve_size(size, table.shape[1]) for size in sizes}))
    splits = folds(target, resampling)
    by_cell: dict[tuple[str, int], list[float]] = {}
    for number, (train, test) in enumerate(splits):
        seed = (resampling.random_state, number)
        chosen = subsets(
            table[train], settings, counts, n_random=resampling.n_random, seed=seed
        )
        for cell, drawn in chosen.items():
            score = _mean_score(table, target, (train, test), drawn, model)
            by_cell.setdefault(cell, []).append(score)
        if progress is not None:
            progress(number + 1, len(splits))
    found = {cell: MethodScores(*cell, tuple(scores)) for cell, scores in by_cell.items()}
    return Comparison(
        task=target.task,
        metric=METRICS[target.task],
        model=model,
        target=target_name,
        n_samples=len(table),
        n_features=table.shape[1],
        n_folds=resampling.n_folds,
        n_repeats=resampling.n_repeats,
        n_random=resampling.n_random,
        sizes=counts,
        scores=tuple(found.values()),
        tests=tuple(_tests(found, counts, resampling.n_folds)),
        settings=settings,
    )


def _mean_score(
    table: npt.NDArray[np.floating[Any]],
    target: Target,
    split: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]],
    drawn: Sequence[npt.NDArray[np.intp]],
    model: str,
) -> float:
    """Mean score of a model on each of some subsets of the columns."""
    scores = []
    for columns in drawn:
        train, test = ((table[np.ix_(rows, columns)], target.y[rows]) for rows in split)
        scores.append(fit_and_score(model, target.task, train, test))
    return float(np.mean(scores))


def _tests(
    found: dict[tuple[str, int], MethodScores], sizes: Sequence[int], n_folds: int
) -> Iterator[ComparisonTest]:
    """Test TFS against every rival at every size."""
    for size in sizes:
        tfs = found["tfs", size]
        for (rival, n_features), scores in found.items():
            if rival == "tfs" or (rival != "all" and n_features != size):
                continue
            differences = np.subtract(tfs.by_split, scores.by_split)
            # One fold is tested on while the others are trained on.
            test = corrected_resampled_test(differences, test_to_train=1 / (n_folds - 1))
            yield ComparisonTest(size, rival, float(differences.mean()), test.p_value)
