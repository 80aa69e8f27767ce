"""The application ``topofs``: its commands, its options and its exit statuses.

The library's own commands are modules here. A distribution adds one with an entry point of the
group ``topofs.commands``, whose name is the command and whose value is a `typer.Typer`::

    [project.entry-points."topofs.commands"]
    shout = "my_package.cli:app"

An ``app`` of one function is the command; an ``app`` of several functions is a group of
commands. Give it ``add_completion=False``, because only the application has completion. A
module is imported when its command is used (``--help`` imports all), so at its top it imports
only typer and rich, and the rest inside its functions. A command raises exceptions;
`exit_status` maps them to statuses.
"""

from __future__ import annotations

import errno
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from topofs.cli.options import forget_term_options
from topofs.cli.signals import EndedBySignal, ending_by_exception
from topofs.errors import MissingExtraError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from rich.console import Console

COMMANDS = ("select", "apply", "groups", "explain", "panel", "stability", "compare", "graph")
"""The library's own commands, each the `typer.Typer` NAME of the module ``topofs.cli.NAME``."""

_ENTRY_POINTS = "topofs.commands"
_STUDY = ("benchmark", "datasets", "reproduce")
_STUDY_DISTRIBUTION = "topofs-study"
_UNEXPECTED, _WRONG_USAGE, _WRONG_DATA, _INTERRUPTED = 1, 2, 3, 130
_ON_WINDOWS = os.name == "nt"


def exit_status(error: BaseException) -> int:
    """Give the exit status of an exception."""
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
        self.commands.without_options = True
        super().format_help(ctx, formatter)

    def invoke(self, ctx: Any) -> None:
        try:
            with ending_by_exception():
                super().invoke(ctx)
            sys.stdout.flush()
        except typer.Abort:
            raise  # typer handles it
        except (Exception, KeyboardInterrupt) as error:
            if _is_closed_pipe(error):
                # The reader closed the pipe (| head). Nothing may be flushed at the end.
                with suppress(OSError):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise typer.Exit from error
            if hasattr(error, "exit_code"):
                _explain_usage(error)
                raise  # typer's own, such as Exit
            # The terminal may be closed.
            with suppress(OSError) if isinstance(error, EndedBySignal) else nullcontext():
                _explain(error, debug=ctx.params["debug"])
            raise typer.Exit(exit_status(error)) from error

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        debug = "--debug" in args
        for option in self.get_params(ctx):
            # Older versions of typer do not treat a repeatable option as an option here.
            absent = () if getattr(option, "multiple", False) else None
            option.process_value = _converted_if_given(option.process_value, absent)  # type: ignore[method-assign,assignment]
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            _explain_usage(error)
            if not isinstance(error, ValueError):
                raise
            _explain(error, debug=debug)
            raise typer.Exit(exit_status(error)) from error


def _is_closed_pipe(error: BaseException) -> bool:
    """Whether the reader of the output is gone; Windows calls the write an invalid argument."""
    if isinstance(error, BrokenPipeError):
        return True
    if not _ON_WINDOWS or not isinstance(error, OSError):
        return False
    return error.errno == errno.EINVAL and error.filename is None


def _converted_if_given(
    process: Callable[[Any, Any], Any], absent: Any
) -> Callable[[Any, Any], Any]:
    """Do not convert the value of an option that was not given.

    For a conversion, typer imports a library that takes as long to import as typer.
    """

    def processed(ctx: Any, value: Any) -> Any:
        if value:
            return process(ctx, value)
        return absent if value is None else value

    return processed


app = typer.Typer(
    cls=_Topofs, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="rich"
)


def _load(paths: list[Path] | None) -> list[Path]:
    """Import files of terms before a command is looked up, because they add options to it."""
    for path in paths or ():
        load_terms(path)
    # Older versions of typer convert the return value of a callback.
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


# Output of errors.


def _explain_usage(error: BaseException) -> None:
    """Explain wrong usage in two lines and exit; typer would draw a box around it."""
    # An empty command line shows the help; only the name of the exception identifies it.
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
    # rich is imported only for errors.
    from rich.console import Console

    return Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)


