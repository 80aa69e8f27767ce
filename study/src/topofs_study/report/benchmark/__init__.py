"""The report of a benchmark: tables, a drawing and the answers to its questions."""

from topofs_study.report.benchmark.writing import write_benchmark

__all__ = ["write_benchmark"]
