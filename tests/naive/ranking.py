"""The whole ranking of coverage, from scratch at every step, in Python's whole numbers."""

UNITS, PARTS = 2**40, 2**20


def naive_ranking(
    shares,
    *,
    strength=None,
    values=None,
    forced=(),
    excluded=(),
    group=None,
    most=None,
    alike=None,
    isolated="drop",
    support_quarters=2,
    whole=None,
    n_wanted=0,
):
    """Nodes in the order in which they are taken, what each adds, and how many "auto" takes.

    `shares[i][j]` is the share of j that i explains. Of nodes that are worth the same, the one
    of the largest `strength` is taken, then of the lowest of `values`. Where `whole[i]` is a row
    of shares, it counts once i is taken, up to "auto" and up to `n_wanted` nodes.
    """
    n = len(shares)
    strength = [0.0] * n if strength is None else list(strength)
    values = list(range(n)) if values is None else list(values)
    whole = {} if whole is None else whole
    units = [[round(float(w) * UNITS) for w in row] for row in shares]
    parts = [[round(float(w) * PARTS) for w in row] for row in shares]
    lonely = [v for v in range(n) if sum(float(w) > 0 for w in shares[v]) <= 1]
    linked = [v for v in range(n) if v not in lonely]
    taken, gains = [], []
    covered, left = [0] * n, [PARTS] * n

    def may_be_taken(v):
        if v in excluded:
            return False
        if group is not None and group[v] is not None:
            beside = sum(group[u] == group[v] for u in taken)
            if beside >= most:
                return False
        return alike is None or not any(alike[u][v] for u in taken)

    def gain(v, row):
        return sum(max(row[j] - covered[j], 0) for j in range(n))

    def worth(v, by_support):
        support = sum(parts[v][j] * left[j] for j in range(n)) if by_support else 0
        return gain(v, units[v]) + support_quarters * support // 4

    def take(v, *, by_row):
        row, some = units[v], parts[v]
        if by_row and v in whole:
            row = [round(float(w) * UNITS) for w in whole[v]]
            some = [round(float(w) * PARTS) for w in whole[v]]
        gains.append(gain(v, row) / UNITS)
        taken.append(v)
        for j in range(n):
            covered[j] = max(covered[j], row[j])
            left[j] = left[j] * (PARTS - some[j]) // PARTS

    def take_of(pool, *, limited=True, above=-1, by_support=False, exact=n):
        while True:
            able = [v for v in pool if v not in taken and (not limited or may_be_taken(v))]
            if not able:
                return
            order = [(-worth(v, by_support), -strength[v], values[v], v) for v in able]
            worst, _, _, best = min(order)
            if -worst <= above:
                return
            take(best, by_row=len(taken) < exact)

    take_of(list(forced), limited=False)
    take_of(linked, above=UNITS)
    if isolated == "keep":
        take_of(lonely)
    end = len(taken)
    pool = linked if isolated == "last" else range(n)
    take_of(pool, by_support=True, exact=max(1, n_wanted))
    if isolated == "last":
        take_of(lonely, exact=max(1, n_wanted))
    return taken, gains, max(1, end)
