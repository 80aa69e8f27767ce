"""Pictures of a selection with matplotlib; every function draws on axes and returns them."""

from topofs.plot.comparison import compare
from topofs.plot.coverage import coverage_curve
from topofs.plot.distribution import degree_distribution
from topofs.plot.heatmap import similarity_heatmap
from topofs.plot.network import network
from topofs.plot.stability import stability

__all__ = [
    "compare",
    "coverage_curve",
    "degree_distribution",
    "network",
    "similarity_heatmap",
    "stability",
]
