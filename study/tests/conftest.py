"""Settings for all tests of the study: those of the library's tests, which the import loads."""

from tests.conftest import shared_datasets  # noqa: F401
