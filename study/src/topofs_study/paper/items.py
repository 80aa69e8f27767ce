"""The work items of the study: class counts, tuning, tests and pairs.

Each is a function of its fields and the data alone. Items on the same part of a dataset share its
similarities, graphs and fits through a `StudyWorkspace`; the tuning of the two methods is kept
apart, so that less is lost when a run is stopped.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import balanced_accuracy_score, f1_score, matthews_corrcoef
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from topofs_study.paper.protocols import GRIDS, METRICS, PROTOCOLS, Setting
from topofs_study.paper.splits import TEST_PART, Fold, Half, Whole, random_columns, train_test
from topofs_study.running.work_item import Identity, WorkItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from topofs_study.datasets import Dataset
    from topofs_study.paper.protocols import Ranker
    from topofs_study.paper.splits import Part, TrainTest
    from topofs_study.running.work_item import Shape


_ESTIMATORS: dict[str, Any] = {
    "LinearSVM": partial(LinearSVC, max_iter=50_000, random_state=0),
    "KNN": KNeighborsClassifier,
    "DecisionTree": partial(DecisionTreeClassifier, random_state=0),
}
_SCORES: dict[str, Any] = {
    "balanced_accuracy": balanced_accuracy_score,
    "f1": partial(f1_score, average="macro", zero_division=0.0),
    "mcc": matthews_corrcoef,
}


def score_classifier(
    classifier: str,
    split: TrainTest,
    train_columns: NDArray[np.intp],
    test_columns: NDArray[np.intp],
    *,
    metrics: tuple[str, ...] = METRICS,
) -> tuple[float, ...]:
    """Scale, fit on the training table and score on the test table."""
    scaler = StandardScaler()
    X_train = scaler.fit_transform(split.X_train[:, train_columns])
    X_test = scaler.transform(split.X_test[:, test_columns])
    with warnings.catch_warnings():
        # Both are part of the study as it is: a solver stopped at its limit, and a
        # class that the small test part does not hold.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="y_pred contains classes not in y_true")
        predicted = _ESTIMATORS[classifier]().fit(X_train, split.y_train).predict(X_test)
        return tuple(float(_SCORES[name](split.y_test, predicted)) for name in metrics)


class StudyWorkspace:
    """A dataset with its parts, and the rankings and fits made on them so far."""

    def __init__(self, dataset: Dataset) -> None:
        self.whole = train_test(dataset.X, dataset.y, test_rows=dataset.test_rows)
        self.n_fits = 0
        self._kept: dict[str, NDArray[np.intp]] = {}
        self._parts: dict[Part, TrainTest] = {}
        self._rankers: dict[tuple[str, Part], Ranker] = {}
        self._rankings: dict[tuple[str, Part, str, Setting], NDArray[np.intp]] = {}
        self._fits: dict[tuple[str, Part, bytes, bytes], tuple[float, ...]] = {}

    def part(self, part: Part) -> TrainTest:
        """Give the tables of a part: the test part, a fold or a half of the training table."""
        if part not in self._parts:
            self._parts[part] = part.tables(self.whole)
        return self._parts[part]

    def kept(self, protocol: str) -> NDArray[np.intp]:
        """Give the columns that vary on the training table."""
        if protocol not in self._kept:
            varying = PROTOCOLS[protocol].varying(self.whole.X_train)
            self._kept[protocol] = np.flatnonzero(varying)
        return self._kept[protocol]

    def rankings(
        self, protocol: str, part: Part, method: str, settings: Sequence[Setting]
    ) -> list[NDArray[np.intp]]:
        """Rank the kept columns for each setting, best first."""
        missing = [s for s in settings if (protocol, part, method, s) not in self._rankings]
        if missing:
            ranker = self._ranker(protocol, part)
            if method == "inf_fs":
                found = ranker.inf_fs(missing)
            else:
                found = {setting: ranker.tfs(setting) for setting in set(missing)}
            for setting, order in found.items():
                self._rankings[protocol, part, method, setting] = order
        return [self._rankings[protocol, part, method, setting] for setting in settings]

    def score(
        self,
        classifier: str,
        protocol: str,
        part: Part,
        positions: NDArray[np.intp],
        *,
        aligned: bool = False,
    ) -> tuple[float, ...]:
        """Fit a classifier on some columns, once for equal columns."""
        kept = self.kept(protocol)
        train_columns = kept[positions]
        test_columns = train_columns
        if part == TEST_PART and not aligned:
            test_columns = PROTOCOLS[protocol].test_columns(positions, kept)
        key = (classifier, part, train_columns.tobytes(), test_columns.tobytes())
        if key not in self._fits:
            metrics = METRICS if part == TEST_PART else METRICS[:1]
            tables = self.part(part)
            self._fits[key] = score_classifier(
                classifier, tables, train_columns, test_columns, metrics=metrics
            )
            self.n_fits += 1
        return self._fits[key]

    def _ranker(self, protocol: str, part: Part) -> Ranker:
        """Give the ranker of a part, with the similarities it has computed so far."""
        if (protocol, part) not in self._rankers:
            # Matrices of another part are not needed again: items come part by part.
            self._rankers.clear()
            X = self.part(part).X_train[:, self.kept(protocol)]
            self._rankers[protocol, part] = PROTOCOLS[protocol].ranker(X)
        return self._rankers[protocol, part]


Cell = tuple[str, str, str, str, int]
"""protocol, dataset, method, classifier, number of features."""

N_RANDOM_SUBSETS = 10
"""Seeds of the random baseline."""


class _StudyItem(WorkItem[StudyWorkspace]):
    """What all items of the study have in common."""

    protocol: str
    part: Part

    @property
    def shared_work(self) -> tuple[str, ...]:
        """All items on the same part of a dataset are one task."""
        return (self.part.name, self.dataset)

    @property
    def label(self) -> str:
        """What a person is told while it runs."""
        return f"{self.dataset} {self.part.name}"

    def workspace(self, dataset: Dataset) -> StudyWorkspace:
        """Split the dataset."""
        return StudyWorkspace(dataset)


@dataclass(frozen=True)
class ClassCounts(_StudyItem):
    """Count the rows of each class in both tables, and the columns before and after pruning."""

    kind: ClassVar[str] = "split"
    result_type: ClassVar[type] = dict

    protocol: str
    dataset: str

    part = TEST_PART

    @property
    def identity(self) -> Identity:
        """What a store knows the item by."""
        return Identity(kind=self.kind, protocol=self.protocol, dataset=self.dataset)

    @classmethod
    def from_identity(cls, identity: Identity) -> ClassCounts:
        """Give back the item that has an identity."""
        return cls(identity.protocol, identity.dataset)

    def cost(self, shape: Shape) -> float:
        """Estimate the work, in units that only compare items."""
        return _cost(shape, fits=0.0)

    def compute(self, workspace: StudyWorkspace) -> dict[str, Any]:
        """Count."""
        whole = workspace.whole
        counts = {}
        for part, y in (("train", whole.y_train), ("test", whole.y_test)):
            classes, sizes = np.unique(y, return_counts=True)
            counts[part] = [[c.item(), int(n)] for c, n in zip(classes, sizes, strict=True)]
        before, after = whole.X_train.shape[1], len(workspace.kept(self.protocol))
        return {"counts": counts, "n_features_before": before, "n_features_after": after}


@dataclass(frozen=True)
class _ClassifierItem(_StudyItem):
    """One method and one classifier on one part, at some sizes."""

    part_type: ClassVar[type[Part]]
    result_type: ClassVar[type] = list

    protocol: str
    dataset: str
    method: str
    classifier: str
    part: Part
    sizes: tuple[int, ...]
    settings: tuple[Setting, ...] = ()

    @property
    def cells(self) -> list[Cell]:
        """The cells that the item is about, one for each size."""
        return [
            (self.protocol, self.dataset, self.method, self.classifier, size)
            for size in self.sizes
        ]

    @property
    def identity(self) -> Identity:
        """What a store knows the item by."""
        return Identity(
            kind=self.kind,
            protocol=self.protocol,
            dataset=self.dataset,
            method=self.method,
            classifier=self.classifier,
            part=self.part.name,
            sizes=self.sizes,
            settings=tuple(asdict(setting) for setting in self.settings),
        )

    @classmethod
    def from_identity(cls, identity: Identity) -> Self:
        """Give back the item that has an identity."""
        known: dict[str, Any] = {
            **vars(identity),
            "part": cls.part_type.from_name(identity.part),
            "settings": tuple(Setting(**setting) for setting in identity.settings),
        }
        return cls(**{given.name: known[given.name] for given in fields(cls) if given.init})

    def score(
        self, workspace: StudyWorkspace, positions: NDArray[np.intp], *, aligned: bool = False
    ) -> tuple[float, ...]:
        """Fit the classifier of the item on some columns."""
        return workspace.score(
            self.classifier, self.protocol, self.part, positions, aligned=aligned
        )

    def cost(self, shape: Shape) -> float:
        """Estimate the work, in units that only compare items."""
        seeds = N_RANDOM_SUBSETS if self.method == "random" else 1
        return _cost(shape, fits=seeds * _columns_fitted(self.sizes))


@dataclass(frozen=True)
class Tuning(_ClassifierItem):
    """Score every setting of the grid on one fold: a list of them for each size."""

    kind: ClassVar[str] = "tune"
    part_type = Fold

    part: Fold

    @property
    def shared_work(self) -> tuple[str, ...]:
        """The tuning of one method on one fold is one task."""
        return (self.part.name, self.dataset, self.method)

    @property
    def label(self) -> str:
        """What a person is told while it runs."""
        return f"{self.dataset} {self.part.name} {self.method}"

    def cost(self, shape: Shape) -> float:
        """Estimate the work, in units that only compare items."""
        n_settings = len(GRIDS[self.method])
        fits = n_settings * _columns_fitted(self.sizes)
        return _cost(shape, fits=fits, n_settings=n_settings)

    def compute(self, workspace: StudyWorkspace) -> list[list[float]]:
        """Rank by every setting, cut at every size, score."""
        grid = GRIDS[self.method]
        orders = workspace.rankings(self.protocol, self.part, self.method, grid)
        return [
            [self.score(workspace, order[:size])[0] for order in orders] for size in self.sizes
        ]


@dataclass(frozen=True)
class OutOfSample(_ClassifierItem):
    """Score the chosen settings, or a baseline, on the test table.

    The result has, for each size, balanced accuracy, F1 and Matthews correlation (for random
    subsets a list of them), followed, where the protocol shifts the test columns, by the three
    scores with aligned columns.
    """

    kind: ClassVar[str] = "test"
    part_type = Whole

    part: Whole = field(default=TEST_PART, init=False)

    def compute(self, workspace: StudyWorkspace) -> list[Any]:
        """Rank or draw, cut at every size, score."""
        if self.method == "random":
            return [self._random_subsets(size, workspace) for size in self.sizes]
        subsets = zip(self.sizes, self._orders(workspace), strict=True)
        return [self._scores(order[:size], workspace) for size, order in subsets]

    def _scores(
        self, positions: NDArray[np.intp], workspace: StudyWorkspace
    ) -> tuple[float, ...]:
        """Give the scores of a subset, and beside shifted ones those with aligned columns."""
        aligned = self.score(workspace, positions, aligned=True)
        if self.method == "all":
            # With every column kept, the paper's program has nothing to index: nothing shifts.
            return aligned
        scores = self.score(workspace, positions)
        return scores if scores is aligned else scores + aligned

    def _orders(self, workspace: StudyWorkspace) -> list[NDArray[np.intp]]:
        """Rank the kept columns for each size."""
        if self.settings:
            return workspace.rankings(self.protocol, TEST_PART, self.method, self.settings)
        kept = workspace.kept(self.protocol)
        if self.method == "variance":
            variances = workspace.whole.X_train[:, kept].var(axis=0)
            return [np.argsort(-variances, kind="stable")] * len(self.sizes)
        return [np.arange(len(kept))] * len(self.sizes)

    def _random_subsets(self, size: int, workspace: StudyWorkspace) -> list[tuple[float, ...]]:
        """Score ten random subsets, the same subsets for every classifier."""
        n_columns = len(workspace.kept(self.protocol))
        identities = [f"random/{self.dataset}/{size}/{n}" for n in range(N_RANDOM_SUBSETS)]
        subsets = (random_columns(identity, n_columns, size) for identity in identities)
        return [self.score(workspace, subset) for subset in subsets]


@dataclass(frozen=True)
class Paired(_ClassifierItem):
    """Score the chosen settings on one half: a balanced accuracy for each size."""

    kind: ClassVar[str] = "pair"
    part_type = Half

    part: Half

    def compute(self, workspace: StudyWorkspace) -> list[float]:
        """Rank, cut at every size, score."""
        orders = workspace.rankings(self.protocol, self.part, self.method, self.settings)
        subsets = zip(self.sizes, orders, strict=True)
        return [self.score(workspace, order[:size])[0] for size, order in subsets]


def _columns_fitted(sizes: tuple[int, ...]) -> float:
    """Weigh the sizes of some fits: a fit costs something even on few columns."""
    return sum(100 + size for size in sizes) / 100


def _cost(shape: Shape, *, fits: float, n_settings: int = 1) -> float:
    """Estimate the work of fits and rankings, in units that only compare items."""
    n_rows = shape.n_train * (5 + shape.n_classes)
    return (1 + fits) * n_rows + shape.n_features**2 * n_settings / 50
