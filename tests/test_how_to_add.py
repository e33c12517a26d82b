"""ARCHITECTURE.md lists the files that a new part takes: the newest part of each kind appears in no other file."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TREE = ("simulator", "spark_bridge", "ui", "docs", "scenarios", "app.py", "README.md", "benchmarks")
SUFFIXES = (".py", ".js", ".toml", ".md", ".json", ".code", ".ts")

NAMES = {
    "an operator": r"Deduplicate(\b|Emitted|Plan)|[\"`]deduplicate[\"`]|^deduplicate|type: deduplicate",
    "a trigger": r"DeltaTrigger|delta[-_]exceeded|first_delta|delta[- ]trigger|[\"`]delta[\"`](?! evictor)"
    r"|\[triggers\.delta",
    "a watermark generator": r"\bPunctuated\b|PunctuatedWatermarks(?![\"| ])|punctuated[-_]watermark"
    r"|[\"`]punctuated[\"`]|\[generators\.punctuated|^punctuated =",
    "an assigner": r"\bCumulative\b|CumulativeWindowAssigner|[\"`]cumulative[\"`]|by_cumulative|\[assigners\.cumulative"
    r"|^cumulative =",
}
"""A pattern for the newest part of each kind. It must not match a name that is alike by chance: the `delta` evictor."""

BY_CHANCE = {"simulator/engine/evictors.py", "benchmarks/visitors.py", "spark_bridge/profile/upgrade.py"}


def listed(kind: str, text: str) -> set[str]:
    """The files in backticks in the list under ``**kind.**``; a ``*`` stands for every language or level."""
    section = re.search(rf"^\*\*{kind}\.\*\*.*?(?=^\*\*)", text, re.MULTILINE | re.DOTALL)
    assert section is not None, kind
    bullets = "\n".join(re.findall(r"^- .*(?:\n  .*)*", section[0], re.MULTILINE))
    patterns = [name for name in re.findall(r"`([^`]+)`", bullets) if "/" in name]
    return {path.relative_to(ROOT).as_posix() for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}


def naming(pattern: str) -> set[str]:
    """The files of the project that match the part's pattern."""
    files = [path for name in TREE for path in ([ROOT / name] if "." in name else (ROOT / name).rglob("*"))]
    return {
        path.relative_to(ROOT).as_posix()
        for path in files
        if path.suffix in SUFFIXES and re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    } - BY_CHANCE


@pytest.mark.parametrize("kind", NAMES)
def test_the_list_names_exactly_the_files_of_the_newest_part(kind: str) -> None:
    documented = listed(kind, (ROOT / "docs" / "maintainers" / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    found = naming(NAMES[kind]) - {"docs/maintainers/ARCHITECTURE.md"}
    assert sorted(found - documented) == [], "these name the part and are not listed"
    assert sorted(documented - found) == [], "these are listed and do not name the part"
