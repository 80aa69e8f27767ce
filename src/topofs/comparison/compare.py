"""Cross-validated comparison of TFS with other methods.

`compare` selects with every method on the training rows of every split and scores models on the
test rows. `corrected_resampled_test` tests whether the scores of two methods differ.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from sklearn.base import clone
from sklearn.model_selection import TimeSeriesSplit

from topofs.comparison.labelled import MOST_FOR_RFE
from topofs.comparison.leakage import Leak, find_leaks
from topofs.comparison.prediction import (
    FORWARD,
    METRICS,
    MODELS,
    Resampling,
    fit_and_score,
    folds,
)
from topofs.comparison.rivals import AUTO, UNLABELLED, excluded_columns, subsets
from topofs.constraints import resolve_size
from topofs.errors import import_extra
from topofs.io.frames import NamedArray, dense_values, is_frame, named_matrix, readable_table
from topofs.io.target import Target, as_target
from topofs.io.types import TypedTable, typed_table
from topofs.selection import TopologicalFeatureSelector, plain_settings
from topofs.selection.compatibility import check_end, measure_of, rule_of
from topofs.similarity.relevance import relevance_of
from topofs.text import suggest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from topofs.comparison.rivals import AnyTable
    from topofs.typing import Bools, Floats

METHOD_NAMES = {
    "tfs": "TFS",
    "tfs_paper": "TFS (paper)",
    "inf_fs": "Inf-FS",
    "variance": "variance",
    "f": "best by F",
    "mutual_information": "best by mutual information",
    "mrmr": "mRMR",
    "fastcan": "fastcan",
    "forest": "forest importance",
    "rfe": "RFE",
    "random": "random subsets",
    "all": "all columns",
}
"""The methods and their names.

