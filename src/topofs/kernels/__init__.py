"""numba loops: plain arrays in, plain arrays out, nothing else."""
