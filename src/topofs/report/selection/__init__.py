"""The report of a selection: numbers first, then a page of its own."""

from topofs.report.selection.summary import SelectionSummary, summarise_selection
from topofs.report.selection.writing import selection_report, write_selection_report

__all__ = [
    "SelectionSummary",
    "selection_report",
    "summarise_selection",
    "write_selection_report",
]
