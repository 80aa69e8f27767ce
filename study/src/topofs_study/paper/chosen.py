"""The settings that are tested: the winners of the tuning, or those the paper prints."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topofs_study.paper.protocols import PROTOCOLS
from topofs_study.paper.published import published_tuned
from topofs_study.paper.settings import GRIDS, Setting
from topofs_study.paper.splits import N_FOLDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topofs_study.paper.items import Cell, Tuning
    from topofs_study.running.work_item import Record

__all__ = ["Chosen", "published_settings", "winners"]


@dataclass(frozen=True)
class Chosen:
    """The setting of one cell.

    Parameters
    ----------
    setting : Setting
        The setting.
    cv_balanced_accuracy : float
        Its mean over the folds; not rounded, unless it is the paper's.
    """

    setting: Setting
    cv_balanced_accuracy: float


def winners(records: Iterable[Record[Tuning]]) -> dict[Cell, Chosen]:
    """Choose the setting of every cell whose folds are all there.

    Parameters
    ----------
    records : iterable of Record
        The records of the tuning.

    Returns
    -------
    dict of cell to Chosen
        By protocol, dataset, method, classifier and number of features.
    """
    fold_scores: dict[Cell, dict[int, list[float]]] = defaultdict(dict)
    for record in records:
        for cell, scores in zip(record.item.cells, record.result, strict=True):
            fold_scores[cell][record.item.part.number] = scores
    found = {}
    for cell, by_fold in fold_scores.items():
        if len(by_fold) == N_FOLDS:
            means = np.array([by_fold[fold] for fold in sorted(by_fold)]).T.mean(axis=1)
            best = PROTOCOLS[cell[0]].winner(means.tolist())
            found[cell] = Chosen(GRIDS[cell[2]][best], float(means[best]))
    return found


def published_settings() -> dict[Cell, Chosen]:
    """Give the paper's settings, the same for both protocols.

    Returns
    -------
    dict of cell to Chosen
        By protocol, dataset, method, classifier and number of features.

    Examples
    --------
    >>> cell = ("paper", "colon", "inf_fs", "KNN", 10)
    >>> published_settings()[cell].setting
    Setting(similarity='energy', squared=False, alpha=0.7, theta=0.1)
    """
    frame = published_tuned()
    frame = frame.astype(object).where(frame.notna(), None)
    return {
        (protocol, row.dataset, row.method, row.classifier, int(row.n_features)): Chosen(
            Setting(row.similarity, bool(row.squared), row.alpha, row.theta),
            float(row.cv_balanced_accuracy),
        )
        for row in frame.itertuples(index=False)
        for protocol in PROTOCOLS
    }
