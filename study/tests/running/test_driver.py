"""The driver serves any plan: here one that counts letters."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from topofs_study.errors import UnknownDatasetError
from topofs_study.running.driver import Survey, run_plan, survey
from topofs_study.running.store import Store
from topofs_study.running.work_item import Identity, Shape, WorkItem, tasks


@dataclass
class Letters:
    text: str
    n_fits: int = 0


@dataclass(frozen=True)
class Count(WorkItem[Letters]):
    kind: ClassVar[str] = "count"
    result_type: ClassVar[type] = int

    dataset: str
    letter: str

    @property
    def identity(self):
        return Identity(kind="count", protocol="", dataset=self.dataset, method=self.letter)

    @classmethod
    def from_identity(cls, identity):
        return cls(identity.dataset, identity.method)

    @property
    def label(self):
        return f"{self.dataset} {self.letter}"

    @property
    def shared_work(self):
        return (self.dataset,)

    def cost(self, shape):
        return float(shape.n_features)

    def workspace(self, dataset):
        return Letters(dataset.name)

    def compute(self, workspace):
        workspace.n_fits += 1
        return workspace.text.count(self.letter)


@dataclass(frozen=True)
class Counts:
    """All vowels of each name, then the letter that the first stage had most of."""

    datasets: tuple[str, ...]

    def shape_of(self, dataset):
        return Shape(*dataset.X.shape, dataset.n_classes)

    def every_item(self, shapes, store):
        return [*self._vowels(shapes), *(Count(name, "?") for name in shapes)]

    def stages(self, shapes, store):
        yield self._vowels(shapes)
        best = max(store.records(Count), key=lambda record: record.result)
        yield [Count(name, best.item.letter.upper()) for name in shapes]

    def _vowels(self, shapes):
        return [Count(name, letter) for name in shapes for letter in "ie"]


class Witness:
    def __init__(self):
        self.heard = []

    def planned(self, *numbers):
        self.heard.append(numbers)

    def started(self, task):
        self.heard.append(task)

    def finished(self, task, done_cost):
        self.heard.append(done_cost)


def test_a_survey_tells_shapes_from_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("TOPOFS_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = survey(Counts(("wine", "colon")))
    assert found == Survey({"wine": Shape(178, 13, 3)}, found.missing)
    assert list(found.missing) == ["colon"]
    with pytest.raises(UnknownDatasetError):
        survey(Counts(("vine",)))


def test_a_plan_is_run_stage_by_stage_and_only_once(tmp_path):
    plan = Counts(("wine", "digits"))
    shapes = survey(plan).shapes
    with Store(tmp_path / "store.sqlite") as store:
        first = Witness()
        run_plan(plan, shapes, store, first)
        assert first.heard[0] == (6, 3 * (13 + 64), 0, 0)
        assert tuple(Count("wine", letter) for letter in "ie") in first.heard, "one task"
        assert sum(h for h in first.heard if isinstance(h, float)) == 3 * (13 + 64)
        found = {(r.item.dataset, r.item.letter): r.result for r in store.records(Count)}
        assert found["digits", "i"] == 2
        assert found["wine", "I"] == found["digits", "I"] == 0, "from the first stage"
        again = Witness()
        run_plan(plan, shapes, store, again)
        assert again.heard == [(6, 3 * (13 + 64), 4, 2 * (13 + 64))]


def test_an_item_is_a_task_of_its_own_unless_it_says_otherwise():
    class Alone(Count):
        @property
        def shared_work(self):
            return WorkItem.shared_work.fget(self)

    assert [len(task) for task in tasks([Alone("wine", "i"), Alone("wine", "e")])] == [1, 1]
    assert [len(task) for task in tasks([Count("wine", "i"), Count("wine", "e")])] == [2]
