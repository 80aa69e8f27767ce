"""What `MinShare` promises, said column by column, in exact fractions."""

from fractions import Fraction


def exact_share(one, other):
    """The squared correlation of two columns of whole numbers; 0 where one is constant."""
    one, other, n = [int(x) for x in one], [int(x) for x in other], len(one)
    together = n * sum(x * y for x, y in zip(one, other, strict=True)) - sum(one) * sum(other)
    spread = n * sum(x * x for x in one) - sum(one) ** 2
    spread *= n * sum(y * y for y in other) - sum(other) ** 2
    return Fraction(together * together, spread) if spread else Fraction(0)


def broken_promises(X, share, selected, keep, exclude):
    """Say what a selection by `MinShare` breaks; an empty list where all is kept.

    Columns are positions. Constant ones take no part: they are selected only by `keep`.
    """
    columns = [[int(x) for x in column] for column in X.T]
    taking_part = [i for i, column in enumerate(columns) if len(set(column)) > 1]
    shares = [[exact_share(a, b) for b in columns] for a in columns]
    allowed = [i for i in taking_part if i not in exclude]

    def explained(i, by):
        return i in by or any(shares[j][i] >= share for j in by)

    must_be = [i for i in taking_part if explained(i, allowed)]
    broken = [f"kept {i} is not selected" for i in keep if i not in selected]
    broken += [f"excluded {i} is selected" for i in exclude if i in selected]
    broken += [f"nothing explains {i}" for i in must_be if not explained(i, selected)]
    for i in selected:
        others = [j for j in selected if j != i]
        if i not in keep and all(explained(j, others) for j in must_be):
            broken.append(f"{i} could be left out")
    return broken
