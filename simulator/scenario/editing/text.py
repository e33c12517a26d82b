"""The text of a scenario file, read once: what stands where, in plain values.

``simulator/scenario`` alone knows YAML. Whoever edits a file elsewhere holds a ``ScenarioText``, names places by paths
and gets values, written forms and lines, never a node of the reader.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from tidemark.simulator.scenario.editing.places import EditError, Path, Places
from tidemark.simulator.scenario.editing.written import Value, value_of
from tidemark.simulator.scenario.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode


class ItemText(NamedTuple):
    """An item of a list: its members (none if it is no mapping), and the first and the last of its lines, from 1."""

    members: Mapping[str, Value]
    first_line: int
    last_line: int


class ScenarioText:
    """A readable text. It never changes: an edit returns another one, which has been read as well.

    Raises ``EditError`` if the text cannot be read.
    """

    __slots__ = ("places",)

    def __init__(self, text: str) -> None:
        self.places = Places(text)
        """For this package alone."""

    @property
    def text(self) -> str:
        """The text, with ``\\n`` at the end of each line."""
        return self.places.text

    def has(self, path: Path) -> bool:
        """Whether there is anything at ``path``."""
        return self._find(path) is not None

    def value(self, path: Path) -> Value:
        """The value at ``path``. Raises ``EditError`` if there is none."""
        return value_of(self.places.find(path))

    def scalar(self, path: Path) -> str | None:
        """The scalar at ``path`` as it is written, without quotes; ``None`` if there is none."""
        node = self._find(path)
        return node.text if isinstance(node, ScalarNode) else None

    def length(self, path: Path) -> int:
        """How many items the list at ``path`` has; 0 if there is no list."""
        node = self._find(path)
        return len(node.items) if isinstance(node, SequenceNode) else 0

    def place(self, path: Path) -> tuple[int, int]:
        """Line and column, both from 1, of the value at ``path``. Raises ``EditError`` if there is none."""
        return self.places.place(self.places.find(path).at)

    def extent(self, path: Path) -> tuple[tuple[int, int], tuple[int, int]]:
        """Line and column where the value at ``path`` begins, and those behind its end. Raises ``EditError``."""
        node = self.places.find(path)
        return self.places.place(node.at), self.places.place(self.places.end(node, self.places.in_flow(path[:-1])))

    def items(self, path: Path, most: int | None = None) -> Iterator[ItemText]:
        """The items of the list at ``path``, the first ``most`` of them. Raises ``EditError`` if there is no list."""
        nodes = self.places.list_at(path).items
        in_flow = self.places.in_flow(path)
        for node in islice(nodes, most):
            members = {}
            if isinstance(node, MappingNode):
                members = {key: value_of(entry.value) for key, entry in node.entries.items()}
            yield ItemText(members, self.places.line(node.at), self.places.line(self._last(node, in_flow)))

    def _find(self, path: Path) -> Node | None:
        try:
            return self.places.find(path)
        except EditError:
            return None

    def _last(self, node: Node, in_flow: bool) -> int:
        """The last character of an item."""
        try:
            return max(self.places.end(node, in_flow) - 1, node.at)
        except EditError:  # a text over several lines; then its first line stands for it
            return node.at


def read_value(written: str) -> Value:
    """The value that ``written`` says within a list. Raises ``EditError`` if it is none, or more than one."""
    items = Places(f"- {written}\n").list_at(())
    if len(items.items) != 1:
        raise EditError("no_value")
    return value_of(items.items[0])
