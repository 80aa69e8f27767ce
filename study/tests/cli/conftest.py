"""The commands are tested on the datasets that their readers are tested on."""

from study.tests.datasets.conftest import (  # noqa: F401
    _no_data_of_this_user,
    shared_datasets,
    tiny,
)
