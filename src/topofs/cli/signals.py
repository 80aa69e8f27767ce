"""Signals that end a process, as exceptions: what is half done is cleaned up first."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EndedBySignal", "ending_by_exception"]


class EndedBySignal(KeyboardInterrupt):
    """The process was asked to end, by something else than Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_status = 128 + number


@contextmanager
def ending_by_exception() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise while the block runs, as SIGINT does.

    A signal that is ignored (``nohup``) stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    own = [n for n in numbers if n is not None and signal.getsignal(n) == signal.SIG_DFL]

    def end(number: int, _: Any) -> None:
        for other in own:
            signal.signal(other, signal.SIG_IGN)  # once is enough: cleaning up takes a moment
        raise EndedBySignal(number)

    for number in own:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in own:
            signal.signal(number, signal.SIG_DFL)
