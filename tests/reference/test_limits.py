"""Each limit has one number: nothing else repeats it, not in Python, in JavaScript or in a message."""

import re
from pathlib import Path

import pytest
from tidemark.simulator import limits
from tidemark.simulator.words import LANGUAGES

from tests.reference.limits import SOURCE, limits_of, shown

ROOT = Path(__file__).parents[2]
LIMITS = {limit.name: limit for limit in limits_of(SOURCE)}
CODE = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for folder in ("simulator", "spark_bridge", "ui")
    for path in (ROOT / folder).rglob("*.py")
}


def test_every_limit_is_read_by_a_part() -> None:
    assert len(LIMITS) > 60
    others = " ".join(text for path, text in CODE.items() if path != "simulator/limits.py")
    read = set(re.findall("[A-Z_]{5,}", others))
    assert set(LIMITS) - read == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_takes_its_limit_from_the_program(language: str) -> None:
    """A number of 1,000 and more in a message would go on saying what the limit once was."""
    numbers = {limit.number for limit in LIMITS.values() if limit.number >= 1_000}
    written = {f"{number:,.0f}" for number in numbers} | {f"{number:.0f}" for number in numbers}
    written |= {shown(name, limit.number) for name, limit in LIMITS.items() if name.endswith("BYTES")}
    said = re.compile(rf"(?<![\d.,])(?:{'|'.join(sorted(map(re.escape, written)))})(?![\d.,]\d|\d)")
    found = {
        f"{path.name}: {line}"
        for path in (ROOT / "simulator" / "words" / language).glob("*.toml")
        for line in path.read_text(encoding="utf-8").splitlines()
        if said.search(line)
    }
    assert found == set()


@pytest.mark.parametrize(
    ("file", "name", "number"),
    [
        ("ui/learning/inventory/class.ts", "READ_BYTES", limits.ANSWERS_BYTES + 1024),
        ("ui/learning/inventory/class.ts", "READ_FILES", limits.ANSWERS_FILES + 1),
    ],
)
def test_the_browser_has_the_same_limit(file: str, name: str, number: int) -> None:
    """Beyond it the browser need not send what the server would refuse."""
    found = re.search(rf"const {name} = ([\d_ *]+);", (ROOT / file).read_text(encoding="utf-8"))
    assert found
    left, _, right = found[1].partition("*")
    assert int(left) * int(right or 1) == number
