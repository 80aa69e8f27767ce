"""The help of the commands and the completion in a shell."""

import pytest

from tests.cli.running import run
from topofs.cli.app import app


def test_the_help_fits_a_screen_and_has_an_example(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    lines = run("select", "--help").stdout.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80
    assert any("topofs select wine.csv --target class" in line for line in lines)


@pytest.mark.parametrize("command", ["select", "panel", "explain", "compare", "apply"])
def test_the_layer_of_a_file_can_be_found_in_the_help(command):
    assert "--layer NAME" in run(command, "--help").stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("topofs se", "select"),
        ("topofs ap", "apply"),
        ("topofs select --sav", "--save"),
        ("topofs apply --o", "--out"),
        ("topofs select --simi", "--similarity"),
        ("topofs select --similarity s", "spearman"),
        ("topofs select --similarity mu", "mutual_information"),
        ("topofs select --rule d", "degree"),
        ("topofs select --rule pa", "pagerank"),
        ("topofs select --graph ms", "mst"),
        ("topofs select --n-", "--n-bins"),
        ("topofs select --threshold m", "mean"),
        ("topofs --lo", "--load"),
        ("topofs select --reach p", "paths"),
        ("topofs groups --isolated k", "keep"),
        ("topofs sta", "stability"),
        ("topofs stability --resa", "--resamples"),
    ],
)
def test_completion_knows_commands_options_and_choices(monkeypatch, capsys, words, expected):
    monkeypatch.setenv("_TOPOFS_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    with pytest.raises(SystemExit):
        app(prog_name="topofs")
    assert expected in capsys.readouterr().out.split()
