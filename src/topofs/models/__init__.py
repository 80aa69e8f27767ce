"""Probabilistic models on a filtered graph."""

from topofs.models.elimination import Conditional
from topofs.models.logo import LoGoCovariance

__all__ = ["Conditional", "LoGoCovariance"]
