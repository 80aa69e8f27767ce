"""numba loops: plain arrays in, plain arrays out, nothing else; `dispatch` says when they pay."""
