"""Settings for all tests."""

import pytest
from hypothesis import settings

from tests.dask_fixtures import client, in_this_thread  # noqa: F401
from tests.shared_files import shared_datasets  # noqa: F401
from topofs._kernels import numpy_or_numba

# No deadline: the first call of a kernel compiles it. The same examples on every run, so that
# a change is judged by what it does and not by luck.
settings.register_profile("topofs", deadline=None, derandomize=True)
settings.load_profile("topofs")


@pytest.fixture(scope="module", params=["numpy", "kernels"])
def both_ways(request):
    """Every table is small enough for numpy alone, or none is."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "kernels":
            patch.setattr(numpy_or_numba, "LARGEST_FOR_NUMPY", 0)
        yield request.param
