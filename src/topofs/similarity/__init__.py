"""Measures: table in, similarity between its columns out; one file per measure."""

from topofs.similarity.base import Measure
from topofs.similarity.correlation import Pearson, Spearman, pearson, spearman
from topofs.similarity.energy import Energy, energy
from topofs.similarity.given import Function, Given
from topofs.similarity.mixed import Auto, Mixed, mixed
from topofs.similarity.mutual_information import MutualInformation, mutual_information
from topofs.similarity.noise_floor import noise_floor
from topofs.similarity.relevance import Relevance
from topofs.similarity_matrix import threshold_mean

__all__ = [
    "Auto",
    "Energy",
    "Function",
    "Given",
    "Measure",
    "Mixed",
    "MutualInformation",
    "Pearson",
    "Relevance",
    "Spearman",
    "energy",
    "mixed",
    "mutual_information",
    "noise_floor",
    "pearson",
    "spearman",
    "threshold_mean",
]
