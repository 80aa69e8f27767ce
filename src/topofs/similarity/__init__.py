"""Table in, similarity between its columns out: one file a measure."""

from topofs.similarity.energy import energy
from topofs.similarity.pearson import pearson
from topofs.similarity.registry import SIMILARITIES
from topofs.similarity.spearman import spearman
from topofs.similarity.threshold import threshold_mean

__all__ = ["SIMILARITIES", "energy", "pearson", "spearman", "threshold_mean"]
