"""
A CSV file to try the command on
================================

Write a dataset that ships with scikit-learn as breast_cancer.csv, for ``topofs select``.
"""

import csv
from pathlib import Path

from sklearn.datasets import load_breast_cancer

data = load_breast_cancer()
path = Path("breast_cancer.csv")
with path.open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow([*data.feature_names, "diagnosis"])
    for row, target in zip(data.data.tolist(), data.target, strict=True):
        writer.writerow([*row, data.target_names[target]])
print(
    f"{path}: {len(data.data)} rows, {len(data.feature_names)} measurements and the diagnosis"
)
