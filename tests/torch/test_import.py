"""torch stays out of the rest of topofs."""

import subprocess
import sys


def test_nothing_else_imports_torch():
    code = (
        "import sys, topofs; [getattr(topofs, name) for name in topofs.__all__]; "
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
