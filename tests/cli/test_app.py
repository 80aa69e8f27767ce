"""The exit statuses, and what a person sees when something goes wrong."""

import ast
import os
import signal
import subprocess
import sys

import pytest
import typer

from tests.cli.running import RUNNER
from topofs import __version__
from topofs.cli import app as commands
from topofs.cli import main
from topofs.cli.app import app
from topofs.errors import MissingExtraError, TableError


class OwnStatusError(RuntimeError):
    """An error of another distribution, which the library has never heard of."""

    exit_status = 3


def run(*arguments):
    return RUNNER.invoke(app, list(arguments))


@pytest.fixture
def failing(monkeypatch):
    """Make the command ``topofs fail`` raise what is asked for."""

    def arrange(error):
        command = typer.Typer(add_completion=False)

        @command.command()
        def fail() -> None:
            raise error

        module = type(sys)("topofs.cli.fail")
        module.fail = command
        monkeypatch.setitem(sys.modules, "topofs.cli.fail", module)
        monkeypatch.setattr(commands, "COMMANDS", ("fail",))

    return arrange


@pytest.mark.parametrize(
    ("error", "status", "shown"),
    [
        (TableError("a.mat: broken"), 3, "error: a.mat: broken"),
        (OwnStatusError("it knows"), 3, "error: it knows"),
        (OSError(28, "No space left on device", "x"), 3, "No space left"),
        (MissingExtraError("pip install 'topofs[dask]'"), 2, "topofs[dask]"),
        (ValueError("sizes must be positive"), 2, "error: sizes must be positive"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (
            RuntimeError("[bold]odd[/bold]"),
            1,
            "unexpected error: RuntimeError: [bold]odd[/bold]",
        ),
        (typer.Exit(7), 7, ""),
        (typer.Abort(), 1, "Aborted"),
        (typer.BadParameter("too small"), 2, "too small"),
    ],
)
def test_an_error_is_a_sentence_and_a_status(failing, error, status, shown):
    failing(error)
    result = run("fail")
    assert result.exit_code == status
    assert shown in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


def test_debug_shows_the_traceback_and_keeps_the_status(failing):
    failing(TableError("a.mat: broken"))
    result = run("--debug", "fail")
    assert result.exit_code == 3
    assert "Traceback" in result.stderr
    assert "TableError: a.mat: broken" in result.stderr


def test_long_messages_stay_on_one_line(failing):
    failing(TableError("word " * 100))
    assert run("fail").stderr.strip().count("\n") == 0


def test_version():
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"topofs {__version__}\n")


def test_help_lists_the_commands():
    result = run("--help")
    assert result.exit_code == 0
    assert all(command in result.output for command in commands.COMMANDS)


@pytest.mark.parametrize("arguments", [["nope"], ["--nope"], ["explain"]])
def test_wrong_usage(arguments):
    assert run(*arguments).exit_code == 2


def test_a_command_mistyped_is_guessed():
    said = run("selcet").stderr
    assert "No such command 'selcet'" in said
    if not typer.__version__.startswith("0.15."):  # which does not guess
        assert "Did you mean 'select'" in said


def test_without_typer_one_line_names_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "typer", None)
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].endswith("pip install 'topofs[cli]'")


HELP = """
import sys
from topofs.cli.app import app
try:
    app(["--help"])
except SystemExit:
    pass
heavy = {"matplotlib", "numba", "numpy", "pandas", "polars", "scipy.stats", "sklearn"}
heavy |= {"topofs.similarity", "topofs.io"}
print(heavy & set(sys.modules))
"""


def test_help_imports_nothing_heavy():
    done = subprocess.run(
        [sys.executable, "-c", HELP], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "set()"


def test_the_help_of_a_command_imports_the_terms_alone():
    code = HELP.replace('["--help"]', '["select", "--help"]')
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = set(ast.literal_eval(done.stdout.splitlines()[-1]))
    assert heavy <= {"numpy", "topofs.similarity", "topofs.io"}


WAIT = """
import sys, time, types, typer
import topofs.cli.app as commands
from topofs.cli import main

command = typer.Typer(add_completion=False)

@command.command()
def wait():
    print("ready", flush=True)
    time.sleep(30)

sys.modules["topofs.cli.wait"] = module = types.ModuleType("topofs.cli.wait")
module.wait = command
commands.COMMANDS = ("wait",)
sys.argv = ["topofs", "wait"]
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="an interruption is another signal there")
def test_control_c_in_a_real_process_gives_130():
    with subprocess.Popen(
        [sys.executable, "-c", WAIT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert errors.strip() == "interrupted"


IMPORTING = """
import time
import topofs.cli

def slow(*arguments, **options):
    print("ready", flush=True)
    time.sleep(30)

topofs.cli.import_extra = slow
topofs.cli.main()
"""


@pytest.mark.skipif(os.name == "nt", reason="an interruption is another signal there")
def test_control_c_before_the_application_is_there_is_no_traceback():
    with subprocess.Popen(
        [sys.executable, "-c", IMPORTING],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, "interrupted\n")


def test_a_warning_for_users_takes_a_line(tmp_path):
    terms = tmp_path / "terms.py"
    terms.write_text(
        "import warnings\nwarnings.warn('no room')\nwarnings.warn('odd', RuntimeWarning)\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "topofs.cli", "--load", terms, "select", "--help"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    first, second, *_ = found.stderr.splitlines()
    assert first == "note: no room"
    assert second.endswith("terms.py:3: RuntimeWarning: odd")
