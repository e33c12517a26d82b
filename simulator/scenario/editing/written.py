"""How a value is written into a scenario's text, and what a node of the text says, without comments and layout."""

import json
from typing import Any

from tidemark.simulator.scenario.reading.flow import PLAIN
from tidemark.simulator.scenario.reading.nodes import QUOTED, MappingNode, Node, PairsNode, ScalarNode
from tidemark.simulator.scenario.reading.scalars import ScalarError, resolve


class Plain(str):
    """A scalar written without quotes: ``Plain("3s400ms")``, ``Plain("tumbling")``."""

    __slots__ = ()


Value = Plain | str | int | float | bool | None | list[Any] | dict[str, Any]
"""A value of a scenario file. A ``str`` that is not ``Plain`` is a text, and written in quotes."""

Shape = Any
"""What a node says: a list of shapes, a dict of shapes, or of a scalar its text, after a quote unless it is plain.

A file of 5,000 records has 25,000 scalars and is compared at every edit: as texts they are nothing that Python's
garbage collector would have to look at.
"""


def written(value: Value) -> str:
    """``value`` on one line. Texts are quoted, so that none turns into a number. Raises ``ValueError`` for no value."""
    if isinstance(value, Plain):
        if not is_plain(value):
            raise ValueError(value)
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_written(key)}: {written(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def is_plain(text: str) -> bool:
    """Whether ``text`` can stand without quotes anywhere in a file, as whatever value YAML then takes it for."""
    return PLAIN.fullmatch(text) is not None


def text_value(text: str) -> Value:
    """``text`` without quotes if it is read back as it is: a sentence is easier to edit like that."""
    try:
        simple = is_plain(text) and resolve(text) == text
    except ScalarError:
        simple = False
    return Plain(text) if simple else text


def block(members: dict[str, Value], indent: int) -> str:
    """An item of a list with a line for each of ``members``; its dash has ``indent`` blanks before it."""
    lines = [entry(key, value) for key, value in members.items()]
    return "".join(f"{' ' * indent}{'  ' if number else '- '}{line}\n" for number, line in enumerate(lines))


def key_written(key: str) -> str:
    """``key`` of a mapping, in quotes where it is no plain name."""
    return key if key.isidentifier() and key.isascii() else json.dumps(key, ensure_ascii=False)


def entry(key: str, value: Value) -> str:
    """``key: value``."""
    return f"{key_written(key)}: {written(value)}"


def value_of(node: Node) -> Value:
    """What ``node`` says, as a value that can be written again; an empty place is ``None``."""
    if isinstance(node, ScalarNode):
        return Plain(node.text) if node.plain and node.text else (None if node.plain else node.text)
    if isinstance(node, MappingNode):
        return {key: value_of(each.value) for key, each in node.entries.items()}
    return [value_of(each) for each in node.items]


def shape(node: Node) -> Shape:
    """What ``node`` says, without places. Each call returns lists and dicts of its own, which the caller may change."""
    if isinstance(node, ScalarNode):
        return node.text if node.plain else QUOTED + node.text
    if isinstance(node, PairsNode):
        return dict(node.said)
    if isinstance(node, MappingNode):
        return {key: shape(each.value) for key, each in node.entries.items()}
    return [shape(each) for each in node.items]


def same_shape(one: Shape, other: Shape) -> bool:
    """Whether two nodes say the same, with the keys of each mapping in the same order."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(map(same_shape, one.values(), other.values()))
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_shape, one, other))
    return bool(one == other)
