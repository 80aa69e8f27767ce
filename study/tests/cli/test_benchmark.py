"""``topofs benchmark`` from its arguments to its files."""

from functools import partial

import pandas as pd
import pytest

from topofs.cli.app import app
from topofs_study.benchmark import summary
from topofs_study.benchmark.fseval import FOREST, K_MEANS, SHARES, FsevalItem
from topofs_study.benchmark.methods import METHODS
from topofs_study.benchmark.plan import BenchmarkItem
from topofs_study.running import driver
from topofs_study.running.store import Store
from topofs_study.running.work_item import Record

TINY = ["--datasets", "wine,breast_cancer", "--splits", "2", "--seeds", "6", "--sizes", "2,4"]
QUICK = ["--methods", "random,all,variance,coverage"]


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Fewer draws of the Bayesian tests, which would take most of the time."""
    monkeypatch.setattr(summary, "summarise", partial(summary.summarise, n_draws=50))


@pytest.fixture
def topofs(monkeypatch, capsys):
    """Run the command in this process; its status and what it said."""

    def call(*arguments):
        monkeypatch.setenv("COLUMNS", "300")
        with pytest.raises(SystemExit) as end:
            app(["benchmark", *map(str, arguments)], prog_name="topofs")
        said = capsys.readouterr()
        return end.value.code, said.out + said.err

    return call


@pytest.fixture
def no_datasets(monkeypatch, tmp_path):
    """A machine without any of the paper's datasets."""
    monkeypatch.setenv("TOPOFS_DATA", str(tmp_path / "nothing"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "nothing"))


def results(path):
    with Store(path) as store:
        return [
            (record.item.key, {k: v for k, v in record.result.items() if k != "seconds"})
            for record in store.records(BenchmarkItem)
        ]


@pytest.mark.needs_jit
def test_a_tiny_benchmark_of_every_method(topofs, tmp_path):
    status, said = topofs(*TINY, "--out", tmp_path)
    assert status == 0, said
    assert "Mean balanced accuracy; datasets: 2, splits: 2" in said
    assert "default against random subsets: " in said
    assert "missing" not in said
    records = pd.read_csv(tmp_path / "records.csv")
    assert records["method"].nunique() == len(METHODS)
    assert (
        records[records["method"] == "random"]
        .groupby(["dataset", "split"])["seed"]
        .nunique()
        .tolist()
        == [6] * 4
    )
    assert (tmp_path / "report.md").stat().st_size > 0
    assert (tmp_path / "critical_difference.svg").stat().st_size > 0


def test_a_run_that_was_stopped_goes_on_where_it_stopped(topofs, tmp_path, monkeypatch):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert topofs(*TINY, *QUICK, "--out", whole)[0] == 0
    ran = []

    def stop_after_five(task, data_dir):
        if len(ran) == 5:
            raise KeyboardInterrupt
        ran.append(task)
        return work(task, data_dir)

    work = driver.run_task
    with monkeypatch.context() as patch:
        patch.setattr(driver, "run_task", stop_after_five)
        status, said = topofs(*TINY, *QUICK, "--out", stopped)
    assert status == 130
    assert "5 of 20 results are in" in said
    status, said = topofs("--report-only", *TINY, *QUICK, "--out", stopped)
    assert status == 0
    assert "missing: " in said
    assert "What is missing" in (stopped / "report.md").read_text(encoding="utf-8")
    counted = []
    monkeypatch.setattr(
        driver, "run_task", lambda task, folder: counted.append(task) or work(task, folder)
    )
    assert topofs(*TINY, *QUICK, "--out", stopped)[0] == 0
    assert len(counted) == 15
    assert results(stopped / "store.sqlite") == results(whole / "store.sqlite")
    assert (stopped / "report.md").read_bytes() == (whole / "report.md").read_bytes()


@pytest.mark.needs_jit
def test_workers_give_the_same_results(topofs, tmp_path):
    arguments = (*TINY, *QUICK)
    assert topofs(*arguments, "--out", tmp_path / "one")[0] == 0
    assert topofs(*arguments, "--jobs", "2", "--out", tmp_path / "two")[0] == 0
    one, two = (results(tmp_path / name / "store.sqlite") for name in ("one", "two"))
    assert one == two


def test_missing_datasets_are_named_and_the_others_run(topofs, tmp_path, no_datasets):
    status, said = topofs(
        *("--datasets", "colon,wine", "--methods", "variance", "--splits", "1"),
        "--out",
        tmp_path,
    )
    assert status == 3
    assert "not run: colon" in said
    assert "missing: 1 of 2 dataset splits of variance" in said
    assert set(pd.read_csv(tmp_path / "records.csv")["dataset"]) == {"wine"}


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--datasets", "colonn"], 2, "did you mean 'colon'"),
        (["--datasets", "wine", "--methods", "pca"], 2, "there are random, all, variance"),
        (["--datasets", "wine", "--splits", "0"], 2, "the number of splits is 0"),
        (["--datasets", "wine", "--sizes", "ten"], 2, "whole numbers"),
        (["--datasets", "wine", "--jobs", "0"], 2, "1 or more"),
        (["--datasets", "wine", "--report-only"], 3, "there is no such store"),
    ],
)
def test_wrong_usage_is_one_sentence(topofs, tmp_path, arguments, status, message):
    found, said = topofs(*arguments, "--out", tmp_path / "out")
    assert found == status
    assert message in said
    assert "Traceback" not in said


def test_a_store_without_results_for_what_is_asked(topofs, tmp_path):
    assert (
        topofs("--datasets", "wine", "--methods", "all", "--splits", "1", "--out", tmp_path)[0]
        == 0
    )
    status, said = topofs("--datasets", "digits", "--report-only", "--out", tmp_path)
    assert status == 3
    assert "holds no results for these datasets and methods" in said


def test_rows_of_fseval_stand_beside_the_published_ones(topofs, tmp_path):
    results = tmp_path / "store.sqlite"
    with Store(results) as store:
        for metric in (FOREST, K_MEANS):
            item = FsevalItem("colon", "coverage", metric)
            store.add(Record(item, [(share, 0.9) for share in SHARES], n_fits=1, seconds=1.0))
    arguments = ("--protocol", "fseval", "--datasets", "colon", "--report-only")
    status, said = topofs(*arguments, "--out", tmp_path)
    assert status == 0, said
    assert "Random forest, accuracy over five folds; datasets: 1, seeds: 1" in said
    assert "topofs     coverage (default)  0.900" in said
    assert "published  Random" in said
    table = pd.read_csv(tmp_path / "fseval_rf_accuracy.csv")
    assert table.iloc[0][["source", "method"]].tolist() == ["topofs", "coverage"]
    status, said = topofs("--protocol", "fseval", "--datasets", "wine", "--out", tmp_path)
    assert status == 2
    assert "FSEVAL has no numbers for 'wine'" in said
