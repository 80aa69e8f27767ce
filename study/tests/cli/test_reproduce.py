"""``topofs reproduce`` from its arguments to its files."""

import io
from functools import partial
from types import SimpleNamespace

import pandas as pd
import pytest
from rich.console import Console

from study.tests.running.real_run import results
from topofs.cli.app import app
from topofs_study.cli.runs import RunProgress
from topofs_study.errors import StudyError
from topofs_study.paper.frames import load
from topofs_study.paper.items import Tuning
from topofs_study.paper.splits import Fold
from topofs_study.paper.study import Study
from topofs_study.report import reproduction
from topofs_study.running.driver import survey
from topofs_study.running.work_item import Shape

TINY = ["--datasets", "wine", "--classifiers", "KNN", "--sizes", "2,4"]


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Fewer draws of the Bayesian tests, which would take most of the time."""
    write = partial(reproduction.write_reproduction, n_draws=50)
    monkeypatch.setattr(reproduction, "write_reproduction", write)


@pytest.fixture
def no_report(monkeypatch):
    """Nothing is written but the store."""
    monkeypatch.setattr(reproduction, "write_reproduction", lambda *_: [])


@pytest.fixture
def topofs(monkeypatch, capsys):
    """Run the command in this process; its status and what it said."""

    def call(*arguments):
        monkeypatch.setenv("COLUMNS", "300")
        with pytest.raises(SystemExit) as end:
            app(["reproduce", *map(str, arguments)], prog_name="topofs")
        said = capsys.readouterr()
        return end.value.code, said.out + said.err

    return call


@pytest.fixture
def no_datasets(monkeypatch, tmp_path):
    """A machine without any of the paper's datasets."""
    monkeypatch.setenv("TOPOFS_DATA", str(tmp_path / "nothing"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "nothing"))


@pytest.mark.parametrize("protocol", ["paper", "corrected"])
def test_a_tiny_study_of_each_protocol(topofs, tmp_path, protocol):
    status, said = topofs(*TINY, "--protocol", protocol, "--out", tmp_path)
    assert status == 0, said
    frames = load(tmp_path / "store.sqlite")
    assert set(frames.scores["protocol"]) == {protocol}
    baselines = {"all"} if protocol == "paper" else {"all", "random", "variance"}
    assert set(frames.scores["method"]) == {"tfs", "inf_fs"} | baselines
    assert len(frames.tuned) == 2 * 2
    assert len(frames.pairs) == 2 * 15 * 2
    assert frames.splits["count"].sum() == 178
    for name in ("cells.csv", "tuned.csv", "p_values.csv", "claims.csv"):
        assert len(pd.read_csv(tmp_path / name)) > 0, name
    cells = pd.read_csv(tmp_path / "cells.csv")
    assert list(cells) == [
        *("dataset", "classifier", "n_features", "method", "metric"),
        *("published", "paper", "corrected"),
    ]
    assert cells.loc[cells["dataset"] == "wine", protocol].notna().all()
    assert (tmp_path / "report.md").stat().st_size > 0
    assert (tmp_path / "report.html").stat().st_size > 0


def test_the_same_command_again_runs_nothing_and_writes_the_same(topofs, tmp_path):
    arguments = (*TINY, "--methods", "tfs,inf_fs", "--no-pairs", "--out", tmp_path)
    assert topofs(*arguments)[0] == 0
    first = results(tmp_path / "store.sqlite")
    cells = (tmp_path / "cells.csv").read_bytes()
    assert topofs(*arguments)[0] == 0
    assert results(tmp_path / "store.sqlite") == first
    assert (tmp_path / "cells.csv").read_bytes() == cells


@pytest.mark.usefixtures("no_report")
def test_another_store_can_be_named(topofs, tmp_path):
    store = tmp_path / "elsewhere.sqlite"
    arguments = (*TINY, "--methods", "variance", "--store", store, "--out", tmp_path / "new")
    assert topofs(*arguments)[0] == 0
    assert store.exists()
    assert not (tmp_path / "new" / "store.sqlite").exists()


