"""A dataset of the study with its parts, rankings and fits: nothing is computed twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topofs_study.paper.classifiers import METRICS, score_classifier
from topofs_study.paper.parts import TEST_PART
from topofs_study.paper.protocols import PROTOCOLS
from topofs_study.paper.splits import train_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from topofs_study.datasets import Dataset
    from topofs_study.paper.parts import Part
    from topofs_study.paper.protocols import Ranker
    from topofs_study.paper.settings import Setting
    from topofs_study.paper.splits import TrainTest

__all__ = ["StudyWorkspace"]


class StudyWorkspace:
    """A dataset with its parts, and the rankings and fits made on them so far.

    Parameters
    ----------
    dataset : Dataset
        The dataset.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.whole = train_test(dataset.X, dataset.y, test_rows=dataset.test_rows)
        self.n_fits = 0
        self._kept: dict[str, NDArray[np.intp]] = {}
        self._parts: dict[Part, TrainTest] = {}
        self._rankers: dict[tuple[str, Part], Ranker] = {}
        self._rankings: dict[tuple[str, Part, str, Setting], NDArray[np.intp]] = {}
        self._fits: dict[tuple[str, Part, bytes, bytes], tuple[float, ...]] = {}

    def part(self, part: Part) -> TrainTest:
        """Give the tables of a part: the test part, a fold or a half of the training table.

        Parameters
        ----------
        part : Part
            Which one.

        Returns
        -------
        TrainTest
        """
        if part not in self._parts:
            self._parts[part] = part.tables(self.whole)
        return self._parts[part]

    def kept(self, protocol: str) -> NDArray[np.intp]:
        """Give the columns that vary on the training table.

        Parameters
        ----------
        protocol : str
            Name of the protocol.

        Returns
        -------
        ndarray of int
        """
        if protocol not in self._kept:
            varying = PROTOCOLS[protocol].varying(self.whole.X_train)
            self._kept[protocol] = np.flatnonzero(varying)
        return self._kept[protocol]

    def rankings(
        self, protocol: str, part: Part, method: str, settings: Sequence[Setting]
    ) -> list[NDArray[np.intp]]:
        """Rank the kept columns for each setting, best first.

        Parameters
        ----------
        protocol : str
            Name of the protocol.
        part : Part
            On what.
        method : {"tfs", "inf_fs"}
            What to rank by.
        settings : sequence of Setting
            How.

        Returns
        -------
        list of ndarray of int
            Positions among the kept columns, one array for each setting.
        """
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
        """Fit a classifier on some columns, once for equal columns.

        Parameters
        ----------
        classifier, protocol : str
            Their names.
        part : Part
            On what.
        positions : ndarray of int
            Positions among the kept columns, in the order the classifier sees them.
        aligned : bool
            Whether the test table is read at the same columns whatever the protocol says.

        Returns
        -------
        tuple of float
            Balanced accuracy, and on the test part F1 and Matthews correlation.
        """
        kept = self.kept(protocol)
        train_columns = kept[positions]
        test_columns = train_columns
        if part == TEST_PART and not aligned:
            test_columns = PROTOCOLS[protocol].test_columns(positions, kept)
        key = (classifier, part, train_columns.tobytes(), test_columns.tobytes())
        if key not in self._fits:
            self._fits[key] = score_classifier(
                classifier,
                self.part(part),
                train_columns,
                test_columns,
                metrics=METRICS if part == TEST_PART else METRICS[:1],
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
