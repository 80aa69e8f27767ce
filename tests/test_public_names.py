"""Names are imported when they are first used."""

import subprocess
import sys

import pytest

import topofs


@pytest.mark.parametrize("name", topofs.__all__)
def test_every_public_name_is_there(name):
    assert getattr(topofs, name) is not None
    assert name in dir(topofs)


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="module 'topofs' has no attribute 'tmgf'"):
        topofs.tmgf  # noqa: B018


@pytest.mark.parametrize(
    "code",
    [
        "import topofs, sys; assert 'numba' not in sys.modules and 'sklearn' not in sys.modules",
        "import topofs; topofs.selection.noise_features",
        "import topofs; topofs.similarity.correlation; topofs.tmfg",
        "from topofs import *; TopologicalFeatureSelector",
    ],
)
def test_in_a_new_process(code):
    subprocess.run([sys.executable, "-c", code], check=True)
