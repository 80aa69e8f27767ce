"""torch stays out of the rest of topofs."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("name", ["topofs", "topofs.models", "topofs.selection", "topofs.cli"])
def test_nothing_else_imports_torch(name):
    code = f"import sys, {name}; topofs.LoGoCovariance; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
