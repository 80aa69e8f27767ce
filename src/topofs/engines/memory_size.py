"""How much memory may be used, as a user writes it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["parse_memory"]

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
_MEMORY_IF_UNKNOWN = 8 * 10**9
_BINARY_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def parse_memory(memory: Any) -> int:
    """Turn bytes, or text such as "500MB", "2GB" or "1.5GiB", into bytes.

    None is half of what the machine has or its container may use.
    """
    if memory is None:
        return _available_memory() // 2
    if isinstance(memory, (int, np.integer)) and not isinstance(memory, bool) and memory > 0:
        return int(memory)
    if isinstance(memory, str):
        found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([KMGT]?)(I?)B?\s*", memory.upper())
        if found:
            number, unit, binary = found.groups()
            factor = _BINARY_UNITS.get(unit, 1) if binary else _UNITS[unit]
            if float(number) > 0:
                return int(float(number) * factor)
    raise ValueError(
        f"memory is {memory!r}; give a number of bytes, or text such as '500MB' or '2GB'"
    )


def _available_memory() -> int:
    """Bytes of the machine, or of the container if that may use less."""
    amounts = [_container_limit(path) for path in _CONTAINER_LIMITS]
    try:
        amounts.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        # Windows does not tell in this way.
        amounts.append(_MEMORY_IF_UNKNOWN)
    return min(amount for amount in amounts if amount is not None)


def _container_limit(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        # No such file, or "max": there is no limit.
        return None
