"""What `AtLeast` costs: the coverage of selections under demands, beside the best by brute force.

    python -m benchmarks.at_least

The tables are those of tests/rules/test_at_least.py: up to 8 columns in three groups, with demands,
some with limits, forced and excluded columns, and budgets.
"""

from tests.rules.test_at_least import shares_of_the_best


def main():
    ratios, n_refused = shares_of_the_best()
    print(f"{len(ratios)} tables with a solution; {n_refused} are refused, and have none")
    for words, found in zip(("greedy", "with exchanges"), ratios.T, strict=True):
        print(f"{words}: {found.mean():.4f} of the best coverage, at least {found.min():.3f}")


if __name__ == "__main__":
    main()
