"""Networks whose wiring is a filtered graph, and gradients through one; needs torch."""

from topofs.errors import import_extra

import_extra("torch", extra="torch", purpose="topofs.torch")

from topofs.torch.estimators import HomologicalClassifier, HomologicalRegressor  # noqa: E402
from topofs.torch.networks import HomologicalConvNet, HomologicalNetwork  # noqa: E402
from topofs.torch.soft_graph import soft_tmfg, tmfg_edges  # noqa: E402

__all__ = [
    "HomologicalClassifier",
    "HomologicalConvNet",
    "HomologicalNetwork",
    "HomologicalRegressor",
    "soft_tmfg",
    "tmfg_edges",
]
