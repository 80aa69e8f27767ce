"""On a target of pure noise, nothing is selected in 95 of 100 tables."""

import pytest

from benchmarks import noise_targets as noise

TABLES = 120
# 5 % and three standard errors of so many tables.
MOST = 0.05 + 3 * (0.05 * 0.95 / TABLES) ** 0.5
SMALL, LARGE = (100, 30), (500, 30)


@pytest.mark.parametrize(
    ("similarity", "table", "target", "shape"),
    [
        ("pearson", noise.normal, noise.number, SMALL),
        ("pearson", noise.normal, noise.two_classes, SMALL),
        ("pearson", noise.normal, noise.five_classes, SMALL),
        ("pearson", noise.normal, noise.few_labels, SMALL),
        ("pearson", noise.normal, noise.two_targets, SMALL),
        ("pearson", noise.gaps, noise.five_classes, SMALL),
        ("spearman", noise.normal, noise.number, SMALL),
        ("spearman", noise.gaps, noise.five_classes, SMALL),
        ("mixed", noise.kinds, noise.few_labels, SMALL),
        ("mixed", noise.kinds_with_gaps, noise.number, SMALL),
        ("mixed", noise.kinds_with_gaps, noise.five_classes, SMALL),
        ("mutual_information", noise.normal, noise.number, LARGE),
        ("mutual_information", noise.normal, noise.five_classes, LARGE),
    ],
)
def test_noise_selects_nothing(similarity, table, target, shape):
    found = noise.share_of_tables(similarity, table, target, shape, TABLES, seed=11)
    assert found <= MOST