"tfs_paper" is the published form of TFS. From "f" to "rfe" they select for the target: "f" and
"mutual_information" the best columns one by one, as scikit-learn's `SelectKBest`; "mrmr" by F over
the mean absolute correlation with the columns selected before; "fastcan" by canonical correlation,
with the package fastcan; "forest" by the importances of a random forest; "rfe" by eliminating the
column of least weight in ridge regression, one by one.
"""

DEFAULT_SIZES = (0.05, 0.1, 0.25, 0.5, AUTO)
"""The default sizes."""

_ALL_BUT_PERFECT = 0.9995
_ZERO = 1e-12


@dataclass(frozen=True)
class MethodScores:
    """The scores of a method at a size.

    Attributes
    ----------
    method : str
        One of `METHOD_NAMES`.
    n_features : int or "auto"
        Number of columns of the model; "auto": the automatic end of TFS in each split.
    by_split : tuple of float
        A score for each split; for random subsets the mean over the subsets.
    """

    method: str
    n_features: int | str
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
    """The difference between TFS and a rival at a size.

    Attributes
    ----------
    n_features : int or "auto"
        The size of the selection; the rival "all" always has every column.
    rival : str
        One of `METHOD_NAMES`.
    difference : float
        Mean score of TFS minus that of the rival.
    p_value : float
        Two-sided, of the corrected resampled t-test.
    """

    n_features: int | str
    rival: str
    difference: float
    p_value: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The result of a comparison.

    Attributes
    ----------
    task, metric, model, target : str
        The kind of target, the score, the model, and the name of the target.
    n_samples, n_features : int
        Rows that have a target, and columns to select from.
    n_folds, n_repeats, n_random : int
        Folds of a cross-validation, repetitions, and random subsets per split.
    sizes : tuple of int or "auto"
        Ascending, "auto" last.
    splits : {"folds", "forward", "given"}
        The splits: shuffled folds, in time order, or given by the user.
    leaks : tuple of Leak
        The columns that alone predict the target, from `find_leaks`.
    auto_sizes : tuple of int
        Number of columns at "auto" in each split; empty if "auto" is not among the sizes.
    scores : tuple of MethodScores
        Every method at every size; "all" once.
    tests : tuple of ComparisonTest
        TFS against every rival at every size.
    settings : dict
        The settings of TFS, from `topofs.selection.compatibility`.
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
    sizes: tuple[int | str, ...]
    scores: tuple[MethodScores, ...]
    tests: tuple[ComparisonTest, ...]
    settings: dict[str, Any]
    auto_sizes: tuple[int, ...] = ()
    splits: str = "folds"
    leaks: tuple[Leak, ...] = ()

    def of(self, method: str, n_features: int | str | None = None) -> MethodScores:
        """Find the scores of a method."""
        return next(
            scores
            for scores in self.scores
            if scores.method == method and n_features in (None, scores.n_features)
        )

    def size_name(self, size: int | str) -> str:
        """Describe a size by its number of columns."""
        if isinstance(size, int):
            return f"{size:,}"
        return f"{size} ({np.mean(self.auto_sizes):,.0f})" if self.auto_sizes else size

    @property
    def doubts(self) -> tuple[str, ...]:
        """Ask about possible leaks, in one sentence each."""
        if self.leaks:
            return tuple(leak.sentence(self.target) for leak in self.leaks)
        if max(scores.mean for scores in self.scores) < _ALL_BUT_PERFECT:
            return ()
        return (
            f"a score of 1.000, and no column alone predicts {self.target}: do several columns "
            "together make it, as the parts of a sum do, or are rows repeated?",
        )

    def as_dict(self) -> dict[str, Any]:
        """Give everything by name, as JSON values."""
        scores = [asdict(s) | {"mean": s.mean, "spread": s.spread} for s in self.scores]
        return asdict(self) | {"scores": scores, "doubts": list(self.doubts)}


def compare(  # noqa: PLR0913 - one argument a choice of the user
    X: Any,
    target: Target | npt.ArrayLike,
    *,
    selector: TopologicalFeatureSelector | None = None,
    sizes: Sequence[float | str] | None = None,
    methods: Sequence[str] | None = None,
    model: str = MODELS[0],
    target_name: str = "target",
    resampling: Resampling | None = None,
    splits: Any = None,
    groups: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Cross-validate TFS and other methods: without labels, with labels, random, all columns.

    In every split each method selects on the training rows alone, a model is fitted to the
    columns it selected, and scored on the test rows. Models see names as one column a level,
    the levels being those of the training rows; see `topofs.comparison.rivals.subsets` for
    how the methods that need numbers treat them.

    Parameters
    ----------
    X : array, sparse matrix, data frame, AnnData, NamedArray or TypedTable, shape \
(n_samples, n_features)
        The table; NaN marks a missing value. A sparse one is made dense, as models see it.
    target : Target or array, shape (n_samples,)
        What to predict; an array is read by `target_of`. Rows without one are left out.
    selector : TopologicalFeatureSelector, optional
        TFS, with its settings. Its size and constraints are ignored, except `exclude`: no
        method may select those columns.
    sizes : sequence of int, float or "auto", optional
        Numbers or fractions of the columns; "auto": the automatic end of TFS. By default
        `DEFAULT_SIZES`, without "auto" if the rule of TFS has no automatic end.
    methods : sequence of str, optional
        The methods beside TFS, of `METHOD_NAMES`. By default its published form, Inf-FS,
        variance, random subsets and all columns. If TFS uses the target (``relevance="target"``
        or a function), also those that select for the target and need no other package; "rfe"
        only on tables of at most 600 columns.
    model : {"linear", "knn", "tree"}, default="linear"
        Ridge, nearest neighbours or a decision tree.
    target_name : str
        The name of the target.
    resampling : Resampling, optional
        Folds, repetitions, random subsets and their seed.
    splits : "forward", splitter or iterable, optional
        Splits other than shuffled folds: see `Resampling`. For rows in time order, "forward" or
        a `TimeSeriesSplit`; for rows in groups, such as several rows of one patient,
        `LeaveOneGroupOut` or `GroupKFold`.
    groups : array-like, shape (n_samples,), optional
        Groups of the rows, for splitters that ask for them.
    progress : callable, optional
        Called with the number of splits done and of all splits.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs.comparison import Resampling, target_of
    >>> X, y = load_wine(return_X_y=True)
    >>> target = target_of(y.astype(float))
    >>> found = compare(X, target, sizes=[3], resampling=Resampling(n_random=2))
    >>> found.metric, found.sizes, len(found.tests)
    ('balanced accuracy', (3,), 5)
    >>> found.of("all").mean > found.of("random", 3).mean
    True
    """
    resampling = resampling or Resampling()
    if splits is not None:
        resampling = replace(resampling, splits=splits)
    if groups is not None:
        resampling = replace(resampling, groups=groups)
    given = _read(X)
    X = given.values if isinstance(given, NamedArray) else given
    if not isinstance(X, TypedTable):
        X = dense_values(X, what="the models that are compared take")
    target = as_target(target, X.shape[0])
    table = X if target.given.all() else _rows(X, np.flatnonzero(target.given))
    selector = _settled(selector or TopologicalFeatureSelector(), table)
    unwanted = excluded_columns(selector, table)
    n_open = table.shape[1] - len(unwanted)
    rivals = _rivals(methods, selector, n_open)
    counts = _counts(sizes, selector, n_open)
    parts = folds(target, resampling)
    names = getattr(given, "names", None)
    excluded = [f"x{i}" if names is None else names[i] for i in unwanted]
    leaks = find_leaks(given, target, exclude=excluded)
    by_cell: dict[tuple[str, int | str], list[float]] = {}
    auto_sizes = []
    for number, (train, test) in enumerate(parts):
        seed = (resampling.random_state, number)
        chosen = subsets(
            *(_rows(table, train), selector, counts),
            n_random=resampling.n_random,
            seed=seed,
            target=_target_rows(target, train),
            methods=rivals,
        )
        auto_sizes += [len(chosen["tfs", AUTO][0])] if AUTO in counts else []
        for cell, drawn in chosen.items():
            scores = []
            for columns in drawn:
                values, nominal = _values(table, columns)
                of_rows = ((values[rows], target.y[rows]) for rows in (train, test))
                scores.append(fit_and_score(model, target.task, *of_rows, nominal=nominal))
            by_cell.setdefault(cell, []).append(float(np.mean(scores)))
        if progress is not None:
            progress(number + 1, len(parts))
    found = {cell: MethodScores(*cell, tuple(scores)) for cell, scores in by_cell.items()}
    kind = "given"
    if resampling.splits is None:
        kind = "folds"
    elif isinstance(resampling.splits, (str, TimeSeriesSplit)):
        kind = FORWARD
    # One fold is for testing, the others are for training.
    ratio = 1 / (resampling.n_folds - 1)
    if kind != "folds":
        ratio = float(np.mean([len(test) / len(train) for train, test in parts]))
    return Comparison(
        task=target.task,
        metric=METRICS[target.task],
        model=model,
        target=target_name,
        n_samples=table.shape[0],
        n_features=n_open,
        n_folds=resampling.n_folds if kind == "folds" else len(parts),
        n_repeats=resampling.n_repeats if kind == "folds" else 1,
        n_random=resampling.n_random,
        sizes=counts,
        scores=tuple(found.values()),
        tests=tuple(_tests(found, counts, ratio)),
        settings=plain_settings(selector),
        auto_sizes=tuple(auto_sizes),
        splits=kind,
        leaks=leaks,
    )


