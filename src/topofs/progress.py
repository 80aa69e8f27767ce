"""How far long work has come: told to who watches it, however deep the work lies.

with watching(lambda done, total: print(done, total)):
    selector.fit(X)
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["counted", "watching"]

Item = TypeVar("Item")

_watcher: ContextVar[Callable[[int, int], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(report: Callable[[int, int], None]) -> Iterator[None]:
    """Call ``report(done, total)`` while the block runs; one call at a time, from any thread."""
    token = _watcher.set(report)
    try:
        yield
    finally:
        _watcher.reset(token)


def counted(
    work: Callable[[Item], None], total: int, size: Callable[[Item], int]
) -> Callable[[Item], None]:
    """Let work on one of several items tell the watcher what is done; as it is, without one.

    The watcher hears of it first when nothing is done yet.

    Parameters
    ----------
    work : callable
        Takes an item; several threads may call it.
    total : int
        The sizes of all items together.
    size : callable
        How much of the work an item is.

    Returns
    -------
    callable
        Does the same.
    """
    report = _watcher.get()
    if report is None:
        return work
    done, lock = 0, Lock()
    # What came before it is not work on these.
    report(done, total)

    def counting(item: Item) -> None:
        nonlocal done
        work(item)
        with lock:
            done += size(item)
            report(done, total)

    return counting
