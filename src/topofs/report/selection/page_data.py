"""The numbers that the scripts of the page read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.report.selection.alternatives import MOST_COLUMNS

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs.report.selection.summary import SelectionSummary
    from topofs.report.selection.wording import Words

__all__ = ["page_data"]

# Similarities, shares and places are written as whole ten-thousandths.
_SCALE = 10_000


def page_data(summary: SelectionSummary, words: Words) -> dict[str, Any]:
    """Give the numbers that the scripts read, as JSON values."""
    features, network = summary.features, summary.network
    # From positions among the nodes to positions among all features.
    position_of_node = np.flatnonzero(np.isin(features.order, features.nodes))
    below = np.tril_indices(len(summary.heat.rows))
    return {
        "k": summary.n_selected,
        "forced": len(features.forced),
        "judged": summary.judged,
        "reasons": {str(feature): why for feature, why in summary.reasons.items()},
        "end": summary.end,
        "most": features.most,
        "excluded": features.excluded.tolist(),
        "cost": None if summary.asked.cost is None else _short(summary.asked.cost),
        "random": {
            "sizes": summary.random.sizes.tolist(),
            "mean": _whole(summary.random.mean),
            "low": _whole(summary.random.low),
            "high": _whole(summary.random.high),
        },
        "alternatives": _alternatives(summary),
        "names": list(features.names),
        "scores": _short(features.scores),
        "strengths": _short(features.strengths),
        "order": features.order.tolist(),
        "nodes": features.nodes.tolist(),
        "share": _whole(summary.share),
        "nearest": {
            "starts": summary.running.starts.tolist(),
            "positions": position_of_node[summary.running.positions].tolist(),
            "values": _whole(summary.running.values),
        },
        "view": "groups" if network is None or summary.representation else "graph",
        "graph": _graph(summary),
        "copies": None if words.near_copy is None else {"from": words.near_copy},
        "heat": {
            "features": summary.heat.rows.tolist(),
            "values": _whole(summary.heat.values[below]),
        },
        "nominal": None if summary.nominal is None else summary.nominal.tolist(),
        "words": _words(summary, words),
        **_by_rule(summary),
        "resampled": _resampled(summary),
    }


def _graph(summary: SelectionSummary) -> dict[str, Any] | None:
    """The filtered graph, and how often each link came back on data drawn anew."""
    network, resampled = summary.network, summary.resampled
    if network is None:
        return None
    return {
        "edges": network.edges.ravel().tolist(),
        "weights": _whole(network.weights),
        "drawn": network.drawn.tolist(),
        "places": _whole(network.places.ravel()),
        "confidence": None if resampled is None else _whole(resampled.confidence),
    }


def _alternatives(summary: SelectionSummary) -> dict[str, Any]:
    """For each selected feature: feature, what is lost, gained and kept, of each stand-in."""
    return {
        "most": MOST_COLUMNS,
        "of": {
            str(feature): [
                [one.position, *_short(np.array([one.lost, one.gained, one.share]))]
                for one in found
            ]
            for feature, found in summary.alternatives.items()
        },
    }


def _words(summary: SelectionSummary, words: Words) -> dict[str, Any]:
    method, features = summary.method, summary.features
    scores, strengths = features.scores[features.nodes], features.strengths[features.nodes]
    return {
        "score": words.score.name,
        "unit": words.score.unit,
        "axis": words.score.axis,
        "ties": method.rule.ties_words,
        "end": words.end,
        "alike": method.measure.means_alike,
        "cut": method.cut is not None,
        "above": words.above,
        "said": words.said,
        "refine": words.refine,
        # The strength of links says nothing new where it is the score or all of it is 0, and
        # decides only ties where columns represent others.
        "strength": summary.representation is None
        and bool(strengths.any())
        and not np.allclose(scores, strengths),
    }


def _by_rule(summary: SelectionSummary) -> dict[str, Any]:
    """What only rules with groups have, or only those without; the other's is null."""
    representation, features = summary.representation, summary.features
    if representation is None:
        bars = {"labels": list(summary.bars.labels), "barOf": summary.bars.bar_of.tolist()}
        return {
            "scoreGroups": features.score_groups.tolist(),
            "bars": bars,
            "representation": None,
        }
    return {
        "scoreGroups": None,
        "bars": None,
        "representation": {
            "adds": _short(representation.adds),
            "addsAreScores": representation.adds is features.scores,
            "isolated": representation.isolated.tolist(),
            "through": representation.through.tolist(),
        },
    }


def _resampled(summary: SelectionSummary) -> dict[str, Any] | None:
    if summary.resampled is None:
        return None
    return {
        "n": summary.resampled.n_resamples,
        "frequency": _whole(summary.resampled.frequency),
    }


def _whole(values: npt.NDArray[np.float64]) -> list[int]:
    whole: list[int] = np.rint(values * _SCALE).astype(np.int64).tolist()
    return whole


def _short(values: npt.NDArray[np.float64]) -> list[float]:
    """Six digits; whole numbers without a point."""
    short = [float(f"{value:.6g}") for value in values.tolist()]
    return [int(value) if value.is_integer() else value for value in short]
