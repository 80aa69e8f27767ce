"""The rivals of the benchmark that are no scores of single columns, one idea a file.

Each takes a training table whose columns all vary. Those that give an order are cut at any size;
those that give groups or thresholds are asked size by size.
"""
