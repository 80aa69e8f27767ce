"""How much memory may be used, as a user writes it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from topofs.terms import is_whole

__all__ = ["machine_memory", "parse_memory"]

_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
_MEMORY_IF_UNKNOWN = 8 * 10**9


def parse_memory(memory: Any) -> int:
    """Turn bytes, or text such as "500MB", "2GB" or "1.5GiB", into bytes.

    None is half of what the machine has or its container may use.
    """
    if memory is None:
        limits = map(_container_limit, _CONTAINER_LIMITS)
        return min([machine_memory(), *(most for most in limits if most is not None)]) // 2
    if is_whole(memory) and memory > 0:
        return int(memory)
    if isinstance(memory, str):
        found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([KMGT]?)(I?)B?\s*", memory.upper())
        if found:
            number, unit, binary = found.groups()
            factor = (1024 if binary else 1000) ** _POWERS[unit]
            if float(number) > 0:
                return int(float(number) * factor)
    raise ValueError(
        f"memory is {memory!r}; give a number of bytes, or text such as '500MB' or '2GB'"
    )


def machine_memory() -> int:
    """Bytes of the machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        # Windows does not tell in this way.
        return _MEMORY_IF_UNKNOWN


def _container_limit(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        # No such file, or "max": there is no limit.
        return None
