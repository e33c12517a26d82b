"""The listings: short pseudo-code of Flink's operators in our own words, as files beside this one.

A file holds sections, ``[name] Flink's own class and method`` and under it lines ``id | text``. The id says which
micro-step stands there; a line without one only helps to read. They hold no words: names in them are Flink's terms.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_HEAD = re.compile(r"\[([\w.]+)\] (.+)")


@dataclass(frozen=True, slots=True)
class Line:
    """``id`` is "" where no micro-step stands; ``text`` keeps its indentation of two spaces a level."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Method:
    """``flink``: the class and method of Flink that these lines retell, in Java's spelling."""

    flink: str
    lines: tuple[Line, ...]


@cache
def methods() -> dict[str, Method]:
    """All sections of all files by their names; ``ValueError`` for a name that comes twice or a line without a bar."""
    found: dict[str, Method] = {}
    for path in sorted(files(__package__).joinpath("texts").iterdir(), key=lambda each: each.name):
        if path.name.endswith(".code"):
            _read(path.read_text(encoding="utf-8"), path.name, found)
    return found


def _read(text: str, where: str, found: dict[str, Method]) -> None:
    for section in re.split(r"\n(?=\[)", text):
        head, *rest = section.strip().splitlines()
        match = _HEAD.fullmatch(head)
        if match is None:
            continue  # what stands before the first section is a note
        name, flink = match.groups()
        if name in found or not all("|" in line for line in rest):
            message = f"{where}: section {name}"
            raise ValueError(message)
        parts: list[Any] = [line.partition("|") for line in rest]
        found[name] = Method(flink, tuple(Line(id.strip(), text[1:]) for id, _, text in parts))
