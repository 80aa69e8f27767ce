"""A table as a business has it, with all that misleads; select from it in a process of its own.

    python -m benchmarks.business_table                       100,000 rows, 300 columns
    python -m benchmarks.business_table --rows 2000 --columns 60 --seed 1
    python -m benchmarks.business_table --keep-file t.csv     makes the file here, and leaves it

Prints what the command says, its seconds and its peak memory.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

TARGET = "churned"
LEAK = "cancellation_reason"
"""Known of those alone who have left: it tells the target."""

IDENTIFIER = "row"
PADDED = "account"
HARDLY_REPEAT = ("email", "comment")
DATES = ("signup_date", "last_login")
CONSTANT = "shop"
STRAY_TEXT = "credit_score"
NEAR_NUMBERS = "parcel_weight"
WAYS_OF_WRITING = {
    "discount": "percent signs",
    "revenue": "currencies",
    "followers": "k or M for thousands or millions",
}
CODES = ("age", "income")
NEAR_COPIES = (("net", "gross"), ("orders", "orders_last_year"))
CATEGORIES = ("tenant", "plan", "region")
NEARLY_CONSTANT = "test_account"

_WORDS = (
    "late",
    "invoice",
    "asked",
    "twice",
    "refund",
    "login",
    "phone",
    "again",
    "thanks",
    "box",
)
_FACTORS = 12


def business_table(n_rows: int, n_columns: int, *, seed: int = 0) -> pl.DataFrame:
    """Make the table; columns beyond the named ones are amounts, every third a near-copy."""
    rng = np.random.default_rng(seed)
    named = _named_columns(n_rows, rng)
    if n_columns < len(named):
        raise ValueError(f"the table has {len(named)} named columns; give at least as many")
    factors = rng.standard_normal((_FACTORS, n_rows))
    values = factors[0]
    for number in range(n_columns - len(named)):
        if number % 3 == 2:
            values = 2.5 * values + 0.01 * rng.standard_normal(n_rows)
        else:
            values = factors[number % _FACTORS] + 0.7 * rng.standard_normal(n_rows)
        named[f"amount_{number:03}"] = np.round(100 + 20 * values, 2)
    return pl.DataFrame(named)


def _named_columns(n: int, rng: np.random.Generator) -> dict[str, object]:
    wealth, activity = rng.standard_normal(n), rng.standard_normal(n)
    net = np.round(np.exp(5 + 0.8 * wealth), 2)
    orders = rng.poisson(np.exp(1 + 0.4 * activity))
    churned = rng.random(n) < 0.15
    plan = np.array(["basic", "silver", "gold"])[np.digitize(wealth, [0.3, 1.2])]
    tenant = rng.integers(0, 12, n)
    days = rng.integers(0, 2000, n).astype("timedelta64[D]") + np.datetime64("2019-01-01")
    logins = days + rng.integers(0, 400, n).astype("timedelta64[D]")
    age = np.clip(np.round(45 + 12 * rng.standard_normal(n)), 18, 95).astype(int)
    income = np.round(np.exp(8 + 0.4 * wealth + 0.1 * rng.standard_normal(n))).astype(int)
    score = np.round(520 + 60 * wealth + 20 * rng.standard_normal(n)).astype(int)
    return {
        IDENTIFIER: np.arange(1, n + 1),
        PADDED: [f"{number:09}" for number in rng.permutation(n) * 7],
        "email": _gaps([f"user{i}@mail{i % 7}.com" for i in rng.permutation(n)], rng, 0.0012),
        "comment": _gaps(_comments(n, rng), rng, 0.6),
        "signup_date": days.astype(str),
        "last_login": _gaps(logins.astype(str), rng, 0.1),
        "discount": [f"{share:.1f}%" for share in np.clip(12 + 6 * wealth, 0, 60)],
        "revenue": [f"€{amount:,.2f}" for amount in 12 * net],
        "followers": [_short(number) for number in np.exp(7 + 1.5 * activity)],
        NEAR_NUMBERS: [f"{size} kg" for size in rng.integers(1, 40, n)],
        STRAY_TEXT: np.where(rng.random(n) < 0.02, "n/a*", score.astype(str)),
        "age": np.where(rng.random(n) < 0.04, -99, age),
        "income": np.where(rng.random(n) < 0.06, -99, income),
        "net": net,
        "gross": np.round(1.19 * net, 2),
        "orders": orders,
        "orders_last_year": np.maximum(orders + rng.integers(-1, 2, n), 0),
        "tenant": [f"tenant {number}" for number in tenant],
        "plan": plan,
        "region": np.array(["north", "south", "east", "west"])[tenant % 4],
        CONSTANT: ["web"] * n,
        NEARLY_CONSTANT: (rng.random(n) < 0.002).astype(int),
        LEAK: np.where(churned, rng.choice(["price", "service", "moved"], n), None).tolist(),
        TARGET: churned.astype(int),
    }


def _gaps(values: object, rng: np.random.Generator, share: float) -> list[str | None]:
    missing = rng.random(len(values)) < share
    return [None if gone else str(value) for value, gone in zip(values, missing, strict=True)]


def _comments(n: int, rng: np.random.Generator) -> list[str]:
    words = rng.integers(0, len(_WORDS), (n, 6))
    return [" ".join(_WORDS[w] for w in row) + f" {i % 977}" for i, row in enumerate(words)]


def _short(number: float) -> str:
    if number >= 1e6:
        return f"{number / 1e6:.1f}M"
    return f"{number / 1e3:.1f}k" if number >= 1e3 else f"{number:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep-file", type=Path, help="make the file here, and leave it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.keep_file or Path(folder) / "business.csv"
        business_table(options.rows, options.columns, seed=options.seed).write_csv(path)
        print(f"{options.rows:,} × {options.columns}, {path.stat().st_size / 1e6:,.0f} MB")
        begin = time.perf_counter()
        command = ["topofs.cli", "select", str(path), "--target", TARGET]
        subprocess.run([sys.executable, "-m", *command], check=True)
        seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    print(f"{seconds:.1f} s, {peak:.2f} GB at most")


if __name__ == "__main__":
    main()
