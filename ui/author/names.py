"""A name of its own for a scenario that begins as a copy of another."""

import re
from collections.abc import Collection
from typing import Final

from simulator.scenario.editing import EditError, Plain, set_value
from simulator.scenario.editing.places import Places
from simulator.scenario.reading.nodes import MappingNode, ScalarNode

_NUMBERED: Final = re.compile(r"(.*?)(?:-(\d{1,6}))?")


def fork(text: str, taken: Collection[str]) -> str:
    """``text`` with a name that is not ``taken``; as it is where it cannot be read."""
    try:
        root = Places(text).root
        name = root.entries["name"].value if isinstance(root, MappingNode) and "name" in root.entries else None
        if not isinstance(name, ScalarNode) or name.text not in taken:
            return text
        return set_value(text, ("name",), Plain(free_name(name.text, taken)))
    except EditError:
        return text


def free_name(name: str, taken: Collection[str]) -> str:
    """``name`` with the first number behind it that makes it one of its own: ``late-2``."""
    found = _NUMBERED.fullmatch(name)
    stem = (found[1] if found else name)[:90]
    number = 2
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"
