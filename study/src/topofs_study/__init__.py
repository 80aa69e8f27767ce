"""The paper's study, the benchmark and the datasets behind them, on top of topofs."""

__version__ = "0.2.0"
