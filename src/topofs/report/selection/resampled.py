"""How stable a selection is, for a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from topofs.report.selection.network import NetworkView
    from topofs.selection import Stability

__all__ = ["Resampled", "resampled_of"]


@dataclass(frozen=True)
class Resampled:
    """What came back when the data were drawn anew, with Nogueira's stability and its interval.

    The stability is None where it is not defined. `least` to `most` features were chosen;
    `frequency` has the share of the resamples for each feature, `confidence` for each edge of
    the filtered graph, where there is one.
    """

    phi: float | None
    lower: float | None
    upper: float | None
    level: float
    n_resamples: int
    least: int
    most: int
    frequency: npt.NDArray[np.float64]
    confidence: npt.NDArray[np.float64]


def resampled_of(
    stability: Stability, network: NetworkView | None, n_features: int
) -> Resampled:
    """Put the numbers of a `Stability` in the order of the page."""
    if len(stability.frequency) != n_features:
        raise ValueError(
            f"stability is over {len(stability.frequency)} columns; the selector was fitted on "
            f"{n_features}: give the stability of the same table"
        )
    sure = {(edge.left, edge.right): edge.confidence for edge in stability.edges}
    ends = [] if network is None else np.sort(network.edges, axis=1).tolist()
    finite = bool(np.isfinite(stability.phi))
    return Resampled(
        phi=float(stability.phi) if finite else None,
        lower=float(stability.lower) if finite else None,
        upper=float(stability.upper) if finite else None,
        level=float(stability.level),
        n_resamples=int(stability.n_resamples),
        least=int(stability.sizes.min()),
        most=int(stability.sizes.max()),
        frequency=np.asarray(stability.frequency, dtype=np.float64),
        confidence=np.array([sure.get((i, j), 0.0) for i, j in ends], dtype=np.float64),
    )
