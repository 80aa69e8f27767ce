"""Is a selection any good on this table? It and its rivals, by cross-validation."""

from topofs.comparison.comparing import (
    METHOD_NAMES,
    Comparison,
    ComparisonTest,
    MethodScores,
    compare,
)
from topofs.comparison.leakage import LEAK_SCORE, Leak, find_leaks
from topofs.comparison.prediction import Resampling, Target, target_of
from topofs.comparison.resampled_test import PairedTest, corrected_resampled_test

__all__ = [
    "LEAK_SCORE",
    "METHOD_NAMES",
    "Comparison",
    "ComparisonTest",
    "Leak",
    "MethodScores",
    "PairedTest",
    "Resampling",
    "Target",
    "compare",
    "corrected_resampled_test",
    "find_leaks",
    "target_of",
]
