"""Cross-validated comparison of a selection with other methods."""

from topofs.comparison.compare import (
    METHOD_NAMES,
    Comparison,
    ComparisonTest,
    MethodScores,
    PairedTest,
    compare,
    corrected_resampled_test,
)
from topofs.comparison.leakage import LEAK_SCORE, Leak, find_leaks
from topofs.comparison.prediction import Resampling
from topofs.io.target import Target, target_of

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
