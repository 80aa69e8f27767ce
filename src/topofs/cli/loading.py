"""``topofs --load FILE.py``: a Python file that registers terms."""

from __future__ import annotations

import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

__all__ = ["load_terms"]


def load_terms(path: Path) -> None:
    """Import a Python file, so that the terms it registers can be named.

    The file is a module under its own name, and its folder can be imported from: processes
    that are started later find its classes again.
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
        why = _words_of(error)
        what = f"{type(error).__name__}: {why}" if why else type(error).__name__
        raise ValueError(
            f"--load {path}: cannot be imported{_line(error, place)} ({what})"
        ) from error
    if str(place.parent) not in sys.path:
        sys.path.append(str(place.parent))


def _words_of(error: BaseException) -> str:
    """What an error says, in one line; the class may be the file's own, and be broken."""
    try:
        return " ".join(str(error).split())
    except Exception:
        return ""


def _line(error: BaseException, place: Path) -> str:
    """Say which line of the file an error comes from."""
    if isinstance(error, SyntaxError):
        return ""  # it says so itself
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename) == place
    ]
    return f", line {lines[-1]}" if lines else ""
