"""The commands of ``topofs``: its own, and those that other distributions bring.

A distribution adds a command with an entry point of the group ``topofs.commands``, whose name is
the command and whose value is a `typer.Typer`::

    [project.entry-points."topofs.commands"]
    shout = "my_package.cli:app"

An ``app`` of one function is that command itself; one of several is a group of commands. Give
it ``add_completion=False``: completion belongs to the whole, not to a part. A module is imported
when its command is asked for (``--help`` asks for all of them), so it imports only typer and rich
at its top and the rest inside its functions. A command raises; `topofs.cli.app.exit_status`
says which exception ends with which status.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.main import get_command

from topofs.errors import MissingExtraError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["COMMANDS", "GROUP", "BrokenCommandError", "Commands"]

COMMANDS = (
    "select",
    "apply",
    "groups",
    "explain",
    "panel",
    "stability",
    "compare",
    "graph",
)
"""The library's own commands, each a module ``topofs.cli.NAME`` with an ``app``."""

GROUP = "topofs.commands"
"""The group of entry points in which other distributions name theirs."""

_STUDY = ("benchmark", "datasets", "reproduce")
_STUDY_DISTRIBUTION = "topofs-study"


class BrokenCommandError(RuntimeError):
    """A command of another distribution cannot be imported; the message names both."""

    exit_status = 2


class Commands(Mapping[str, Any]):
    """The commands by name, each imported when it is looked up.

    Other distributions are asked only for names that the library does not have, and for the
    list of all. A command that cannot be had is a command nevertheless: one that says why.
    """

    def __getitem__(self, name: str) -> Any:
        if name in COMMANDS:
            command = get_command(import_module(f"topofs.cli.{name}").app)
        elif name in _further():
            command = _imported(_further()[name])
        elif name in _STUDY:
            command = _saying(
                MissingExtraError(
                    f"`topofs {name}` comes with another distribution: "
                    f"pip install {_STUDY_DISTRIBUTION}"
                )
            )
        else:
            raise KeyError(name)
        command.name = name
        return command

    def __iter__(self) -> Iterator[str]:
        return iter((*COMMANDS, *_further()))

    def __len__(self) -> int:
        return len(COMMANDS) + len(_further())


@cache
def _further() -> dict[str, EntryPoint]:
    """Find the commands of other distributions; the library's own come first."""
    # Here, because it takes a while and most command lines need none of them.
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=GROUP), key=_origin, reverse=True)
    by_name = {entry.name: entry for entry in found if entry.name not in COMMANDS}
    return dict(sorted(by_name.items()))


def _imported(entry: EntryPoint) -> Any:
    """Import a command; whatever goes wrong there is told in one line."""
    try:
        return get_command(entry.load())
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        return _saying(
            BrokenCommandError(
                f"`topofs {entry.name}` of the distribution {_origin(entry)} cannot be "
                f"imported ({reason}); install or upgrade that distribution again"
            )
        )


def _origin(entry: EntryPoint) -> str:
    return "unknown" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def _saying(error: Exception) -> Any:
    """Make a command that takes any arguments and raises an error."""
    from rich.markup import escape

    app = typer.Typer(add_completion=False)

    @app.command(
        help=escape(str(error)),
        add_help_option=False,
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )
    def say() -> None:
        raise error

    return get_command(app)
