"""What a file holds before anybody knows what it means: scalars, mappings and lists with their place.

``at`` is an offset (characters, from 0) into the text; ``Source`` makes line and column of it where a message needs
them. Scalars keep their text: what kind of value it is, is decided where it is read.
"""

from typing import Final, NamedTuple

MAX_DEPTH: Final = 64
"""Mappings and lists inside one another; deeper ones are refused."""

MAX_ITEMS: Final = 100_000
"""Items of one list; a longer one is refused."""


class ScalarNode:
    """``plain``: written without quotes, so that it may stand for a number, a boolean or null."""

    __slots__ = ("at", "plain", "text")

    def __init__(self, text: str, at: int, plain: bool) -> None:
        self.text = text
        self.at = at
        self.plain = plain


class Entry(NamedTuple):
    """One entry of a mapping: where its key stands, whether that is plain, and the value."""

    at: int
    plain: bool
    value: "Node"


class MappingNode:
    """``entries`` by the text of the key, in the order of the file."""

    __slots__ = ("at", "entries")

    def __init__(self, at: int) -> None:
        self.at = at
        self.entries: dict[str, Entry] = {}


class SequenceNode:
    """A list."""

    __slots__ = ("at", "items")

    def __init__(self, at: int) -> None:
        self.at = at
        self.items: list[Node] = []


Node = ScalarNode | MappingNode | SequenceNode
