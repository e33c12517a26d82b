"""What a file contains before its meaning is known: scalars, mappings and lists with their places.

``at`` is an offset (in characters, from 0) into the text; ``Source`` turns it into line and column for messages.
Scalars keep their text: which kind of value one is, its reader decides.
"""

from typing import Final, NamedTuple, Protocol

QUOTED: Final = '"'
"""Marks the text of a quoted scalar where plain and quoted ones stand side by side. No plain one begins with it."""


class ScalarNode:
    """``plain``: written without quotes, so that it may be a number, a boolean or null."""

    __slots__ = ("at", "plain", "text")

    def __init__(self, text: str, at: int, plain: bool) -> None:
        self.text = text
        self.at = at
        self.plain = plain


class Entry(NamedTuple):
    """One entry of a mapping: the place of its key, whether that is plain, and the value."""

    at: int
    plain: bool
    value: "Node"


class MappingNode:
    """A mapping. ``entries`` are by the text of their keys, in the order of the file."""

    __slots__ = ("_entries", "at")

    def __init__(self, at: int) -> None:
        self.at = at
        self._entries: dict[str, Entry] | None = {}

    @property
    def entries(self) -> dict[str, Entry]:
        """The entries, which the reader fills in."""
        assert self._entries is not None
        return self._entries


class EntriesReader(Protocol):
    """A reader that can return to a mapping and read its entries."""

    def entries(self, at: int) -> dict[str, Entry]:
        """The entries of the mapping whose opening brace is at ``at``."""


class PairsNode(MappingNode):
    """A mapping of simple pairs in braces, as nearly every item of a stream is: ``{ts: 1s, key: a, value: 4}``.

    Its entries are made on first use, because an edit of a long stream touches one item. ``said`` holds the pairs
    without their places, in the form of ``simulator.scenario.editing.written.shape``.
    """

    __slots__ = ("_reader", "said")

    def __init__(self, at: int, said: dict[str, str], reader: EntriesReader) -> None:
        self.at = at
        self.said = said
        self._entries = None
        self._reader = reader

    @property
    def entries(self) -> dict[str, Entry]:
        """The entries, made on first use."""
        if self._entries is None:
            self._entries = self._reader.entries(self.at)
        return self._entries


class SequenceNode:
    """A list."""

    __slots__ = ("at", "items")

    def __init__(self, at: int) -> None:
        self.at = at
        self.items: list[Node] = []


Node = ScalarNode | MappingNode | SequenceNode
