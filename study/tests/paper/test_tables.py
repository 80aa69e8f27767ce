import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from study.tests.paper.made_up_study import made_up, nothing
from topofs_study.paper import published
from topofs_study.paper.statistics import paired_tests
from topofs_study.paper.tables import (
    agreement,
    cells_table,
    class_counts_table,
    misses,
    p_values_table,
    tuned_agreement,
    tuned_table,
)

PAPER = Path("../shared/paper")
TABLES = ("all_features", "datasets", "out_of_sample", "p_values", "tuned_inf_fs", "tuned_tfs")


@pytest.mark.skipif(not PAPER.exists(), reason="the paper's tables are not beside the checkout")
@pytest.mark.parametrize("name", TABLES)
def test_package_data_are_the_published_tables(name):
    ours = Path(published.__file__).parent / "published" / f"{name}.csv"
    assert ours.read_bytes() == (PAPER / f"{name}.csv").read_bytes()


def test_published_frames_are_copies():
    scores = published.published_scores()
    scores["value"] = 0.0
    assert published.published_scores()["value"].max() == 1.0


def test_published_class_counts_add_up_to_the_parts():
    counts = published.published_class_counts().groupby(["dataset", "part"])["count"].sum()
    sizes = published.published_datasets().set_index("dataset")
    for name in sizes.index:
        assert counts[name, "train"] == sizes.loc[name, "train_samples"]
        assert counts[name, "test"] == sizes.loc[name, "test_samples"]


def test_every_published_cell_stands_once():
    cells = cells_table(nothing().scores)
    assert len(cells) == 1440 + 48
    assert not cells.duplicated(
        ["dataset", "classifier", "n_features", "method", "metric"]
    ).any()
    assert cells[["paper", "corrected"]].isna().all(axis=None)
    assert set(cells["metric"]) == {"balanced_accuracy", "f1", "mcc"}


def test_cells_have_the_columns_and_order_of_the_file():
    cells = cells_table(made_up(["MADELON", "PCMAC"]).scores.sample(frac=1, random_state=0))
    text = cells.to_csv(index=False)
    head = "dataset,classifier,n_features,method,metric,published,paper,corrected"
    assert text.splitlines()[0] == head
    assert text.splitlines()[1].startswith("PCMAC,LinearSVM,10,tfs,balanced_accuracy,0.5,0.5,")
    again = pd.read_csv(io.StringIO(text))
    assert again["dataset"].iloc[-1] == "MADELON"
    assert again["n_features"].dtype.kind == "i"


def test_what_was_not_run_is_empty():
    frames = made_up(["colon"], ["corrected"])
    cells = cells_table(frames.scores[frames.scores["classifier"] == "KNN"])
    run = cells[cells["corrected"].notna()]
    assert set(run["classifier"]) == {"KNN"}
    assert cells["paper"].isna().all()
    assert run[run["method"] == "random"]["published"].isna().all()


def test_other_datasets_come_last():
    frames = made_up(["colon"], ["paper"])
    cells = cells_table(frames.scores.assign(dataset="<b>wine</b>"))
    assert cells["dataset"].iloc[-1] == "<b>wine</b>"
    assert cells["published"].notna().sum() == 1488


def test_agreement_counts():
    frames = made_up(["colon"], ["paper"])
    scores = frames.scores.reset_index(drop=True)
    first = scores.query("method == 'tfs' and metric == 'balanced_accuracy'").index
    scores.loc[first[0], "value"] += 0.004
    scores.loc[first[1], "value"] += 0.01
    scores.loc[first[2], "value"] -= 0.02
    scores.loc[first[3], "value"] += 0.2
    counts = agreement(cells_table(scores)).set_index("method")
    assert counts.loc["tfs"].to_dict() == {
        "compared": 15,
        "equal": 12,
        "within_0.01": 13,
        "within_0.03": 14,
        "largest": pytest.approx(0.2),
    }
    assert counts.loc["inf_fs", "equal"] == 15
    assert counts.loc["all", "compared"] == 3
    wrong = misses(cells_table(scores))
    assert wrong["difference"].round(9).tolist() in ([-0.02, 0.2], [0.2, -0.02])
    assert len(misses(cells_table(scores), limit=0.03)) == 1


