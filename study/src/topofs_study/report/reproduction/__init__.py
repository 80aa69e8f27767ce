"""The report of a reproduction: numbers first, laid out as sections, then drawn and written."""

from topofs.report.reproduction.summary import StudyFrames
from topofs.report.reproduction.writing import write_reproduction

__all__ = ["StudyFrames", "write_reproduction"]
