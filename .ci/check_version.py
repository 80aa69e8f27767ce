"""Make sure that a tag and every file that states the version of a release agree.

``python .ci/check_version.py v0.2.0`` ends with 1 where one of them does not.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
STATED = {
    "src/topofs/__init__.py": r'^__version__ = "(.+)"$',
    "study/src/topofs_study/__init__.py": r'^__version__ = "(.+)"$',
    "study/pyproject.toml": r'"topofs\[[a-z,]+\]==(.+)"',
    "CITATION.cff": r"^version: (.+)$",
    "recipe/recipe.yaml": r'^  version: "(.+)"$',
    "CHANGELOG.md": r"^## (\S+) \((?:\d{4}-\d\d-\d\d)\)$",
}


def main() -> None:
    """Compare all with the tag that is named."""
    wanted = sys.argv[1].removeprefix("v")
    wrong = []
    for name, pattern in STATED.items():
        found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        if found is None:
            wrong.append(f"{name}: states no version of a dated release")
        elif found[1] != wanted:
            wrong.append(f"{name}: is {found[1]}")
    if wrong:
        sys.exit(f"the tag says {wanted}, but\n" + "\n".join(wrong))
    print(f"all files are of version {wanted}")


if __name__ == "__main__":
    main()
