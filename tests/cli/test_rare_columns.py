"""Columns that too few rows carry, on the command line."""

import csv

import numpy as np
import pandas as pd
import pytest

from tests.cli.running import run, run_json
from tests.messages import assert_tells


@pytest.fixture(scope="module")
def counts_csv(tmp_path_factory):
    random = np.random.default_rng(0)
    common = random.poisson(1.0, size=(2100, 1)) + random.poisson(0.5, size=(2100, 6))
    frame = pd.DataFrame(common, columns=[f"g{i}" for i in range(6)])
    rare = np.zeros((2100, 2), dtype=int)
    rare[[7, 70, 700]] = 1
    path = tmp_path_factory.mktemp("rare") / "counts.csv"
    frame.assign(r0=rare[:, 0], r1=rare[:, 1]).to_csv(path, index=False)
    return path


def test_a_note_names_number_and_rule_and_files_have_the_reason(counts_csv, tmp_path):
    result = run("select", counts_csv, "--ranking", tmp_path / "ranking.csv")
    assert "2 of 8 columns" in result.stderr
    assert "in fewer than 4 of 2,100 samples" in result.stderr
    assert "--min-carriers 0 lets them take part" in result.stderr
    with (tmp_path / "ranking.csv").open(encoding="utf-8") as file:
        why = {row["name"]: row["left_out"] for row in csv.DictReader(file)}
    reason = "fewer than 4 samples have another value than the most frequent one"
    assert why["r0"] == why["r1"] == reason
    assert not why["g0"]
    found = run_json("select", counts_csv)
    assert {"name": "r1", "reason": reason} in found["left_out"]
    assert found["settings"]["min_carriers"] == "auto"


def test_the_minimum_is_an_option(counts_csv):
    found = run_json("select", counts_csv, "--min-carriers", "0")
    assert {"r0", "r1"} & {column["name"] for column in found["selected"]}
    assert found["left_out"] == []
    assert run("select", counts_csv, "--min-carriers", "auto").exit_code == 0
    for wrong in ("-1", "few", "1.5"):
        result = run("select", counts_csv, f"--min-carriers={wrong}")
        assert result.exit_code == 2
        assert "is neither a number of rows such as 20 nor auto" in result.stderr


def test_explain_gives_the_reason(counts_csv):
    said = run("explain", counts_csv, "r0").stdout
    assert_tells(said, "r0", "3 samples", 4)
    found = run_json("explain", counts_csv, "r0")
    assert found["left_out"].startswith("only 3 samples")
