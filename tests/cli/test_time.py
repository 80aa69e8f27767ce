"""Rows in the order of time: ``--time``."""

import numpy as np
import pandas as pd
import pytest
from scipy import signal
from sklearn.model_selection import TimeSeriesSplit

from tests.cli.running import run, run_json
from topofs import Auto, TopologicalFeatureSelector, stability
from topofs.comparison import Resampling, compare, target_of

N_ROWS = 90


@pytest.fixture(scope="module")
def ordered():
    random = np.random.default_rng(3)
    walk = np.cumsum(random.normal(size=(N_ROWS, 3)), axis=0)
    X = np.column_stack([walk, walk + random.normal(size=walk.shape)])
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(6)])
    frame["y"] = walk[:, 0] + random.normal(size=N_ROWS)
    return frame


@pytest.fixture(scope="module")
def times():
    days = pd.date_range("2023-11-05", periods=N_ROWS, freq="7h")
    return {
        "number": np.arange(N_ROWS) * 10.0 - 200,
        "text": days.strftime("%Y-%m-%dT%H:%M"),
        "date": days,
    }


def written(ordered, times, folder, kind):
    """The rows shuffled; the time says how they were."""
    frame = ordered.assign(when=times[kind]).sample(frac=1, random_state=0)
    path = folder / ("t.parquet" if kind == "date" else "t.csv")
    if kind == "date":
        import polars as pl

        columns = {name: frame[name].to_numpy() for name in frame.columns}
        pl.DataFrame(columns).write_parquet(path)
    else:
        frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("kind", ["number", "text", "date"])
def test_stability_draws_blocks_of_sorted_rows(ordered, times, tmp_path, kind):
    path = written(ordered, times, tmp_path, kind)
    found = run_json("stability", path, "--time", "when", "--resamples", 6, "--seed", 4)
    expected = stability(
        TopologicalFeatureSelector(similarity=Auto(rows="ordered")),
        ordered,
        n_resamples=6,
        random_state=4,
        splits="blocks",
    )
    frequency = {column["column"]: column["frequency"] for column in found["columns"]}
    assert frequency == pytest.approx(dict(zip(ordered, expected.frequency, strict=True)))
    assert found["stability"] == pytest.approx(expected.phi)
    assert (found["time"], found["splits"]) == ("when", "blocks")
    assert {"name": "when", "reason": "time"} in found["left_out"]
    printed = run("stability", path, "--time", "when", "--resamples", 6).stdout
    assert "6 resamples in blocks of neighbours by when" in printed


def test_compare_predicts_later_rows(ordered, times, tmp_path):
    path = written(ordered, times, tmp_path, "text")
    options = ("--target", "y", "--sizes", "2", "--folds", 3)
    found = run_json("compare", path, "--time", "when", *options)
    target = target_of(ordered["y"].to_numpy())
    X = ordered.drop(columns="y").to_numpy()
    resampling = Resampling(n_folds=3)
    for splits in ("forward", TimeSeriesSplit(3), list(TimeSeriesSplit(3).split(X))):
        expected = compare(
            X,
            target,
            sizes=[2],
            selector=TopologicalFeatureSelector(similarity=Auto(rows="ordered")),
            resampling=resampling,
            splits=splits,
        )
        assert (expected.n_folds, expected.n_repeats) == (3, 1)
        for scores in expected.scores:
            mine = next(
                s for s in found["scores"] if s["method"] == scores.method
                and s["n_features"] == scores.n_features
            )  # fmt: skip
            assert mine["by_split"] == pytest.approx(list(scores.by_split))
    assert (found["splits"], found["n_repeats"], expected.splits) == ("forward", 1, "given")
    printed = run("compare", path, "--time", "when", *options).stdout
    assert "3 parts of the rows, each after those it is predicted from" in printed


def test_without_time_nothing_has_changed(ordered):
    target = target_of(ordered["y"].to_numpy())
    found = compare(ordered.drop(columns="y").to_numpy(), target, sizes=[2])
    assert (found.splits, found.n_folds, found.n_repeats) == ("folds", 5, 2)


@pytest.mark.parametrize(
    ("splits", "sentence"),
    [
        ("backward", "splits is 'backward'; give 'forward'"),
        (7, "gives no pairs of rows"),
        ([(np.arange(5), np.arange(5, 9))], "splits gives 1 splits; at least two"),
        ([(np.arange(5), np.arange(5, 99))] * 2, "splits names row 90, and the 90 rows"),
        ([(np.arange(1), np.arange(5, 9))] * 2, "of 1 rows to train on"),
    ],
)
def test_bad_splits_get_a_sentence(ordered, splits, sentence):
    target = target_of(ordered["y"].to_numpy())
    with pytest.raises(ValueError, match=sentence):
        compare(ordered.drop(columns="y").to_numpy(), target, sizes=[2], splits=splits)


