"""Table in, similarity between its columns out: one file a measure."""

from topofs.similarity.auto import Auto
from topofs.similarity.energy import Energy, energy
from topofs.similarity.given import Function, Given
from topofs.similarity.measure import Measure
from topofs.similarity.mixed import Mixed, mixed
from topofs.similarity.mutual_information import MutualInformation, mutual_information
from topofs.similarity.noise_floor import noise_floor
from topofs.similarity.pearson import Pearson, pearson
from topofs.similarity.spearman import Spearman, spearman
from topofs.similarity.threshold import threshold_mean

__all__ = [
    "Auto",
    "Energy",
    "Function",
    "Given",
    "Measure",
    "Mixed",
    "MutualInformation",
    "Pearson",
    "Spearman",
    "energy",
    "mixed",
    "mutual_information",
    "noise_floor",
    "pearson",
    "spearman",
    "threshold_mean",
]
