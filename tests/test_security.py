"""What SECURITY.md promises: no network, nothing unpickled."""

import ast
import subprocess
import sys

import numpy as np
import pytest

from tests.syntax_trees import module_of, source_files

NETWORK = {
    "aiohttp", "ftplib", "http", "httpx", "imaplib", "pooch", "requests", "smtplib", "socket",
    "socketserver", "ssl", "telnetlib", "urllib", "urllib3", "webbrowser", "xmlrpc",
}  # fmt: skip
UNPICKLING = {"cloudpickle", "dill", "marshal", "shelve"}
CALLS = {"Unpickler", "eval", "exec", "load", "loads", "read_pickle"}
# Entry points name installed packages; the other two are the evaluation mode of torch networks.
ALLOWED = {"json.loads", "entry.load", "network.eval", "self.network_.eval"}

HOOK = """
import sys

def hook(event, arguments):
    if event in {"pickle.find_class", "socket.connect", "socket.getaddrinfo", "socket.bind"}:
        raise RuntimeError(f"{event} {arguments}")

sys.addaudithook(hook)
"""
COMMAND = """
from topofs.cli import main
sys.argv = ["topofs", "select", "table.csv", "--out", "out.csv", "--report", "page.html"]
main()
"""


def trees():
    for path in source_files():
        yield module_of(path), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_no_module_imports_a_network_module_or_another_pickle():
    found = {name: set(imported(tree)) & (NETWORK | UNPICKLING) for name, tree in trees()}
    assert not {name: modules for name, modules in found.items() if modules}


def test_no_code_unpickles_or_evaluates():
    found = []
    for name, tree in trees():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            call = ast.unparse(node.func)
            if call.rpartition(".")[2] in CALLS and call not in ALLOWED:
                found.append((name, call))
            if any(
                keyword.arg == "allow_pickle" and ast.unparse(keyword.value) != "False"
                for keyword in node.keywords
            ):
                found.append((name, "allow_pickle"))
    assert not found


@pytest.mark.parametrize(
    "harm",
    [
        "import pickle; pickle.loads(b'cos\\nsystem\\n.')",
        "import socket; socket.create_connection(('127.0.0.1', 9))",
    ],
)
def test_the_hook_fires(harm):
    done = subprocess.run(
        [sys.executable, "-c", HOOK + harm], capture_output=True, text=True, check=False
    )
    assert "RuntimeError: " in done.stderr


def test_a_command_opens_no_connection_and_unpickles_nothing(tmp_path):
    pytest.importorskip("jinja2")
    X = np.random.default_rng(0).normal(size=(40, 5))
    X[:, 3:] += 2 * X[:, :2]
    np.savetxt(tmp_path / "table.csv", X, delimiter=",", header="a,b,c,d,e", comments="")
    done = subprocess.run(
        [sys.executable, "-c", HOOK + COMMAND],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.html").stat().st_size
