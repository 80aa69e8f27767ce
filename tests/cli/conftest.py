"""The commands are tested on the datasets that the library is tested on."""

from tests.datasets.conftest import (  # noqa: F401
    _no_data_of_this_user,
    shared_datasets,
    tiny,
)
