"""Run the command in this process."""

import json
from inspect import signature

from typer.testing import CliRunner

from topofs.cli.app import app

# Before click 8.2 the error stream was kept apart on demand only.
_APART = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
RUNNER = CliRunner(**_APART)


def run(*arguments, stdin=None):
    """The result of ``topofs ARGUMENTS``: exit_code, stdout, stderr, output."""
    return RUNNER.invoke(app, [str(argument) for argument in arguments], input=stdin)


def run_json(*arguments, stdin=None):
    """What ``topofs ARGUMENTS --json`` says."""
    result = run(*arguments, "--json", stdin=stdin)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)
