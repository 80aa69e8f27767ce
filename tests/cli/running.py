"""Run the command in this process."""

import json

from typer.testing import CliRunner

from topofs.cli.app import app


def run(*arguments, stdin=None):
    """The result of ``topofs ARGUMENTS``: exit_code, stdout, stderr, output."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def run_json(*arguments, stdin=None):
    """What ``topofs ARGUMENTS --json`` says."""
    result = run(*arguments, "--json", stdin=stdin)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)
