"""The sentences about what the user asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topofs.report.selection.phrases import counted, listed, percent
from topofs.rules.rule import ScoreWords
from topofs.selection.sizes import Budget, MinShare, UntilCoverage

if TYPE_CHECKING:
    from topofs.report.selection.summary import SelectionSummary

__all__ = ["REDUNDANCY_SCORE", "asked_notes", "redundancy_sentence"]

REDUNDANCY_SCORE = ScoreWords(
    "Explains anew",
    "the number of columns that none before it explains",
    "columns explained anew",
    unit="column",
    axis="columns, best first",
)
"""What a score is called where only redundant columns are left out."""


def redundancy_sentence(share: float) -> str:
    """Say how columns are put in order where only redundant ones are left out."""
    return (
        "Each next column is the one that explains most of those that none explains yet, each "
        f"to at least {percent(share)}; columns that were not needed in the end were given up."
    )


def asked_notes(summary: SelectionSummary) -> list[str]:
    """Say what was forced, excluded, limited and asked for."""
    features, notes = summary.features, []
    if len(features.forced):
        forced = listed([features.names[i] for i in features.forced])
        given = " The others were chosen given these." if summary.representation else ""
        if summary.judged:
            notes.append(f"In the list: {forced}. What could be added is ranked given these.")
        else:
            notes.append(f"Forced: {forced}.{given}")
    if len(features.excluded):
        excluded = listed([features.names[i] for i in features.excluded])
        cannot = "It" if len(features.excluded) == 1 else "They"
        but = f", but {'is' if cannot == 'It' else 'are'} to be represented"
        if summary.representation is None:
            but = ""
        done = "added" if summary.judged else "selected"
        notes.append(f"Excluded: {excluded}. {cannot} cannot be {done}{but}.")
    notes += [*_limits(summary), *_size(summary)]
    return notes


def _limits(summary: SelectionSummary) -> list[str]:
    asked, features, notes = summary.asked, summary.features, []
    adjective, columns = "selected", "selected columns"
    if summary.judged:
        adjective, columns = "in the list", "columns of the list"
    if asked.at_most is not None:
        free = f" ({counted(asked.n_free, 'column')} in no group)" if asked.n_free else ""
        notes.append(
            f"At most {asked.at_most:,} {adjective} of each of "
            f"{counted(asked.n_groups, 'group')}{free}."
        )
    if asked.max_similarity is not None:
        notes.append(
            f"No two {columns} are more alike than {asked.max_similarity:g} "
            f"({summary.method.measure.words})."
        )
    if features.most < features.n_features:
        within_budget = isinstance(asked.size, Budget)
        why = "within the budget" if within_budget else "under these constraints"
        notes.append(
            f"At most {counted(features.most, 'column')} can be {adjective} together {why}: the "
            "slider ends there."
        )
    return notes


def _size(summary: SelectionSummary) -> list[str]:
    asked, size = summary.asked, summary.asked.size
    if isinstance(size, UntilCoverage):
        return [
            f"Asked for: the fewest columns of the ranking that cover {percent(size.coverage)}."
        ]
    if isinstance(size, Budget):
        return [
            f"Asked for: the most coverage within a budget of {size.total:g}; "
            f"{asked.spent:g} of it spent."
        ]
    if not isinstance(size, MinShare):
        return []
    wanted = (
        "Asked for: leave out only columns of which a selected one explains at least "
        f"{percent(size.share)}."
    )
    if not asked.n_redundant:
        return [f"{wanted} There is none."]
    notes = [wanted]
    if asked.unexplained:
        notes.append(
            f"Left out, and explained by no selected one: {listed(asked.unexplained)}."
        )
    return notes
