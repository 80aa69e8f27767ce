"""Engines that compute products of columns, one file per engine, and their dispatch."""
