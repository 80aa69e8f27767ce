"""The commands are tested on the datasets that their readers are tested on."""

from study.tests.datasets.conftest import _no_data_of_this_user, tiny  # noqa: F401
