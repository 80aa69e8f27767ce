"""Direct formulas for pairs of columns of any kind, one pair at a time."""

import numpy as np
from scipy import stats


def spearman_squared(x, y):
    return stats.spearmanr(x, y).statistic ** 2


def correlation_ratio(x, groups):
    """η² of the ranks of x: variance between groups over all variance."""
    ranks = stats.rankdata(x)
    total = ((ranks - ranks.mean()) ** 2).sum()
    between = sum(
        (groups == g).sum() * (ranks[groups == g].mean() - ranks.mean()) ** 2
        for g in np.unique(groups)
    )
    return between / total


def cramers_v_squared(x, y):
    """χ² without Yates's correction over S·min(rows − 1, columns − 1)."""
    table = np.array(
        [[((x == a) & (y == b)).sum() for b in np.unique(y)] for a in np.unique(x)]
    )
    chi2 = stats.chi2_contingency(table, correction=False).statistic
    return chi2 / (table.sum() * (min(table.shape) - 1))


def naive_mutual_information(x, y):
    """Mutual information of two columns of labels, in nats."""
    n = len(x)
    total = 0.0
    for a in np.unique(x):
        for b in np.unique(y):
            both = ((x == a) & (y == b)).sum() / n
            if both > 0:
                total += both * np.log(both / ((x == a).mean() * (y == b).mean()))
    return total
