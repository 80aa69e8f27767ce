"""Where products of columns are computed: one file an engine, one place that chooses."""
