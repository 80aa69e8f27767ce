"""Slow twin of the rule "variance": every regression by least squares, at every step."""

import numpy as np


def standardised(X):
    """Columns centred, of length 1; missing values at the mean."""
    X = np.array(X, dtype=np.float64)
    X = X - np.nanmean(X, axis=0)
    X[np.isnan(X)] = 0.0
    return X / np.linalg.norm(X, axis=0)


def levels_as_block(values):
    """One indicator a level, of length 1 each, centred; of variance 1 together."""
    columns = [(values == level) / np.sqrt((values == level).sum()) for level in set(values)]
    block = np.column_stack(columns)
    block = block - block.mean(axis=0)
    return block / np.linalg.norm(block)


def unexplained(blocks, chosen):
    """What the chosen blocks leave of every column of all blocks, by least squares."""
    whole = np.column_stack(blocks)
    if not chosen:
        return whole
    by = np.column_stack([blocks[j] for j in chosen])
    return whole - by @ np.linalg.lstsq(by, whole, rcond=1e-12)[0]


def gains(blocks, chosen, least=1e-10):
    """What each block would explain beyond the chosen; -inf where nothing is left of it."""
    before = (unexplained(blocks, chosen) ** 2).sum()
    found = []
    for j, block in enumerate(blocks):
        if j in chosen or (unexplained_of(block, blocks, chosen) ** 2).sum() <= least:
            found.append(-np.inf)
        else:
            found.append(before - (unexplained(blocks, [*chosen, j]) ** 2).sum())
    return np.array(found)


def unexplained_of(block, blocks, chosen):
    """What the chosen blocks leave of one."""
    if not chosen:
        return block
    by = np.column_stack([blocks[j] for j in chosen])
    return block - by @ np.linalg.lstsq(by, block, rcond=1e-12)[0]


def naive_order(blocks, n_steps=None):
    """The order in which blocks explain most, and what each adds."""
    chosen, added = [], []
    while len(chosen) < (len(blocks) if n_steps is None else n_steps):
        found = gains(blocks, chosen)
        if not np.isfinite(found).any():
            break
        chosen.append(int(found.argmax()))
        added.append(float(found.max()))
    return chosen, added
