"""The standard output of a command, which is for results."""

from __future__ import annotations

from rich.console import Console

__all__ = ["Output"]


class Output(Console):
    """The standard output: lines stay whole, and a closed pipe ends the command in peace."""

    def __init__(self) -> None:
        super().__init__(highlight=False, emoji=False)

    def say(self, text: str) -> None:
        """Print a line that is not wrapped."""
        self.print(text, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Leave the decision to the application; rich would end the process with 1."""
        raise BrokenPipeError
