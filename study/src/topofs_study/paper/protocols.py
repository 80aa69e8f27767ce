"""The settings of the study, and the two ways to run it: as the paper's program does, or corrected.

A protocol says which columns a method ranks and in what order, which columns of the two
tables a classifier then reads, and how the winner of a cross-validation is chosen.
Everything else (splits, settings, classifiers, scores) is the same for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from topofs import Energy, energy, pearson, spearman, threshold_mean, tmfg
from topofs.centrality import infinite_path_scores
from topofs.selection.compatibility import measure_of
from topofs_study.paper import paper_defects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from topofs import Measure

SIZES = (10, 50, 100, 150, 200)
"""The paper's numbers of features to keep."""

TUNED_METHODS = ("tfs", "inf_fs")
"""The two methods the paper compares."""

CLASSIFIERS = ("LinearSVM", "KNN", "DecisionTree")
"""Names of the classifiers, in the order of the paper's tables."""

METRICS = ("balanced_accuracy", "f1", "mcc")
"""Names of the scores: mean recall, macro F1, Matthews correlation."""

BASELINES = ("random", "variance", "all")
"""The rivals without settings: random subsets, largest variance, every feature."""


@dataclass(frozen=True)
class Setting:
    """How one ranking of the features is made.

    Parameters
    ----------
    similarity : {"pearson", "spearman", "energy"}
        The similarity; Inf-FS always weighs by the energy.
    squared : bool
        Whether each correlation is squared.
    alpha : float or None
        The mixture of the energy.
    theta : float or None
        Share of the inverse spectral radius that damps the paths (Inf-FS only).
    """

    similarity: str
    squared: bool = False
    alpha: float | None = None
    theta: float | None = None

    @property
    def measure(self) -> Measure:
        """The similarity as a term of the library."""
        if self.alpha is not None:
            return Energy(self.alpha)
        return measure_of(self.similarity).replace(squared=self.squared)


_TENTHS = tuple(tenth / 10 for tenth in range(1, 10))

GRIDS = {
    "tfs": (
        Setting("pearson"),
        Setting("pearson", squared=True),
        Setting("spearman"),
        Setting("spearman", squared=True),
        *(Setting("energy", alpha=alpha) for alpha in _TENTHS),
    ),
    "inf_fs": tuple(
        Setting("energy", alpha=alpha, theta=theta) for alpha in _TENTHS for theta in _TENTHS
    ),
}
"""The settings tried for each method; the first of equal ones wins."""


class Ranker(Protocol):
    """Ranks the columns of one training table; similarities are computed once."""

    def tfs(self, setting: Setting) -> NDArray[np.intp]:
        """Rank by degree in the filtered graph; positions of columns, best first."""

    def inf_fs(self, settings: Iterable[Setting]) -> dict[Setting, NDArray[np.intp]]:
        """Rank by the sums over paths of every length, one run for all theta of an alpha."""


