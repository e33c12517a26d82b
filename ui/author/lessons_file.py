"""Changes to the text of ``lessons.toml`` that keep its comments, its layout and what Tidemark does not know."""

from collections.abc import Callable, MutableMapping, MutableSequence
from typing import Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError

LISTS: Final = ("scenarios", "lab", "onward")
"""The members whose texts are names of scenarios; ``onward`` may hold tables with a ``scenario``, too."""


def renamed(text: str, old: str, new: str) -> str:
    """``text`` with the scenario ``old`` called ``new`` wherever it is named; unchanged if it cannot be read."""
    try:
        document = tomlkit.parse(text)
    except TOMLKitError:
        return text
    _each_name(document, lambda name: new if name == old else name)
    return tomlkit.dumps(document)


def _each_name(table: MutableMapping[str, Any], change: Callable[[str], str]) -> None:
    for key, value in table.items():
        if isinstance(value, MutableMapping):
            _each_name(value, change)
        elif isinstance(value, MutableSequence):
            for place, each in enumerate(value):
                if isinstance(each, MutableMapping):
                    if key == "onward" and isinstance(each.get("scenario"), str):
                        each["scenario"] = _kept(str(each["scenario"]), each["scenario"], change)
                    _each_name(each, change)
                elif key in LISTS and isinstance(each, str) and change(str(each)) != str(each):
                    value[place] = change(str(each))


def _kept(name: str, there: Any, change: Callable[[str], str]) -> Any:
    """The new name, or the very value that is there, in its own notation, where nothing changes."""
    return change(name) if change(name) != name else there
