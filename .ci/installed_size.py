"""List what an environment holds: every distribution, its version, its licence, its size.

``python .ci/installed_size.py`` prints a Markdown table, the largest first. Run it with the
interpreter of the environment that is asked about.
"""

from importlib.metadata import Distribution, distributions


def main() -> None:
    """Print the table."""
    found = sorted(
        ((_bytes(held), held) for held in distributions()), key=lambda pair: -pair[0]
    )
    print("| package | version | licence | MB |\n| --- | --- | --- | ---: |")
    for size, held in found:
        print(f"| {held.name} | {held.version} | {_licence(held)} | {size / 1e6:.1f} |")
    print(f"| all | | | {sum(size for size, _ in found) / 1e6:.1f} |")


def _bytes(held: Distribution) -> int:
    """The bytes of the files on disk, compiled modules included."""
    paths = [path.locate() for path in held.files or ()]
    return sum(path.stat().st_size for path in paths if path.is_file())


def _licence(held: Distribution) -> str:
    stated = held.metadata.get("License-Expression")
    if stated:
        return str(stated)
    classifiers = held.metadata.get_all("Classifier") or []
    named = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License")]
    first_line = str(held.metadata.get("License") or "").strip().partition("\n")[0]
    return ", ".join(named) or first_line[:40] or "not stated"


if __name__ == "__main__":
    main()
