"""The report of a comparison: numbers first, then a page of its own."""

from topofs.report.comparison.summary import ComparisonSummary, summarise_comparison
from topofs.report.comparison.writing import comparison_report, write_comparison_report

__all__ = [
    "ComparisonSummary",
    "comparison_report",
    "summarise_comparison",
    "write_comparison_report",
]