def _read(X: Any) -> Any:
    """A table, read without loss; a frame of numbers becomes an array."""
    X = named_matrix(X)
    if is_frame(X):
        table = typed_table(X)
        X = table if table.has_nominal else NamedArray(table.numbers, table.names)
    return readable_table(X)


def _counts(
    sizes: Sequence[float | str] | None, selector: TopologicalFeatureSelector, n_features: int
) -> tuple[int | str, ...]:
    """The sizes as numbers, ascending, and "auto" after them."""
    rule = rule_of(selector.rule)
    if sizes is None:
        sizes = [size for size in DEFAULT_SIZES if rule.has_end or size != AUTO]
    for size in sizes:
        check_end(rule, size)
    counts = sorted({resolve_size(size, n_features) for size in sizes if size != AUTO})
    return (*counts, AUTO) if AUTO in sizes else tuple(counts)


def _rivals(
    methods: Sequence[str] | None, selector: TopologicalFeatureSelector, n_columns: int
) -> tuple[str, ...]:
    """The methods beside TFS, checked."""
    if methods is None:
        relevance = relevance_of(selector.relevance)
        if relevance is None or not relevance.needs_target:
            return UNLABELLED
        left_out = {"tfs", "fastcan"} | ({"rfe"} if n_columns > MOST_FOR_RFE else set())
        return tuple(method for method in METHOD_NAMES if method not in left_out)
    given = [methods] if isinstance(methods, str) else list(methods)
    for method in given:
        if method not in METHOD_NAMES:
            near = suggest(str(method), METHOD_NAMES)
            raise ValueError(
                f"methods has {method!r}, which is none of {', '.join(METHOD_NAMES)}"
                + (f"; {near}" if near else "")
            )
    if "fastcan" in given:
        import_extra("fastcan", extra="fastcan", purpose="the method 'fastcan'")
    if "rfe" in given and n_columns > MOST_FOR_RFE:
        raise ValueError(
            f"the method 'rfe' fits a model for each of {n_columns:,} columns, and at most "
            f"{MOST_FOR_RFE} are allowed: leave it out, or give fewer columns"
        )
    return tuple(method for method in METHOD_NAMES if method in given and method != "tfs")


def _settled(
    selector: TopologicalFeatureSelector, table: AnyTable
) -> TopologicalFeatureSelector:
    """The same selector, with the measure resolved on all rows instead of a split."""
    given = measure_of(selector.similarity)
    measure = given.for_table(table)
    if isinstance(table, TypedTable) and not measure.takes_names:
        measure = given
    settled: TopologicalFeatureSelector = clone(selector).set_params(similarity=measure)
    return settled


