"""FSEVAL's protocol: rank the whole table without labels, then score shares of the columns.

Its two measures, its shares and its seeds, so that a row of topofs can stand beside the rows that
its authors published.

References
----------
M. Rajabinasab et al., "Worse than Random", arXiv 2605.22973, 2026; the package is sdufseval.
"""
