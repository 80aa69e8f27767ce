"""Commands of other distributions, and what happens where one is broken or missing."""

import subprocess
import sys

import pytest

from tests.cli.running import run
from topofs.cli import app as commands

SHOUT = """
import typer

app = typer.Typer(add_completion=False)


@app.command()
def shout(word: str) -> None:
    \"\"\"Say it louder.\"\"\"
    print(word.upper())
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a distribution with commands on the path, as pip would."""

    def arrange(name, entries, **modules):
        folder = tmp_path / f"{name.replace('-', '_')}-1.5.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n", encoding="utf-8"
        )
        lines = "\n".join(f"{command} = {value}" for command, value in entries.items())
        (folder / "entry_points.txt").write_text(
            f"[topofs.commands]\n{lines}\n", encoding="utf-8"
        )
        for module, text in modules.items():
            (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
            monkeypatch.delitem(sys.modules, module, raising=False)
        commands._installed.cache_clear()

    monkeypatch.syspath_prepend(tmp_path)
    yield arrange
    commands._installed.cache_clear()


@pytest.fixture
def alone(monkeypatch):
    """A machine on which no other distribution brings commands."""
    monkeypatch.setattr(commands, "_installed", dict)


def test_a_command_of_another_distribution_is_listed_and_run(install):
    install("shouting", {"shout": "shouting_cli:app"}, shouting_cli=SHOUT)
    assert "Say it louder." in run("--help").stdout
    result = run("shout", "oak")
    assert (result.exit_code, result.stdout) == (0, "OAK\n")
    assert "Say it louder." in run("shout", "--help").stdout


@pytest.mark.parametrize(
    ("value", "module", "reason"),
    [
        ("broken_cli:app", "import no_such_package", "no_such_package"),
        ("broken_cli:app", "app = 3", "int"),
        ("broken_cli:app", "raise ValueError('[/bold] odd')", "[/bold] odd"),
        ("broken_cli:app", "raise SystemExit(0)", "SystemExit"),
        ("broken_cli:app", "x = 1", "no attribute 'app'"),
        ("no_such_cli:app", "", "no_such_cli"),
    ],
)
def test_a_broken_command_is_one_line_and_leaves_the_others_alone(
    install, value, module, reason, wine_csv
):
    install("broken-tools", {"broken": value}, broken_cli=module)
    for arguments in (["broken"], ["broken", "--help"], ["broken", "a", "--out", "b"]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        assert "error: `topofs broken` of the distribution broken-tools 1.5" in result.stderr
        assert reason in result.stderr
    listed = run("--help")
    assert listed.exit_code == 0
    assert "select" in listed.stdout
    assert "broken" in listed.stdout
    assert run("select", wine_csv, "--target", "class").exit_code == 0


def test_the_own_commands_cannot_be_replaced(install):
    install("shouting", {"select": "shouting_cli:app"}, shouting_cli=SHOUT)
    assert "Say it louder." not in run("select", "--help").stdout


def test_of_two_distributions_with_a_command_the_first_by_name_has_it(install):
    louder = SHOUT.replace("upper()", 'upper() + "!"')
    install("b-shouting", {"shout": "first_cli:app"}, first_cli=SHOUT)
    install("a-shouting", {"shout": "second_cli:app"}, second_cli=louder)
    assert run("shout", "oak").stdout == "OAK!\n"


@pytest.mark.parametrize("command", ["reproduce", "benchmark", "datasets"])
@pytest.mark.parametrize("arguments", [[], ["--help"], ["list", "--out", "x"]])
def test_without_the_study_one_line_says_what_to_install(alone, command, arguments):
    result = run(command, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.rstrip().endswith("pip install topofs-study")
    assert command not in run("--help").stdout


ASKS = """
import sys
from importlib import metadata

def only_terms(**selection):
    assert selection == {"group": "topofs.terms"}, "nobody was to be asked for commands"
    return ()

metadata.entry_points = only_terms
from topofs.cli.app import app
app(["select", "--help"])
"""


def test_the_own_commands_ask_no_other_distribution():
    done = subprocess.run([sys.executable, "-c", ASKS], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
