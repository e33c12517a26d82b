"""Names for scenarios that begin as copies of others."""

import re
from collections.abc import Collection
from typing import Final

from tidemark.simulator.scenario.editing import EditError, Plain, ScenarioText, set_value

_NUMBERED: Final = re.compile(r"(.*?)(?:-(\d{1,6}))?")


def fork(text: str, taken: Collection[str]) -> str:
    """``text`` with a name that is not ``taken``; unchanged if it cannot be read."""
    try:
        read = ScenarioText(text)
        name = read.scalar(("name",))
        if name is None or name not in taken:
            return text
        return set_value(read, ("name",), Plain(free_name(name, taken))).text
    except EditError:
        return text


def free_name(name: str, taken: Collection[str]) -> str:
    """``name`` with the first free number after it: ``late-2``."""
    stem = _stem(name)[:90]
    number = 2
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"


def original_of(name: str, known: Collection[str]) -> str | None:
    """The one of ``known`` that a copy called ``name`` was made from, by its name: ``late`` of ``late-2``."""
    stem = _stem(name)
    return stem if stem != name and stem in known else None


def _stem(name: str) -> str:
    found = _NUMBERED.fullmatch(name)
    return found[1] if found else name
