"""Print a constraints file that pins every declared package to its lowest version.

Reads pyproject.toml and study/pyproject.toml; extras named as arguments take part.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[([^\]]*)\])?(?:>=([^,;\s]+))?")


def lowest(extras: set[str]) -> dict[str, str]:
    """Collect the lowest version of each package that is declared with one."""
    found: dict[str, str] = {}
    for folder in (ROOT, ROOT / "study"):
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))[
            "project"
        ]
        optional = project.get("optional-dependencies", {})
        requirements = [
            *project["dependencies"],
            *(line for extra in sorted(extras) for line in optional.get(extra, ())),
        ]
        for line in requirements:
            match = REQUIREMENT.match(line)
            if match is not None and match[3]:
                found[match[1].lower()] = match[3]
    return found


if __name__ == "__main__":
    for package, version in sorted(lowest(set(sys.argv[1:])).items()):
        # A version of two numbers stands for the newest of its patches: x.y.* is pinned.
        print(f"{package}=={version}.*" if version.count(".") == 1 else f"{package}=={version}")
