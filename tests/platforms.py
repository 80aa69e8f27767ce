"""What a test needs of the system that it runs on."""

import os

import pytest

posix = pytest.mark.skipif(
    os.name != "posix", reason="needs POSIX: links, named pipes, permissions, devices, signals"
)