def _one_line(text: str) -> str:
    from topofs.cli.messages import shown

    return shown(" ".join(text.split()))


# The commands, including those of other distributions.


class BrokenCommandError(RuntimeError):
    """A command of another distribution cannot be imported; the message names both."""

    exit_status = 2


class Commands(Mapping[str, Any]):
    """The commands by name, each imported when it is looked up.

    Other distributions are searched only for unknown names and for the list of all commands. A
    command that cannot be imported becomes a command that prints the reason. `without_options`
    is for a list of the commands, because the options of the terms need half of the library.
    """

    without_options = False

    def __getitem__(self, name: str) -> Any:
        if name in COMMANDS:
            own = getattr(import_module(f"topofs.cli.{name}"), name)
            command = get_command(_only_its_help(own) if self.without_options else own)
        elif name in _installed():
            command = _imported(_installed()[name])
        elif name in _STUDY:
            command = _failing(
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
        return iter((*COMMANDS, *_installed()))

    def __len__(self) -> int:
        return len(COMMANDS) + len(_installed())


@cache
def _installed() -> dict[str, EntryPoint]:
    """Find the commands of other distributions; the library's own come first."""
    # Imported here, because it is slow and most command lines do not need it.
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=_ENTRY_POINTS), key=_origin, reverse=True)
    by_name = {entry.name: entry for entry in found if entry.name not in COMMANDS}
    return dict(sorted(by_name.items()))


def _imported(entry: EntryPoint) -> Any:
    """Import a command; report any error in one line."""
    try:
        return get_command(entry.load())
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        return _failing(
            BrokenCommandError(
                f"`topofs {entry.name}` of the distribution {_origin(entry)} cannot be "
                f"imported ({reason}); install or upgrade that distribution again"
            )
        )


def _origin(entry: EntryPoint) -> str:
    return "unknown" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def _only_its_help(own: typer.Typer) -> typer.Typer:
    """Make a command without options, with the help of another command."""
    listed = typer.Typer(add_completion=False)
    listed.command(help=inspect.getdoc(own.registered_commands[0].callback))(lambda: None)
    return listed


def _failing(error: Exception) -> Any:
    """Make a command that takes any arguments and raises an error."""
    from rich.markup import escape

    failing = typer.Typer(add_completion=False)

    @failing.command(
        help=escape(str(error)),
        add_help_option=False,
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )
    def fail() -> None:
        raise error

    return get_command(failing)


# Files that ``--load`` names.


def load_terms(path: Path) -> None:
    """Import a Python file, so that its registered terms can be used.

    The file becomes a module of its own name, and its folder is added to the path, so that
    later processes find its classes.
    """
    if not path.is_file():
        what = "is no file; give a Python file" if path.exists() else "there is no such file"
        raise ValueError(f"--load {path}: {what}")
    place, name = path.resolve(), path.stem
    there = getattr(sys.modules.get(name), "__file__", None)
    if name in sys.modules and (there is None or Path(there).resolve() != place):
        raise ValueError(
            f"--load {path}: there is a module {name!r} already; give the file another name"
        )
    spec = spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise ValueError(f"--load {path}: is no Python file; its name must end in .py")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        sys.modules.pop(name, None)
        raise
    except BaseException as error:  # an error of any kind is one of the file
        sys.modules.pop(name, None)
        raise ValueError(
            f"--load {path}: cannot be imported{_line_of(error, place)} ({_described(error)})"
        ) from error
    forget_term_options()
    if str(place.parent) not in sys.path:
        sys.path.append(str(place.parent))


def _described(error: BaseException) -> str:
    """Write an error in one line; a class defined in the file may fail to print."""
    try:
        why = " ".join(str(error).split())
    except Exception:
        why = ""
    return f"{type(error).__name__}: {why}" if why else type(error).__name__


def _line_of(error: BaseException, place: Path) -> str:
    """Give the line of the file that caused an error."""
    if isinstance(error, SyntaxError):
        return ""  # its message has the line
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename) == place
    ]
    return f", line {lines[-1]}" if lines else ""
