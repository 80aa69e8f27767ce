"""The report of a reproduction: numbers first, laid out as sections, then drawn and written."""

from topofs_study.report.reproduction.writing import write_reproduction

__all__ = ["write_reproduction"]