def _rows(table: AnyTable, rows: npt.NDArray[np.intp]) -> AnyTable:
    return table.take(rows) if isinstance(table, TypedTable) else table[rows]


def _target_rows(target: Target, rows: npt.NDArray[np.intp]) -> Target:
    """The target of some rows, with the classes that they have."""
    y, classes = target.y[rows], target.classes
    if classes:
        present, y = np.unique(y, return_inverse=True)
        classes = tuple(classes[i] for i in present)
    return replace(target, y=y, given=np.ones(len(y), dtype=np.bool_), classes=classes)


def _values(table: AnyTable, columns: npt.NDArray[np.intp]) -> tuple[Floats, Bools | None]:
    """Some columns as an array, and which of them hold codes of names."""
    if not isinstance(table, TypedTable):
        return table[:, columns], None
    chosen = [table.columns[column] for column in columns]
    values = np.column_stack(
        [np.empty((table.shape[0], 0)), *(column.values for column in chosen)]
    )
    return values, np.array([column.nominal for column in chosen], dtype=np.bool_)


def _tests(
    found: dict[tuple[str, int | str], MethodScores],
    sizes: Sequence[int | str],
    test_to_train: float,
) -> Iterator[ComparisonTest]:
    """Test TFS against every rival at every size."""
    for size in sizes:
        tfs = found["tfs", size]
        for (rival, n_features), scores in found.items():
            if rival == "tfs" or (rival != "all" and n_features != size):
                continue
            differences = np.subtract(tfs.by_split, scores.by_split)
            test = corrected_resampled_test(differences, test_to_train=test_to_train)
            yield ComparisonTest(size, rival, float(differences.mean()), test.p_value)


@dataclass(frozen=True)
class PairedTest:
    """The outcome of a paired test.

    Attributes
    ----------
    statistic : float
        The value of t; positive where the first method scores higher.
    degrees_of_freedom : int
        Degrees of freedom of the t-distribution.
    p_value : float
        Two-sided.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float


def corrected_resampled_test(sample: npt.ArrayLike, *, test_to_train: float) -> PairedTest:
    r"""Test whether the differences over some splits have a mean other than zero.

    The corrected resampled t-test of Nadeau and Bengio, for repeated cross-validation. m splits
    give m differences :math:`d_i` between the scores of two methods. They share samples, so
    their mean :math:`\bar d` varies more than that of independent ones, and

    .. math:: t = \frac{\bar d}{\sqrt{\left(\frac1m + \frac{n_{test}}{n_{train}}\right)
              s^2}},\qquad s^2 = \frac1{m-1} \sum (d_i - \bar d)^2,

    is read against m − 1 degrees of freedom, two-sided.

    Parameters
    ----------
    sample : array-like of shape (m,)
        A difference for each split; m ≥ 2.
    test_to_train : float
        The number of test samples over the number of training samples of a split; 1/4 for
        five folds.

    Returns
    -------
    PairedTest
        With m − 1 degrees of freedom.

    Notes
    -----
    Divisions by zero are replaced by their limits: a numerator of zero gives t = 0 and p = 1
    with any denominator; another numerator over a spread of zero gives t = ±∞ and p = 0.
    Numbers below 1e-12, the noise of subtracting scores, count as zero.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine
       Learning 52, 239-281.
    .. [2] R. R. Bouckaert and E. Frank (2004). Evaluating the replicability of significance
       tests for comparing learning algorithms. PAKDD, 3-12.

    Examples
    --------
    >>> corrected_resampled_test([0.1, 0.3, 0.2], test_to_train=0.25).p_value.__round__(3)
    0.12
    """
    sample = np.asarray(sample, dtype=float)
    if sample.ndim != 1 or sample.size < 2 or not np.isfinite(sample).all():
        raise ValueError(
            f"a test needs two differences or more, all finite; got the shape {sample.shape}"
        )
    inflation = np.sqrt(1.0 / sample.size + test_to_train)
    return two_sided_test(sample.mean(), inflation * sample.std(ddof=1), sample.size - 1)


def two_sided_test(numerator: float, spread: float, degrees_of_freedom: int) -> PairedTest:
    """Give the t-test of ``numerator / spread``, with the limits of `corrected_resampled_test`."""
    if abs(numerator) < _ZERO:
        return PairedTest(0.0, degrees_of_freedom, 1.0)
    if spread < _ZERO:
        return PairedTest(float(np.copysign(np.inf, numerator)), degrees_of_freedom, 0.0)
    statistic = float(numerator / spread)
    p_value = float(2.0 * stats.t.sf(abs(statistic), degrees_of_freedom))
    return PairedTest(statistic, degrees_of_freedom, p_value)
