"""Edits of a scenario's text that leave comments and layout of everything else alone.

A ``ScenarioText`` is a text that has been read; each edit returns another one.
"""

from tidemark.simulator.scenario.editing.edits import (
    append,
    blank,
    insert,
    move,
    put,
    remove,
    rename_key,
    replace,
    set_anew,
    set_list,
    set_value,
    set_values,
)
from tidemark.simulator.scenario.editing.text import (
    EditError,
    ItemText,
    Path,
    Plain,
    ScenarioText,
    Value,
    is_plain,
    read_value,
    text_value,
    written,
)

__all__ = [
    "EditError",
    "ItemText",
    "Path",
    "Plain",
    "ScenarioText",
    "Value",
    "append",
    "blank",
    "insert",
    "is_plain",
    "move",
    "put",
    "read_value",
    "remove",
    "rename_key",
    "replace",
    "set_anew",
    "set_list",
    "set_value",
    "set_values",
    "text_value",
    "written",
]
