"""Feature selection by the shape of the dependency network."""

from topofs.graph import FilteredGraph

__all__ = ["FilteredGraph", "__version__"]

__version__ = "0.1.0"
