"""The reduced table says which identifiers and dates it does not hold."""

from tests.cli.running import run
from tests.messages import assert_tells


def test_an_identifier_that_is_not_written_is_named(wine, tmp_path):
    table = wine.assign(day=[f"2024-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in range(len(wine))])
    table.to_csv(tmp_path / "w.csv", index=False)
    out = ("--out", tmp_path / "o.csv", "-k", "3", "--target", "class")
    said = run("select", tmp_path / "w.csv", *out).stderr
    assert_tells(said, "o.csv", "bottle, day", "--id bottle --id day")
    kept = run("select", tmp_path / "w.csv", *out, "--id", "bottle", "--drop", "day").stderr
    assert "is without" not in kept
    assert "is without" not in run("select", tmp_path / "w.csv", "-k", "3").stderr
