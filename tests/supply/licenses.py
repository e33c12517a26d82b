"""``python -m tests.supply.licenses`` writes THIRD-PARTY.md: the licences of all that Tidemark installs or ships.

What Python packages say is read from the environment, so it must have the pinned versions; what comes by npm is read
from the lock files, which name the licences themselves.
"""

import json
import re
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
FILE: Final = ROOT / "THIRD-PARTY.md"

HEAD: Final = """# Licences of what Tidemark uses

Tidemark itself is under the [MIT licence](LICENSE). These are the packages that `make` installs, in the pinned
versions, by the licence that each states. `python -m tests.supply.licenses` writes this list; a test compares it with
the pins.
"""

SHIPPED: Final = """
## In a site of static files

`make site` copies Python for the browser (Pyodide, with CPython's standard library under the PSF licence) into the
site, and from the list above lark, tomlkit and the time zones of tzdata. Its pages use the font that Streamlit brings
(Source Sans, under the SIL Open Font Licence). `make run` ships nothing.
"""

LONGEST: Final = 60
"""The most characters of a licence that is a name; longer ones are its whole text."""


def pins(file: str) -> Iterator[tuple[str, str]]:
    """Name and version of each pinned package."""
    for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
        if match := re.fullmatch(r"([\w.-]+)==([\w.]+)", line):
            yield match[1], match[2]


def licence_of(found: Distribution) -> str:
    """The licence that a package states: as an SPDX expression, by name, or by its classifiers."""
    stated = found.metadata
    named = stated.get("License-Expression") or ""
    if not named:
        classes = [each.rpartition(" :: ")[2] for each in stated.get_all("Classifier", []) if "License ::" in each]
        named = " / ".join(each for each in classes if each != "OSI Approved")
    if not named:
        named = (stated.get("License") or "").strip().partition("\n")[0]
    return named if len(named) <= LONGEST else f"{named[:LONGEST].rstrip()} …"


def of_python(file: str) -> Iterator[tuple[str, str]]:
    """Each package of a requirements file, with its licence."""
    for name, version in pins(file):
        yield f"{name} {version}", licence_of(distribution(name)) or "not stated"


def of_npm(file: str) -> Iterator[tuple[str, str]]:
    """Each package of an npm lock file, with its licence."""
    packages = json.loads((ROOT / file).read_text(encoding="utf-8"))["packages"]
    for place, package in packages.items():
        if place:
            name = place.rpartition("node_modules/")[2]
            yield f"{name} {package['version']}", package.get("license", "not stated")


def by_licence(packages: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A line for each licence, with its packages."""
    found = sorted(packages, key=lambda each: (each[1].casefold(), each[0].casefold()))
    for licence, group in groupby(found, key=itemgetter(1)):
        yield f"- **{licence}**: {', '.join(package for package, _ in group)}"


def text() -> str:
    """The whole document."""
    parts = [HEAD]
    for title, packages in (
        ("The app", of_python("requirements.txt")),
        ("Tests and checks, beside those of the app", of_python("requirements-dev.txt")),
        ("Checks of the TypeScript", of_npm("package-lock.json")),
        ("Python for the browser", of_npm("ui/site/pyodide/package-lock.json")),
    ):
        parts.append("\n".join([f"\n## {title}\n", *by_licence(packages), ""]))
    return "".join([*parts, SHIPPED])


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
