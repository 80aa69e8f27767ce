"""numba loops: plain arrays in, plain arrays out, nothing else."""

from topofs.kernels.cache_folder import settle_cache_folder

settle_cache_folder()