@pytest.mark.parametrize(
    ("column", "status", "sentence"),
    [
        ("wen", 2, "--time: there is no column 'wen'; did you mean 'when'?"),
        ("words", 3, "of --time holds 'soon' in row 1; give numbers, or dates such as 2024"),
        ("gaps", 3, "of --time has no value in row 3"),
        ("truth", 3, "of --time holds Boolean; give numbers or dates"),
    ],
)
def test_bad_times_get_a_sentence(ordered, tmp_path, column, status, sentence):
    frame = ordered.assign(when=range(N_ROWS), words="soon", gaps=1.0, truth=[True, False] * 45)
    frame.loc[2, "gaps"] = np.nan
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = run("stability", tmp_path / "t.csv", "--time", column, "--resamples", 3)
    assert result.exit_code == status, result.output
    assert sentence in result.stderr


def test_other_refusals(ordered, times, tmp_path):
    path = written(ordered, times, tmp_path, "number")
    given = ("compare", path, "--time", "when", "--target")
    assert "leave --repeats out" in run(*given, "y", "--repeats", 3).stderr
    assert "--target and --time; choose one" in run(*given, "when").stderr
    frame = ordered.assign(when=range(N_ROWS), y=["a"] * 60 + ["b"] * 30)
    frame.to_csv(tmp_path / "classes.csv", index=False)
    given = ("compare", tmp_path / "classes.csv", "--time", "when", "--target", "y")
    assert "trains on 15 rows of the one class 'a'" in run(*given).stderr
    frame[::10].to_csv(tmp_path / "short.csv", index=False)
    given = ("compare", tmp_path / "short.csv", "--time", "when", "--target", "c0")
    assert "need at least 12 rows, and there are 9" in run(*given).stderr


NANOSECONDS = 1_700_000_000_000_000_000
"""A time in our days; one after the other they are the same float64."""


@pytest.mark.parametrize("kind", ["number", "date", "text", "long"])
def test_nanoseconds_keep_their_order(ordered, tmp_path, kind):
    import polars as pl

    steps = np.arange(N_ROWS)
    times = {
        "number": pl.Series(NANOSECONDS + steps),
        "date": pl.Series(NANOSECONDS + steps).cast(pl.Datetime("ns")),
        "text": pl.Series([f"2024-01-01T00:00:00.123456{step:03}" for step in steps]),
        "long": pl.Series([str(2**64 + int(step)) for step in steps]),
    }[kind]
    shuffled = np.random.default_rng(0).permutation(N_ROWS)
    table = pl.DataFrame({"when": times} | {name: ordered[name].to_numpy() for name in ordered})
    answers = []
    for rows, ending in ((steps, "parquet"), (shuffled, "parquet"), (shuffled, "csv")):
        path = tmp_path / f"{len(answers)}.{ending}"
        getattr(table[rows], f"write_{ending}")(path)
        given = ("--time", "when", "--resamples", 4, "--seed", 1)
        answers.append(run_json("stability", path, *given)["columns"])
    assert answers[0] == answers[1] == answers[2]


def test_months_and_zones_are_dates(tmp_path, ordered):
    months = [f"{2000 + i // 12}-{i % 12 + 1:02}" for i in range(N_ROWS)]
    zones = [f"2024-01-01T00:{i // 2:02}:00{'+00:00' if i % 2 else 'Z'}" for i in range(N_ROWS)]
    for name, when in (("months", months), ("zones", zones)):
        frame = ordered.assign(when=when)
        frame[::-1].to_csv(tmp_path / f"{name}.csv", index=False)
        result = run("stability", tmp_path / f"{name}.csv", "--time", "when", "--resamples", 2)
        assert result.exit_code == 0, result.output


def test_select_counts_ordered_rows_for_fewer(tmp_path):
    random = np.random.default_rng(0)
    noise = random.normal(size=(12, 800))
    X = signal.lfilter([1], [1, -0.9], noise, axis=1)[:, 200:].T
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(12)])
    frame["when"] = np.arange(600)
    frame.to_csv(tmp_path / "ordered.csv", index=False)
    frame.sample(frac=1, random_state=0).to_csv(tmp_path / "shuffled.csv", index=False)
    path = tmp_path / "ordered.csv"
    plain = run("select", path, "--drop", "when")
    said = "--time COLUMN or --rows ordered allows for it"
    assert plain.stderr.count(said) == 1
    assert "no two columns share more than chance" not in plain.stdout
    for arguments in (
        ("select", path, "--drop", "when", "--rows", "ordered"),
        ("select", path, "--time", "when"),
        ("select", tmp_path / "shuffled.csv", "--time", "when"),
        ("groups", tmp_path / "shuffled.csv", "--time", "when"),
    ):
        result = run(*arguments)
        assert "follow each other" not in result.stderr
        assert "no two columns share more than chance" in result.stdout
    found = run_json("select", path, "--time", "when")
    assert found["settings"]["similarity"] == {
        "name": "pearson",
        "squared": True,
        "rows": "ordered",
    }
    shuffled = run("select", tmp_path / "shuffled.csv", "--drop", "when")
    assert "follow each other" not in shuffled.stderr


def test_a_measure_that_knows_no_order_says_so(ordered, times, tmp_path):
    path = written(ordered, times, tmp_path, "number")
    result = run("select", path, "--time", "when", "--similarity", "mutual_information")
    assert "--similarity mutual_information takes rows as independent" in result.stderr
