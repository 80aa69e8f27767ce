"""A work item: the smallest unit that is computed, stored and resumed.

An item knows what a store calls it, what it costs, which items it can share work with, and how it
is computed. A new kind of work is a new class; the driver, the executor and the store stay as
they are.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from topofs_study.datasets import Dataset

__all__ = ["Record", "WorkItem"]


class Workspace(Protocol):
    """What the items of a task share: parts of a dataset, and the work done on them so far."""

    n_fits: int


W = TypeVar("W", bound=Workspace)
Item = TypeVar("Item", bound="WorkItem[Any]")


@dataclass(frozen=True)
class Shape:
    """What a plan has to know of a dataset.

    `n_train` counts the rows of the training table, `n_features` its columns that can be
    selected, `n_classes` the classes.
    """

    n_train: int
    n_features: int
    n_classes: int


class WorkItem(ABC, Generic[W]):
    """One unit of work on one dataset; subclasses are frozen dataclasses."""

    kind: ClassVar[str]
    """The first word of the key, and of no other class."""

    result_type: ClassVar[type | tuple[type, ...]] = (dict, list)
    """What `compute` gives."""

    dataset: str

    @property
    @abstractmethod
    def identity(self) -> Identity:
        """What a store knows the item by."""

    @classmethod
    @abstractmethod
    def from_identity(cls, identity: Identity) -> Self:
        """Give back the item that has an identity."""

    @property
    def key(self) -> str:
        """The primary key of the item in a store."""
        return self.identity.key

    @property
    def shared_work(self) -> tuple[str, ...]:
        """Items of a plan for which this is equal are one task; each is its own by default."""
        return (self.key,)

    @property
    @abstractmethod
    def label(self) -> str:
        """What a person is told while it runs, in a few words."""

    @abstractmethod
    def cost(self, shape: Shape) -> float:
        """Estimate the work, in units that only compare items of a plan; positive."""

    @abstractmethod
    def workspace(self, dataset: Dataset) -> W:
        """Prepare the dataset for the items of a task."""

    @abstractmethod
    def compute(self, workspace: W) -> Any:
        """Give the result, ready for JSON; the same whatever the workspace remembers."""


@dataclass(frozen=True)
class Record(Generic[Item]):
    """What came of one work item.

    Parameters
    ----------
    item : WorkItem
        What was run.
    result : list or dict
        What its `compute` gave.
    n_fits : int
        Classifiers fitted for this item and for no earlier one of its task.
    seconds : float
        Time it took.
    """

    item: Item
    result: Any
    n_fits: int
    seconds: float


def tasks(items: list[Item]) -> list[tuple[Item, ...]]:
    """Put items that can share work into one task, in the order of their first item."""
    groups: dict[tuple[str, ...], list[Item]] = {}
    for item in items:
        groups.setdefault(item.shared_work, []).append(item)
    return [tuple(group) for group in groups.values()]


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The words that a store keeps of an item: readable, the same in every version.

    Parameters
    ----------
    kind : str
        The kind of the item; its key begins with it.
    protocol, dataset, method, classifier, part : str
        On what; empty where an item has none.
    sizes : tuple of int
        Numbers of features to keep.
    settings : tuple of dict
        The parameters of each setting, where settings are part of the identity.

    Examples
    --------
    >>> Identity(kind="split", protocol="paper", dataset="wine").key
    'split/paper/wine///test/'
    """

    kind: str
    protocol: str
    dataset: str
    method: str = ""
    classifier: str = ""
    part: str = "test"
    sizes: tuple[int, ...] = ()
    settings: tuple[dict[str, Any], ...] = ()

    @property
    def key(self) -> str:
        """The identity as readable text; equal items have equal keys."""
        words = [self.kind, self.protocol, self.dataset, self.method, self.classifier]
        words += [self.part, "+".join(map(str, self.sizes))]
        if self.settings:
            text = json.dumps(self.settings)
            words.append(hashlib.sha256(text.encode()).hexdigest()[:12])
        return "/".join(words)

    def to_json(self) -> str:
        """Give the identity as one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Identity:
        """Give back the identity that `to_json` wrote."""
        fields: Any = json.loads(text)
        if not isinstance(fields, dict) or not {"kind", "sizes", "settings"} <= set(fields):
            raise ValueError(f"its item is {text[:60]}")
        lists = {name: tuple(fields[name]) for name in ("sizes", "settings")}
        return cls(**{**fields, **lists})
