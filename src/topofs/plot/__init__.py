"""Pictures of a selection with matplotlib; every function draws on axes and returns them."""

from topofs.plot.charts import (
    compare,
    coverage_curve,
    degree_distribution,
    network,
    similarity_heatmap,
    stability,
)

__all__ = [
    "compare",
    "coverage_curve",
    "degree_distribution",
    "network",
    "similarity_heatmap",
    "stability",
]
