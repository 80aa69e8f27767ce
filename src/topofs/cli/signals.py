"""Signals that end a process, as exceptions, so that unfinished work is cleaned up.

The first signal raises in the main thread. If it arrives while a C library calls back into
Python, the exception is lost there, and the signal is sent again. It is also sent again where
an exception would do harm. The second signal removes temporary files and ends the process at
once, whatever the main thread does. After the first signal, the process ends in the same way
when all is cleaned up, without waiting for threads.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_SENT_AGAIN_AFTER = 0.05  # seconds: long enough to leave the code that lost the exception

# Half-made or half-freed objects of the compiler crash the process later.
_NEVER_INTERRUPTED = "llvmlite.binding"

_SHOW_THE_CURSOR = b"\x1b[?25h"

# Bytes that are no signal.
_SEND_AGAIN = b"\x00"
_OVER = b"\xff"


class EndedBySignal(KeyboardInterrupt):
    """The process got a signal to end, other than Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_status = 128 + number


@contextmanager
def ending_by_exception() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise during the block, as SIGINT does; a second one ends the process.

    On Windows SIGBREAK, which comes when the terminal is closed, takes the place of SIGHUP. A
    signal that is ignored (``nohup``) stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _Signals().watched():
        yield


class _Signals:
    """The signals that end this process, and the state of the first one.

    Handlers run in the main thread, and only after it returns from C. A separate thread gets
    every signal as a byte in a pipe, so it can end the process before that.
    """

    def __init__(self) -> None:
        named = {"SIGINT": signal.default_int_handler} | dict.fromkeys(
            ("SIGTERM", "SIGHUP", "SIGBREAK"), signal.SIG_DFL
        )
        numbers = {getattr(signal, name, None): own for name, own in named.items()}
        self._handlers: dict[int, Any] = {
            number: handler
            for number, handler in numbers.items()
            if number is not None and signal.getsignal(number) == handler
        }
        self._asked: int | None = None
        self._is_pending = False
        self._is_over = False
        self._hook = sys.unraisablehook
        self._main = threading.get_ident()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Handle the signals while the block runs."""
        self._reader, self._writer = os.pipe()
        if hasattr(os, "set_blocking"):
            os.set_blocking(self._writer, False)
        before = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        thread = threading.Thread(target=self._watch, name="topofs-signals", daemon=True)
        thread.start()
        sys.unraisablehook = self._note_swallowed
        for number in self._handlers:
            signal.signal(number, self._raise_first)
        try:
            yield
        finally:
            self._is_over = True
            os.write(self._writer, _OVER)
            thread.join()
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
            sys.unraisablehook = self._hook
            signal.set_wakeup_fd(before)
            os.close(self._reader)
            os.close(self._writer)
            if self._is_pending and self._asked is not None:
                raise _as_exception(self._asked)

    def _raise_first(self, number: int, frame: FrameType | None) -> None:
        if self._asked is not None and not self._is_pending:
            return  # `_watch` ends the process
        self._asked = self._asked or number
        self._is_pending = self._is_over or _is_called_by(_NEVER_INTERRUPTED, frame)
        if not self._is_pending:
            raise _as_exception(self._asked)
        if not self._is_over:
            os.write(self._writer, _SEND_AGAIN)

    def _note_swallowed(self, unraisable: Any) -> None:
        if self._asked is None or not issubclass(unraisable.exc_type, KeyboardInterrupt):
            self._hook(unraisable)
            return
        self._is_pending = True
        os.write(self._writer, _SEND_AGAIN)

    def _watch(self) -> None:
        """Send a signal again that is still pending; end the process at the user's second."""
        n_to_raise = 1
        while (byte := os.read(self._reader, 1)) not in (_OVER, b""):
            if byte == _SEND_AGAIN:
                time.sleep(_SENT_AGAIN_AFTER)
                if not self._is_over:
                    n_to_raise += 1
                    self._send_again()
            elif byte[0] in self._handlers:
                if not n_to_raise:
                    end_at_once(128 + byte[0])
                n_to_raise -= 1

    def _send_again(self) -> None:
        assert self._asked is not None
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(self._main, self._asked)
        else:
            signal.raise_signal(self._asked)


def _is_called_by(package: str, frame: FrameType | None) -> bool:
    """Whether a function of a package is on the call stack of a frame."""
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith(package):
            return True
        frame = frame.f_back
    return False


def _as_exception(number: int) -> KeyboardInterrupt:
    return KeyboardInterrupt() if number == signal.SIGINT else EndedBySignal(number)


def end_at_once(status: int) -> NoReturn:
    """Remove temporary files, and end the process and its workers."""
    # Without these modules there are no temporary files.
    for module, remove in (
        ("topofs.io.write", "remove_temporary"),
        ("topofs._kernels.compiler", "remove_temporary_folder"),
    ):
        if module in sys.modules:
            with suppress(Exception):
                getattr(sys.modules[module], remove)()
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        with suppress(Exception):
            for worker in active_children():
                worker.terminate()
    with suppress(OSError):
        if os.isatty(2):
            os.write(2, _SHOW_THE_CURSOR)
    os._exit(status)
