"""The option ``--jobs`` of the commands that work in several processes."""

from __future__ import annotations

import typer

__all__ = ["check_jobs"]


def check_jobs(jobs: int) -> None:
    """Refuse a number of processes that means nothing."""
    if jobs == 0 or jobs < -1:
        raise typer.BadParameter(f"{jobs} is not a number of processes; give 1 or more, or -1")
