"""Settings for all tests."""

from hypothesis import settings

from tests.dask_fixtures import client, in_this_thread  # noqa: F401
from tests.shared_files import shared_datasets  # noqa: F401

# No deadline: the first call of a kernel compiles it. The same examples on every run, so that
# a change is judged by what it does and not by luck.
settings.register_profile("topofs", deadline=None, derandomize=True)
settings.load_profile("topofs")
