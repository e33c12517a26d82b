"""What a file holds before anybody knows what it means: scalars, mappings and lists with their place.

``at`` is an offset (characters, from 0) into the text; ``Source`` makes line and column of it where a message needs
them. Scalars keep their text: what kind of value it is, is decided where it is read.
"""

from typing import Final, NamedTuple, Protocol

MAX_DEPTH: Final = 64
"""Mappings and lists inside one another; deeper ones are refused."""

MAX_ITEMS: Final = 100_000
"""Items of one list; a longer one is refused."""


QUOTED: Final = '"'
"""What begins the text of a scalar in quotes where plain and quoted ones are told apart by it: no plain one does."""


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
    """Whoever has read a mapping and can look at it more closely."""

    def entries(self, at: int) -> dict[str, Entry]:
        """The entries of the mapping whose brace is at ``at``."""


class PairsNode(MappingNode):
    """A mapping of simple pairs in braces, as nearly every item of a stream is: ``{ts: 1s, key: a, value: 4}``.

    Its entries are made when somebody asks for them: of a long stream an edit touches one item. ``said`` has the pairs
    without their places, as ``simulator.scenario.editing.written.shape`` does.
    """

    __slots__ = ("_reader", "said")

    def __init__(self, at: int, said: dict[str, str], reader: EntriesReader) -> None:
        self.at = at
        self.said = said
        self._entries = None
        self._reader = reader

    @property
    def entries(self) -> dict[str, Entry]:
        """The entries, made at the first look."""
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
