"""The honest comparison: label-free selection against random subsets and its rivals.

Plan → work items → records in a store, as in the study of the paper; then one frame of scores
and the comparisons drawn from it.
"""