def test_agreement_can_leave_datasets_out():
    cells = cells_table(made_up(["colon", "lung"], ["paper"]).scores)
    assert agreement(cells, leaving_out=["lung"])["compared"].tolist() == [15, 15, 3]
    assert agreement(cells, metric="mcc", by=("dataset",))["compared"].tolist() == [30, 30]
    assert agreement(cells_table(nothing().scores)).empty


def test_tuned_table_and_agreement():
    frames = made_up(["colon"], ["paper"])
    tuned = frames.tuned.reset_index(drop=True)
    tfs = tuned.index[tuned["method"] == "tfs"]
    tuned.loc[tfs[0], "cv_balanced_accuracy"] += 0.02
    tuned.loc[tfs[1], "similarity"] = "unheard-of"
    table = tuned_table(tuned)
    assert len(table) == 480
    assert "published_source" not in table
    counts = tuned_agreement(table).set_index("method")
    assert counts.loc["tfs"].to_dict() == {
        "compared": 15,
        "same_setting": 14,
        "within_0.01": 14,
    }
    assert counts.loc["inf_fs", "same_setting"] == 15


def test_replayed_settings_are_no_tuning():
    frames = made_up(["colon"], ["paper"])
    table = tuned_table(frames.tuned.assign(source="replay"))
    assert tuned_agreement(table).empty


def test_p_values_of_nothing():
    table = p_values_table(paired_tests(nothing().pairs))
    assert len(table) == 240
    assert set(table["agreement"]) == {""}


def test_p_values_beside_three_statistics():
    frames = made_up(["colon"], repetitions=4)
    table = p_values_table(paired_tests(frames.pairs))
    row = table.query("dataset == 'colon' and classifier == 'KNN' and n_features == 10").iloc[0]
    assert row["published_p_value"] == 0.92
    assert row["paper_repetitions"] == 4
    for protocol in ("paper", "corrected"):
        for name in ("program", "text", "nadeau_bengio"):
            assert 0.0 <= row[f"{protocol}_{name}"] <= 1.0


@pytest.mark.parametrize(
    ("dataset", "size", "ours", "expected"),
    [
        ("colon", 10, 0.9249, "equal"),
        ("colon", 10, 0.5, "both above 0.1"),
        ("colon", 10, 0.05, "differs"),
        ("ORL", 10, 0.03, "same stars"),
        ("ORL", 10, 0.06, "differs"),
        ("ORL", 10, 0.3, "differs"),
        ("ORL", 10, np.nan, ""),
    ],
)
def test_agreement_of_a_p_value(dataset, size, ours, expected):
    # Published: 0.92 for colon and ** for ORL.
    tests = paired_tests(made_up([dataset], ["paper"], repetitions=2).pairs)
    table = p_values_table(tests.assign(program=ours))
    row = table.query("dataset == @dataset and classifier == 'KNN' and n_features == @size")
    assert row["agreement"].item() == expected


def test_class_counts_match_labels_however_they_are_written():
    splits = made_up(["MADELON"], ["paper"]).splits
    written = splits.assign(**{"class": splits["class"].astype(float)})
    table = class_counts_table(written).query("dataset == 'MADELON'")
    assert table["class"].tolist() == ["-1", "1", "-1", "1"]
    assert table["published"].tolist() == table["paper"].tolist() == [1000, 1000, 300, 300]


def test_class_counts_of_words():
    splits = made_up(["colon"], ["paper"]).splits
    splits = splits.assign(dataset="d", **{"class": ["b", "a", "b", "a"]})
    table = class_counts_table(splits).query("dataset == 'd'")
    assert table["class"].tolist() == ["a", "b", "a", "b"]
    assert table["published"].isna().all()
