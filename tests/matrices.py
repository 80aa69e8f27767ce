"""Matrices and tables that tests draw from."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


def factor_table(n_samples, n_features, *, seed=0, n_factors=4):
    """Columns driven by a few common factors, without ties."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(n_samples, n_factors))
    loadings = rng.normal(size=(n_factors, n_features))
    return factors @ loadings + rng.normal(size=(n_samples, n_features))


@st.composite
def similarity_matrices(draw, min_size=1, max_size=12):
    """Symmetric matrices: ties, zeros and negatives, or arbitrary numbers in [-1, 1]."""
    n = draw(st.integers(min_size, max_size))
    elements = draw(
        st.sampled_from(
            [
                st.sampled_from([0.0, 1.0]),
                st.sampled_from([-0.5, 0.0, 0.25, 0.5]),
                st.just(0.0),
                st.floats(-1, 0, allow_subnormal=False),
                st.floats(-1, 1, allow_subnormal=False),
            ]
        )
    )
    values = draw(hnp.arrays(np.float64, (n, n), elements=elements))
    return np.tril(values) + np.tril(values, -1).T


def tables(*, missing=False, max_features=6):
    """Small tables: whole numbers full of ties, or arbitrary numbers, perhaps with holes."""
    whole = st.integers(-3, 3).map(float)
    # Rounded, so that squares neither vanish nor swamp each other in the naive twins.
    anything = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
    shape = st.tuples(st.integers(2, 9), st.integers(1, max_features))
    hole = [st.just(np.nan)] if missing else []

    def of_shape(shape):
        return st.one_of(
            *(
                hnp.arrays(np.float64, shape, elements=st.one_of(kind, *hole))
                for kind in (whole, anything)
            )
        )

    return shape.flatmap(of_shape)
