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
    relevance=None,
):
    """Nodes in the order in which they are taken, what each adds, and how many "auto" takes.

    `shares[i][j]` is the share of j that i explains. Of nodes that are worth the same, the one
    of the largest `strength` is taken, then of the lowest of `values`. Where `whole[i]` is a row
    of shares, it counts once i is taken, up to "auto" and up to `n_wanted` nodes. `relevance` are
    the proven weights of rows and of columns (or none), the weights that order them, and the
    least gain.
    """
    n = len(shares)
    strength = [0.0] * n if strength is None else list(strength)
    values = list(range(n)) if values is None else list(values)
    whole = {} if whole is None else whole
    even = [1.0] * n, [1.0] * n
    lonely = [v for v in range(n) if sum(float(w) > 0 for w in shares[v]) <= 1]
    linked = [v for v in range(n) if v not in lonely]
    taken, gains, by_row_of = [], [], []

    def may_be_taken(v):
        if v in excluded:
            return False
        if group is not None and group[v] is not None:
            beside = sum(group[u] == group[v] for u in taken)
            if beside >= most:
                return False
        return alike is None or not any(alike[u][v] for u in taken)

    def row_of(v, weights, *, full):
        row = whole[v] if full and v in whole else shares[v]
        weighted = [weights[0][v] * float(w) * weights[1][j] for j, w in enumerate(row)]
        return [round(w * UNITS) for w in weighted], [round(float(w) * PARTS) for w in row]

    def covered_by(weights):
        covered, left = [0] * n, [PARTS] * n
        for v, full in zip(taken, by_row_of, strict=True):
            row, parts = row_of(v, weights, full=full)
            covered = [max(covered[j], row[j]) for j in range(n)]
            left = [left[j] * (PARTS - parts[j]) // PARTS for j in range(n)]
        return covered, left

    def gain(v, weights, *, full=False):
        covered = covered_by(weights)[0]
        row = row_of(v, weights, full=full)[0]
        return sum(max(row[j] - covered[j], 0) for j in range(n))

    def worth(v, by_support, weights):
        support = 0
        if by_support:
            left = covered_by(weights)[1]
            weighted = [
                weights[0][v] * float(w) * weights[1][j] for j, w in enumerate(shares[v])
            ]
            support = sum(round(weighted[j] * PARTS) * left[j] for j in range(n))
        return gain(v, weights) + support_quarters * support // 4

    def put(v, *, full):
        gains.append(gain(v, even, full=full) / UNITS)
        taken.append(v)
        by_row_of.append(full)

    def forget(size):
        del taken[size:], gains[size:], by_row_of[size:]

    def take_of(pool, *, limited=True, above=-1, by_support=False, exact=n, weights=even):
        while True:
            able = [v for v in pool if v not in taken and (not limited or may_be_taken(v))]
            if not able:
                return
            order = [(-worth(v, by_support, weights), -strength[v], values[v], v) for v in able]
            worst, _, _, best = min(order)
            if -worst <= above:
                return
            put(best, full=len(taken) < exact)

    take_of(list(forced), limited=False)
    relevant, n_forced = [], len(taken)
    if relevance is None:
        take_of(linked, above=UNITS)
    else:
        proven, weights, least = relevance
        exact = n_wanted
        if proven is None:
            take_of(range(n), above=int(least * UNITS), weights=weights)
            end = len(taken)
            beyond = {"weights": weights, "by_support": True, "exact": max(end, exact)}
            take_of(range(n), above=0, **beyond)
            relevant = taken[n_forced:]
            forget(end)
        while proven is not None:
            take_of(range(n), above=0, weights=weights, by_support=True, exact=exact)
            relevant = taken[n_forced:]
            forget(n_forced)
            end = n_forced
            for v in relevant:
                others = [u for u in range(n) if u not in taken and may_be_taken(u)]
                if max((gain(u, proven) for u in others), default=0) <= int(least * UNITS):
                    break
                put(v, full=True)
                end += 1
            if end <= exact or not whole:
                break
            exact = end
            forget(n_forced)
    if isolated == "keep":
        take_of(lonely)
    end = len(taken)
    at_least = 1 if relevance is None or relevance[0] is None else 0
    exact = max(at_least, n_wanted, end)
    for v in relevant:
        if v not in taken:
            put(v, full=len(taken) < exact)
    pool = linked if isolated == "last" else range(n)
    take_of(pool, by_support=True, exact=exact)
    if isolated == "last":
        take_of(lonely, exact=exact)
    return taken, gains, max(at_least, end)