@pytest.mark.usefixtures("no_report", "no_datasets")
def test_missing_datasets_are_named_and_the_others_run(topofs, tmp_path):
    arguments = ("--datasets", "colon,wine", "--methods", "variance", "--sizes", "2")
    status, said = topofs(*arguments, "--out", tmp_path)
    assert status == 3
    assert "not run: colon" in said
    assert set(load(tmp_path / "store.sqlite").scores["dataset"]) == {"wine"}


@pytest.mark.usefixtures("no_report", "no_datasets")
def test_without_data_the_embedded_datasets_run(topofs, tmp_path):
    arguments = ("--methods", "variance", "--classifiers", "KNN", "--sizes", "3")
    status, said = topofs(*arguments, "--out", tmp_path)
    assert status == 0, said
    assert "running the embedded ones" in said
    names = set(load(tmp_path / "store.sqlite").scores["dataset"])
    assert names == {"wine", "digits", "breast_cancer"}


def test_an_empty_data_dir_is_no_reason_to_run_something_else(topofs, tmp_path, no_datasets):
    status, said = topofs("--data-dir", tmp_path, "--out", tmp_path / "out")
    assert status == 3
    assert "none of the paper's datasets was found" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--datasets", "colonn"], "did you mean 'colon'"),
        (["--datasets", "wine", "--classifiers", "SVM"], "there are LinearSVM, KNN"),
        (["--datasets", "wine", "--methods", "pca"], "there are tfs, inf_fs, random"),
        (["--datasets", "wine", "--sizes", "20"], "allowed are 1 to 13"),
        (["--datasets", "wine", "--sizes", "ten"], "whole numbers"),
        (["--datasets", "wine", "--jobs", "0"], "1 or more"),
        (["--datasets", "wine", "--replay"], "prints no settings for 'wine'"),
        (["--datasets", "colon", "--replay", "--sizes", "20"], "10, 50, 100, 150, 200"),
    ],
)
def test_wrong_usage_has_status_2_and_lists_what_is_allowed(
    topofs, tmp_path, arguments, message
):
    status, said = topofs(*arguments, "--out", tmp_path)
    assert status == 2, said
    assert message in said.replace("\n", " ")


def test_a_survey_reports_what_is_missing(tmp_path, no_datasets):
    found = survey(Study(datasets=("wine", "colon")), data_dir=str(tmp_path))
    assert found.shapes == {"wine": Shape(124, 13, 3)}
    assert list(found.missing) == ["colon"]
    with pytest.raises(StudyError):
        Study(datasets=("digits",), source="replay")


def test_progress_counts_and_estimates():
    progress = RunProgress()
    task = (Tuning("paper", "wine", "tfs", "KNN", Fold(0), (3,)),)
    with progress:
        progress.planned(4, 100.0, 1, 20.0)
        progress.started(task)
        assert progress._bar.tasks[0].fields["running"] == "wine fold-0 tfs"
        assert progress._bar.tasks[0].fields["estimate"] == ""
        progress._began -= 3600
        progress.finished(task, 16.0)
    bar = progress._bar.tasks[0]
    assert (progress.n_done, bar.completed) == (2, 36.0)
    assert bar.fields["counts"] == "2 done, 2 left"
    assert bar.fields["estimate"] == "about 4 h 0 min"
    assert bar.fields["running"] == ""


def test_a_log_gets_a_line_now_and_then(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    printed = io.StringIO()
    progress = RunProgress(Console(file=printed, width=200))
    tasks = [(SimpleNamespace(key=str(i), label=f"item {i}"),) for i in range(20)]
    with progress:
        progress.planned(20, 20.0, 0, 0.0)
        for task in tasks:
            progress.started(task)
            now[0] += 20
            progress.finished(task, 1.0)
    lines = printed.getvalue().splitlines()
    assert len(lines) == 9
    assert lines[0] == "10 % of the work: 2 done, 18 left, about 6 min left; running nothing"
    assert "[dim]" not in printed.getvalue()
