"""A work item: the smallest unit of the study that is computed, stored and resumed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from topofs_study.paper.settings import Setting

__all__ = ["Cell", "WorkItem"]

Cell = tuple[str, str, str, str, int]
"""protocol, dataset, method, classifier, number of features."""


@dataclass(frozen=True)
class WorkItem:
    """One unit of work: one method and one classifier on one part of one dataset.

    Parameters
    ----------
    kind : {"split", "tune", "test", "pair", "benchmark"}
        What to compute.
    protocol, dataset, method, classifier : str
        On what; a split has neither method nor classifier, a benchmark runs all classifiers.
    part : str
        ``"test"``, ``"fold-k"`` or ``"half-repetition-half"``; of a benchmark ``"split-k"``,
        for random subsets followed by ``"-seeds-first-last"``.
    sizes : tuple of int
        Numbers of features to keep.
    settings : tuple of Setting
        One for each size, for tests and pairs; tuning runs the whole grid.
    """

    kind: str
    protocol: str
    dataset: str
    method: str = ""
    classifier: str = ""
    part: str = "test"
    sizes: tuple[int, ...] = ()
    settings: tuple[Setting, ...] = ()

    @property
    def key(self) -> str:
        """The identity of the item as readable text; equal items have equal keys."""
        words = [self.kind, self.protocol, self.dataset, self.method, self.classifier]
        words += [self.part, "+".join(map(str, self.sizes))]
        if self.settings:
            text = json.dumps([asdict(setting) for setting in self.settings])
            words.append(hashlib.sha256(text.encode()).hexdigest()[:12])
        return "/".join(words)

    def to_json(self) -> str:
        """Give the item as one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> WorkItem:
        """Give back the item that `to_json` wrote.

        Parameters
        ----------
        text : str
            The line.

        Returns
        -------
        WorkItem
        """
        fields: dict[str, Any] = json.loads(text)
        settings = tuple(Setting(**setting) for setting in fields.pop("settings"))
        return cls(**{**fields, "sizes": tuple(fields["sizes"]), "settings": settings})
