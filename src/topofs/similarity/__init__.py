"""Table in, similarity between its columns out: one file a measure."""

from topofs.similarity.energy import energy
from topofs.similarity.mixed import mixed
from topofs.similarity.mutual_information import mutual_information
from topofs.similarity.noise_floor import noise_floor
from topofs.similarity.pearson import pearson
from topofs.similarity.registry import SIMILARITIES
from topofs.similarity.spearman import spearman
from topofs.similarity.threshold import threshold_mean

__all__ = [
    "SIMILARITIES",
    "energy",
    "mixed",
    "mutual_information",
    "noise_floor",
    "pearson",
    "spearman",
    "threshold_mean",
]