class StudyProtocol(Protocol):
    """What sets one way to run the study apart from another."""

    def varying(self, X_train: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Mark the columns of the training table that take part."""

    def ranker(self, X: NDArray[np.float64]) -> Ranker:
        """Prepare to rank the columns of a training table, or of a fold of it."""

    def test_columns(
        self, positions: NDArray[np.intp], kept: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Columns of the untouched test table for positions among the kept columns."""

    def winner(self, fold_means: Sequence[float]) -> int:
        """Index of the setting that the cross-validation chooses."""


class _Corrected:
    """Aligned test columns, constant columns out of every fold, exact comparison."""

    def varying(self, X_train: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.asarray(X_train.max(axis=0) > X_train.min(axis=0))

    def ranker(self, X: NDArray[np.float64]) -> Ranker:
        return _CorrectedRanker(X, self.varying(X))

    def test_columns(
        self, positions: NDArray[np.intp], kept: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        return kept[positions]

    def winner(self, fold_means: Sequence[float]) -> int:
        return int(np.argmax(fold_means))


class _CorrectedRanker:
    """Rankings by the library; columns that are constant in the table come last."""

    def __init__(self, X: NDArray[np.float64], varying: NDArray[np.bool_]) -> None:
        self._X = X[:, varying]
        self._varying = np.flatnonzero(varying)
        self._constant = np.flatnonzero(~varying)
        self._matrices: dict[str, NDArray[Any]] = {}

    def tfs(self, setting: Setting) -> NDArray[np.intp]:
        if setting.similarity == "energy":
            similarity = self._energy(float(setting.alpha or 0.0))
        else:
            similarity = self._matrix(setting.similarity)
            similarity = np.square(similarity) if setting.squared else similarity
        return self._order(tmfg(threshold_mean(similarity)).degree())

    def inf_fs(self, settings: Iterable[Setting]) -> dict[Setting, NDArray[np.intp]]:
        scored = _inf_fs_scores(settings, self._energy)
        return {setting: self._order(scores) for setting, scores in scored}

    def _energy(self, alpha: float) -> NDArray[Any]:
        # The energy is linear in alpha, so its two ends serve every mixture.
        return alpha * self._matrix("dispersion") + (1 - alpha) * self._matrix("dissimilarity")

    def _matrix(self, name: str) -> NDArray[Any]:
        if name not in self._matrices:
            self._matrices[name] = {
                "pearson": lambda: pearson(self._X),
                "spearman": lambda: spearman(self._X),
                "dispersion": lambda: energy(self._X, alpha=1.0),
                "dissimilarity": lambda: energy(self._X, alpha=0.0),
            }[name]()
        return self._matrices[name]

    def _order(self, scores: NDArray[Any]) -> NDArray[np.intp]:
        best_first = np.argsort(-scores, kind="stable")
        return np.concatenate([self._varying[best_first], self._constant])


class _Paper:
    """The program's steps with its defects E1, E2 and E3 and its rounding."""

    def varying(self, X_train: NDArray[np.float64]) -> NDArray[np.bool_]:
        return paper_defects.varying_columns(X_train)

    def ranker(self, X: NDArray[np.float64]) -> Ranker:
        return _PaperRanker(X)

    def test_columns(
        self,
        positions: NDArray[np.intp],
        kept: NDArray[np.intp],  # noqa: ARG002 - not to look at it is the defect
    ) -> NDArray[np.intp]:
        return positions  # defect E1: the same positions among all columns of the test table

    def winner(self, fold_means: Sequence[float]) -> int:
        return int(np.argmax(np.round(fold_means, 2)))


class _PaperRanker:
    """Rankings by the program's similarities, graph and order of ties."""

    def __init__(self, X: NDArray[np.float64]) -> None:
        varying = paper_defects.varying_columns(X)
        self._of_inf_fs = paper_defects.DefectiveSimilarities(X)
        self._of_tfs = (
            self._of_inf_fs
            if varying.all()
            else paper_defects.DefectiveSimilarities(X[:, varying])
        )

    def tfs(self, setting: Setting) -> NDArray[np.intp]:
        if setting.alpha is not None:
            alpha = paper_defects.program_alpha(setting.alpha)
            similarity = self._of_tfs.energy(alpha, undefined_is_unrelated=False)
        else:
            similarity = self._of_tfs.signed(setting.similarity, squared=setting.squared)
        degrees = paper_defects.defective_degrees(similarity)
        # Defect E2: positions among the columns that vary here, used in the undropped table.
        return np.argsort(-degrees, kind="stable")

    def inf_fs(self, settings: Iterable[Setting]) -> dict[Setting, NDArray[np.intp]]:
        energy_of = partial(self._of_inf_fs.energy, undefined_is_unrelated=True)
        scored = _inf_fs_scores(settings, energy_of)
        return {setting: np.argsort(scores)[::-1] for setting, scores in scored}


PROTOCOLS: dict[str, StudyProtocol] = {"paper": _Paper(), "corrected": _Corrected()}
"""The protocols by name."""


def _inf_fs_scores(
    settings: Iterable[Setting], energy_of: Callable[[float], NDArray[Any]]
) -> Iterator[tuple[Setting, NDArray[Any]]]:
    """Sum over paths for each setting; those that share an energy matrix share a run."""
    groups: dict[float, list[Setting]] = {}
    for setting in settings:
        groups.setdefault(float(setting.alpha or 0.0), []).append(setting)
    for alpha, group in groups.items():
        thetas = [setting.theta for setting in group if setting.theta is not None]
        yield from zip(group, infinite_path_scores(energy_of(alpha), thetas), strict=True)
