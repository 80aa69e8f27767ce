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
        what = "is a folder; give a Python file" if path.is_dir() else "there is no such file"
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
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        why = " ".join(str(error).split())
        what = f"{type(error).__name__}: {why}" if why else type(error).__name__
        raise ValueError(
            f"--load {path}: cannot be imported{_line(error, place)} ({what})"
        ) from error
    if str(place.parent) not in sys.path:
        sys.path.append(str(place.parent))


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
