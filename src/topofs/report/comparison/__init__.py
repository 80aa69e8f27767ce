"""The report of a comparison: numbers first, then a page of its own."""

from topofs.report.comparison.summary import ComparisonSummary, summarise_comparison
from topofs.report.comparison.writing import write_comparison_report

__all__ = ["ComparisonSummary", "summarise_comparison", "write_comparison_report"]
