"""Look into the built distributions, and try them in clean environments.

For every Python from 3.11 on that is found, the wheels are installed twice, with the newest and
with the lowest versions of what they need, and the demo runs there. From the root of the
repository: ``python .ci/check_distributions.py dist``.
"""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# The lowest versions have wheels for these.
PYTHONS_OF_LOWEST = ("3.11", "3.12")
IN_WHEELS = {
    "topofs": ["topofs/py.typed", "topofs/cli/app.py", "topofs/report/templates/"],
    "topofs_study": ["topofs_study/py.typed", "topofs_study/cli/reproduce.py"],
}
IN_SOURCES = ["pyproject.toml", "README.md", "LICENSE", "src/", "tests/"]


def main() -> None:
    """Check the folder that is named."""
    folder = Path(sys.argv[1])
    for name, wanted in IN_WHEELS.items():
        (wheel,) = folder.glob(f"{name}-*.whl")
        (source,) = folder.glob(f"{name}-*.tar.gz")
        with zipfile.ZipFile(wheel) as packed:
            check_contents(wheel, packed.namelist(), wanted)
        with tarfile.open(source) as archive:
            held = [entry.partition("/")[2] for entry in archive.getnames()]
        check_contents(source, [*held, *(f"{entry}/" for entry in held)], IN_SOURCES)
    tried = 0
    for version in PYTHONS:
        python = runnable(version)
        if python is None:
            print(f"Python {version}: not found", flush=True)
            continue
        for lowest in (False, True) if version in PYTHONS_OF_LOWEST else (False,):
            try_wheels(python, folder, lowest=lowest)
            tried += 1
            versions = "lowest" if lowest else "newest"
            print(f"Python {version}, {versions} versions: all well", flush=True)
    if not tried:
        sys.exit("no Python from 3.11 on was found")


def check_contents(path: Path, held: list[str], wanted: list[str]) -> None:
    """Make sure that a distribution holds what it should, and nothing that was only lying by."""
    for part in wanted:
        if not any(entry.startswith(part) for entry in held):
            sys.exit(f"{path.name} lacks {part}")
    for entry in held:
        if entry.endswith((".pyc", ".nbi", ".nbc")) or "/." in entry:
            sys.exit(f"{path.name} holds {entry}")
    if path.suffix == ".whl" and any(entry.startswith("tests/") for entry in held):
        sys.exit(f"{path.name} holds tests")


def runnable(version: str) -> str | None:
    """Find a Python that runs; a name on the path may be a shim that does not."""
    python = shutil.which(f"python{version}")
    if python is None:
        return None
    done = subprocess.run(
        [python, "-c", "import ensurepip, venv"], capture_output=True, check=False
    )
    return python if done.returncode == 0 else None


def try_wheels(python: str, folder: Path, *, lowest: bool) -> None:
    """Install both wheels into an environment and run the demo there."""
    (library,) = folder.glob("topofs-*.whl")
    (study,) = folder.glob("topofs_study-*.whl")
    with TemporaryDirectory() as name:
        work = Path(name)
        run([python, "-m", "venv", work / "venv"], work)
        bin_folder = work / "venv" / "bin"
        install = [bin_folder / "python", "-m", "pip", "install", "--quiet"]
        if lowest:
            script = ROOT / ".ci" / "lowest_versions.py"
            pinned = run([sys.executable, script, "cli", "report"], work)
            (work / "lowest.txt").write_text(pinned)
            install += ["--constraint", work / "lowest.txt"]
        run([*install, f"{library.resolve()}[cli,report]", study.resolve()], work)
        run([bin_folder / "python", ROOT / "examples" / "select_features.py"], work)
        run([bin_folder / "python", ROOT / "examples" / "breast_cancer_csv.py"], work)
        select = [bin_folder / "topofs", "select", "breast_cancer.csv", "--target", "diagnosis"]
        run([*select, "--out", "selected.csv", "--report", "report.html"], work)
        run([bin_folder / "topofs", "datasets", "list"], work)
        for output in ("selected.csv", "report.html"):
            if not (work / output).stat().st_size:
                sys.exit(f"{output} is empty")


def run(command: list[object], folder: Path) -> str:
    """Run a command; what it prints, or the end."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
