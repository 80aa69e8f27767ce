"""Pictures of a selection with matplotlib; every function draws on axes and returns them."""

from topofs.plot.charts import (
    compare,
    coverage_curve,
    degree_distribution,
    network,
    similarity_heatmap,
    stability,
)
from topofs.plot.network_charts import case_dropping, intervals

__all__ = [
    "case_dropping",
    "compare",
    "coverage_curve",
    "degree_distribution",
    "intervals",
    "network",
    "similarity_heatmap",
    "stability",
]
