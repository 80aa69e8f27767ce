"""The source of topofs as syntax trees, for tests that walk it."""

from pathlib import Path

import topofs

SOURCE = Path(topofs.__file__).parent


def module_of(path):
    """The name of a module below topofs, such as "kernels.tmfg", "kernels" or "graph"."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def room_of(module):
    """The room of a module; None for a module in no room."""
    first = module.partition(".")[0]
    return first if (SOURCE / first).is_dir() else None


def source_files(*, rooms=None):
    """Paths of the source files of some rooms, or of all."""
    for path in sorted(SOURCE.rglob("*.py")):
        if rooms is None or room_of(module_of(path)) in rooms:
            yield path
