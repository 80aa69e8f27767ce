"""Who speaks for whom: the selected columns and those they stand for."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from topofs.errors import NoStructureWarning
from topofs.notebook import groups_html
from topofs.selection.explanation import Speaking
from topofs.selection.ranking_selector import RankingSelector

if TYPE_CHECKING:
    from topofs.selection.coverage import Coverage, Reach

__all__ = ["Group", "Member", "SpeakingColumns"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Member:
    """A column that a selected one stands for.

    Attributes
    ----------
    name : str
        Its name.
    position : int
        Its position in the table.
    weight : float
        The share of its variance that the selected column explains.
    """

    name: str
    position: int
    weight: float


@dataclass(frozen=True)
class Group:
    """A selected column and the columns it stands for.

    Attributes
    ----------
    name, position
        The selected column.
    rank : int
        Its place in the ranking, 1 = best.
    members : tuple of Member
        The others it stands for, strongest first.
    """

    name: str
    position: int
    rank: int
    members: tuple[Member, ...]


class SpeakingColumns(RankingSelector):
    """Base of a selector that may rank by coverage: what can be said after its fit.

    A subclass sets `nodes_` and, where its rule is coverage, `_coverage` and `_reach`;
    elsewhere it sets these two to None.
    """

    nodes_: Ints
    _coverage: Coverage | None
    _reach: Reach | None

    @property
    def coverage_(self) -> Doubles:
        """Share of the varying columns that the first 1, 2, … of the ranking stand for."""
        return self._fitted_coverage("coverage_").curve

    @property
    def isolated_(self) -> Ints:
        """Positions of the columns with no neighbour above the noise floor, ascending."""
        return self.nodes_[self._fitted_coverage("isolated_").isolated]

    @property
    def representative_(self) -> Ints:
        """Position of the selected column that stands for each column; -1: none does."""
        return self._nearest("representative_")[0]

    @property
    def representative_weight_(self) -> Doubles:
        """How well it does: the share of the column's variance, 1 for the selected ones."""
        return self._nearest("representative_weight_")[1]

    @property
    def groups_(self) -> tuple[Group, ...]:
        """The selected columns, best first, each with the columns it stands for."""
        owner, weight = self._nearest("groups_")
        names = self._column_names()
        selected = np.flatnonzero(self.support_)
        members: dict[int, list[Member]] = {int(column): [] for column in selected}
        for column in np.argsort(-weight, kind="stable").tolist():
            if owner[column] >= 0 and owner[column] != column:
                member = Member(names[column], column, float(weight[column]))
                members[int(owner[column])].append(member)
        return tuple(
            Group(names[column], column, int(self.ranking_[column]), tuple(members[column]))
            for column in sorted(members, key=lambda column: self.ranking_[column])
        )

    def _selection_html(self) -> str:
        """For a notebook: the groups in short where there are some."""
        if not self.__sklearn_is_fitted__() or self._coverage is None:
            return super()._selection_html()
        groups = [
            (
                group.name,
                float(self.scores_[group.position]),
                [member.name for member in group.members],
            )
            for group in self.groups_
        ]
        return groups_html(
            groups,
            n_features=self.n_features_in_,
            covered=float(self.representative_weight_[self.nodes_].mean()),
            n_isolated=len(self.isolated_),
        )

    def _auto_size(self) -> int:
        """Columns that explain more than themselves, and those to be kept; one is the least."""
        if self._coverage is None:
            raise ValueError("an automatic size needs a fit with rule='coverage'")
        n_explaining = self._coverage.n_explaining
        others = int((self.ranking_[self.kept_] > n_explaining).sum())
        return max(1, n_explaining + others)

    def _warn_without_structure(self) -> None:
        alone = self._fitted_coverage("isolated_").isolated
        if alone.all() and len(alone) > 1:
            n_selected = int(self.support_.sum())
            selected = f"{n_selected} of them {'is' if n_selected == 1 else 'are'} selected"
            if n_selected == len(alone):
                selected = "all of them are selected"
            more = "" if n_selected == len(alone) else "; give a number to have more"
            warnings.warn(
                f"no two of the {len(alone)} columns share more than chance explains: there is "
                f"nothing to choose by, and {selected}{more}",
                NoStructureWarning,
                stacklevel=3,
            )

    def _speaking(self, column: int) -> Speaking:
        """Who stands for a column, and for whom it stands."""
        owner, weight = self._nearest("_speaking")
        names = self._column_names()
        others = np.flatnonzero((owner == column) & (np.arange(len(owner)) != column))
        others = others[np.argsort(-weight[others], kind="stable")]
        source = int(owner[column])
        return Speaking(
            representative=names[source] if source >= 0 else None,
            weight=float(weight[column]),
            path=self._path_to(column, source),
            members=tuple((names[other], float(weight[other])) for other in others),
            isolated=column in self.isolated_,
        )

    def _path_to(self, column: int, source: int) -> tuple[str, ...]:
        """Names of the columns between a column and its representative, nearest first."""
        if source in (-1, column):
            return ()
        reach: Any = self._reach
        ends = np.searchsorted(self.nodes_, [source, column]).tolist()
        return tuple(self._column_names()[self.nodes_[reach.path(*ends)]])

    def _nearest(self, wanted: str) -> tuple[Ints, Doubles]:
        """Representative of each column and its weight; columns not in the graph have none."""
        self._fitted_coverage(wanted)
        reach: Any = self._reach
        sources = np.flatnonzero(self.support_[self.nodes_])
        representative = np.full(self.n_features_in_, -1, dtype=np.int64)
        weight = np.zeros(self.n_features_in_)
        owner, how_well = reach.nearest(sources)
        representative[self.nodes_] = np.where(owner >= 0, self.nodes_[owner], -1)
        weight[self.nodes_] = how_well
        # A constant column may be selected (kept, or more are asked for than vary).
        selected = np.flatnonzero(self.support_)
        representative[selected] = selected
        weight[selected] = 1.0
        return representative, weight

    def _fitted_coverage(self, wanted: str) -> Coverage:
        check_is_fitted(self)
        if self._coverage is None:
            raise AttributeError(f"{wanted} is there only after a fit with rule='coverage'")
        return self._coverage
