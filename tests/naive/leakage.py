"""How well a column tells the target: row by row, from the definition."""

import math


def score(values, answers, *, classes, names, reach):
    """The score of leaving each row out; `reach` values on both sides for rare numbers."""
    n = len(values)
    given = sorted((v, i) for i, v in enumerate(values) if not math.isnan(v))
    place = {i: at for at, (_, i) in enumerate(given)}
    predicted = []
    for i, value in enumerate(values):
        if math.isnan(value):
            others = {j for j in range(n) if math.isnan(values[j])}
        else:
            others = {j for j in range(n) if values[j] == value}
            if not names and len(others) <= 2 * reach:
                places = [place[j] for j in others]
                low, high = max(0, min(places) - reach), max(places) + reach + 1
                others |= {j for _, j in given[low:high]}
        others.discard(i)
        near = [answers[j] for j in sorted(others)]
        predicted.append(_best(answers, near) if classes else _mean(near or answers))
    if not classes:
        mean = _mean(answers)
        wrong = sum((a - p) ** 2 for a, p in zip(answers, predicted, strict=True))
        return 1 - wrong / sum((a - mean) ** 2 for a in answers)
    kinds = sorted(set(answers))
    recall = [
        sum(
            (a in p) / len(p)
            for a, p in zip(answers, predicted, strict=True)
            if a == kind and p
        )
        / answers.count(kind)
        for kind in kinds
    ]
    accuracy = sum(recall) / len(kinds)
    return (accuracy - 1 / len(kinds)) / (1 - 1 / len(kinds))


def _mean(numbers):
    return sum(numbers) / len(numbers)


def _best(answers, near):
    """The classes of which most are near, for the rows they have; several where they tie."""
    shares = {kind: near.count(kind) / answers.count(kind) for kind in set(near)}
    return [kind for kind, share in shares.items() if share == max(shares.values())]
