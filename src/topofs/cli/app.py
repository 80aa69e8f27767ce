"""The application behind ``topofs``: its commands, its options and its exit statuses."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from topofs.cli.commands import Commands
from topofs.cli.signals import EndedBySignal, ending_by_exception
from topofs.cli.unfolding import without_options

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["app", "exit_status"]

_UNEXPECTED = 1
_WRONG_USAGE = 2
_WRONG_DATA = 3
_INTERRUPTED = 130


def exit_status(error: BaseException) -> int:
    """Tell the exit status that an exception ends the process with."""
    own = getattr(error, "exit_status", None)
    if isinstance(own, int):
        return own
    statuses = (
        (KeyboardInterrupt, _INTERRUPTED),
        ((OSError, MemoryError), _WRONG_DATA),
        (ValueError, _WRONG_USAGE),
    )
    return next((status for kind, status in statuses if isinstance(error, kind)), _UNEXPECTED)


class _Topofs(TyperGroup):
    """A group that ends every command with a sentence and a status, never a traceback."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = Commands()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        with without_options():
            super().format_help(ctx, formatter)

    def invoke(self, ctx: Any) -> None:
        try:
            with ending_by_exception():
                super().invoke(ctx)
            sys.stdout.flush()
        except typer.Abort:
            raise  # typer knows what to do
        except BrokenPipeError as error:
            # Whoever reads has seen enough (| head). Nothing is left to be flushed at the end.
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from error
        except (Exception, KeyboardInterrupt) as error:
            if hasattr(error, "exit_code"):
                _explain_usage(error)
                raise  # typer's own, such as Exit
            # The terminal may be gone.
            with suppress(OSError) if isinstance(error, EndedBySignal) else nullcontext():
                _explain(error, debug=ctx.params["debug"])
            raise typer.Exit(exit_status(error)) from error

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        debug = "--debug" in args
        for option in self.get_params(ctx):
            # An option that is repeatable is none at all, for older versions of typer.
            absent = () if getattr(option, "multiple", False) else None
            option.process_value = _where_given(option.process_value, absent)  # type: ignore[method-assign,assignment]
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            _explain_usage(error)
            if not isinstance(error, ValueError):
                raise
            _explain(error, debug=debug)
            raise typer.Exit(exit_status(error)) from error


app = typer.Typer(
    cls=_Topofs,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _where_given(process: Callable[[Any, Any], Any], absent: Any) -> Callable[[Any, Any], Any]:
    """Leave the value of an option that was not given as it is.

    To convert one, typer imports a library that takes as long to import as typer itself.
    """

    def processed(ctx: Any, value: Any) -> Any:
        if value:
            return process(ctx, value)
        return absent if value is None else value

    return processed


def _load(paths: list[Path] | None) -> list[Path]:
    """Import files of terms before a command, whose options they add to, is looked up."""
    from topofs.cli.loading import load_terms

    for path in paths or ():
        load_terms(path)
    # Older versions of typer convert what a callback gives back.
    return paths or []


def _show_version(given: bool) -> None:  # noqa: FBT001 - typer passes the value of the option
    if given:
        from topofs import __version__

        print(f"topofs {__version__}")
        raise typer.Exit


@app.callback()
def _topofs(
    *,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error.")
    ] = False,
    load: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE.py",
            help="A file that registers measures, graphs or rules of your own. Repeatable.",
            callback=_load,
        ),
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Feature selection by the shape of the dependency network."""


def _explain_usage(error: BaseException) -> None:
    """Explain wrong usage in two lines and end; typer would draw a box around it."""
    # An empty command line shows the help, and has no other mark than its name.
    if not hasattr(error, "format_message") or type(error).__name__ == "NoArgsIsHelpError":
        return
    console = _console()
    console.print(f"[red]error:[/] {_one_line(error.format_message())}")
    context = getattr(error, "ctx", None)
    if context is not None:
        console.print(f"Run `{context.command_path} --help` to see what is allowed.")
    raise typer.Exit(getattr(error, "exit_code", _WRONG_USAGE)) from error


def _explain(error: BaseException, *, debug: bool) -> None:
    console = _console()
    if debug:
        traceback.print_exception(error)
        sys.stderr.flush()
    elif isinstance(error, EndedBySignal):
        console.print(f"ended by {error}")
    elif isinstance(error, KeyboardInterrupt):
        console.print("interrupted")
    elif exit_status(error) == _UNEXPECTED:
        what = _one_line(f"{type(error).__name__}: {error}")
        console.print(f"[red]unexpected error:[/] {what}")
        console.print("Run `topofs --debug …` to see where it comes from.")
    elif isinstance(error, MemoryError):
        why = f" ({_one_line(str(error))})" if str(error) else ""
        console.print(f"[red]error:[/] memory is too small for this{why}")
    else:
        console.print(f"[red]error:[/] {_one_line(str(error))}")


def _console() -> Console:
    # rich is imported for what goes wrong, not for what goes well.
    from rich.console import Console

    return Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)


def _one_line(text: str) -> str:
    from topofs.cli.messages import shown

    return shown(" ".join(text.split()))
