"""The check of an estimator's parameters, before any work."""

from __future__ import annotations

from typing import Any

from topofs.centrality import CENTRALITIES
from topofs.filtering import GRAPHS
from topofs.selection.memory_size import parse_memory
from topofs.selection.rules import REACHES, RULES
from topofs.similarity import SIMILARITIES
from topofs.similarity.energy import check_alpha

__all__ = ["check_parameters"]


def check_parameters(selector: Any) -> None:
    """Refuse parameters of a `TopologicalFeatureSelector` that are unknown or do not fit.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        The estimator.

    Raises
    ------
    ValueError
        Says what was given, what is known, and what to do.
    """
    if not callable(selector.similarity):
        known = ("auto", *SIMILARITIES, "precomputed")
        _check_known("similarity", selector.similarity, known, also="a function")
    _check_known("threshold", selector.threshold, ("auto", "mean", None))
    _check_known("graph", selector.graph, tuple(GRAPHS))
    _check_known("rule", selector.rule, RULES)
    _check_known("reach", selector.reach, REACHES)
    _check_known("isolated", selector.isolated, ("drop", "keep"))
    _check_known("centrality", selector.centrality, tuple(CENTRALITIES))
    _check_known("ties", selector.ties, ("strength", "index"))
    check_alpha(selector.alpha)
    parse_memory(selector.memory)
    if selector.rule == "coverage":
        _check_for_coverage(selector)


def _check_for_coverage(selector: Any) -> None:
    if isinstance(selector.similarity, str) and selector.similarity == "energy":
        raise ValueError(
            "similarity 'energy' grows with what columns do not share, so no column stands for "
            "another by it: choose rule='degree', or another similarity"
        )
    if selector.centrality != "degree":
        raise ValueError(
            f"centrality is {selector.centrality!r}, but rule 'coverage' uses none: add "
            "rule='degree' to rank by it"
        )


def _check_known(name: str, given: Any, known: tuple[Any, ...], also: str = "") -> None:
    if not (given is None or isinstance(given, str)) or given not in known:
        listed = ", ".join(repr(value) for value in known) + (f" and {also}" if also else "")
        raise ValueError(f"{name} is {given!r}; known are {listed}")
