"""The text of a scenario file, read once: what stands where, in plain values.

``simulator/scenario`` alone knows YAML. Whoever edits a file elsewhere holds a ``ScenarioText``, names places by paths
and gets values, written forms and lines, never a node of the reader.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from tidemark.simulator.scenario.reading.nodes import (
    QUOTED,
    Entry,
    MappingNode,
    Node,
    PairsNode,
    Refused,
    ScalarNode,
    SequenceNode,
    Source,
)
from tidemark.simulator.scenario.reading.scalars import ScalarError, resolve
from tidemark.simulator.scenario.reading.yaml import LINE_PLAIN, PLAIN, FlowReader, read_yaml

Path = tuple[str | int, ...]
"""The keys and indices that lead from the top of a file to a value: ``("stream", 3, "ts")``."""


class EditError(Exception):
    """An edit cannot be made: the text cannot be read, or the place does not exist or is not written simply enough."""


class Places:
    """The nodes of a readable text, and the extent of each. Offsets are characters; an end is exclusive.

    ``text`` has ``\\n`` at the end of each line. Raises ``EditError`` if the text cannot be read.
    """

    def __init__(self, text: str) -> None:
        source = Source("", text)
        try:
            source.check_text()
            self.root = read_yaml(source)
        except Refused:
            raise EditError("unreadable") from None
        if source.failed:
            raise EditError("unreadable")
        self.text = source.text
        self._source = source
        self._flow = FlowReader(source, source.text)

    @property
    def operators(self) -> Mapping[str, Entry]:
        """Several operators by name; empty for a file that has one."""
        found = self.root.entries.get("operators") if isinstance(self.root, MappingNode) else None
        return found.value.entries if found is not None and isinstance(found.value, MappingNode) else {}

    def whole(self, path: Path) -> Path:
        """``path`` from the top of the file: of several operators, ``operator`` is the one that is shown."""
        if path[:1] != ("operator",) or not self.operators or not isinstance(self.root, MappingNode):
            return path
        shown = self.root.entries.get("shown")
        name = shown.value.text if shown is not None and isinstance(shown.value, ScalarNode) else ""
        return ("operators", name or list(self.operators)[-1], *path[1:])

    def find(self, path: Path) -> Node:
        """The node at ``path``. Raises ``EditError`` if there is none."""
        node = self.root
        for step in self.whole(path):
            if isinstance(node, MappingNode) and step in node.entries:
                node = node.entries[str(step)].value
            elif isinstance(node, SequenceNode) and isinstance(step, int) and 0 <= step < len(node.items):
                node = node.items[step]
            else:
                raise EditError("no_such_place")
        return node

    def list_at(self, path: Path) -> SequenceNode:
        """The list at ``path``. Raises ``EditError`` if there is none."""
        node = self.find(path)
        if not isinstance(node, SequenceNode):
            raise EditError("no_such_place")
        return node

    def in_flow(self, path: Path) -> bool:
        """Whether the value at ``path`` is a collection in braces or brackets, or stands within one."""
        return any(self.is_flow(self.find(path[:length])) for length in range(len(path) + 1))

    def is_flow(self, node: Node) -> bool:
        """Whether ``node`` is a collection in braces or brackets."""
        return not isinstance(node, ScalarNode) and self.text[node.at] in "{["

    def end(self, node: Node, flow: bool) -> int:
        """Where ``node`` ends; a block ends with the last of its values. ``flow``: it stands within braces.

        Raises ``EditError`` for a plain text over several lines: how far it goes is known to the reader alone.
        """
        if self.is_flow(node):
            return self._flow.collection(node.at, 1)[1]
        if isinstance(node, MappingNode):
            return self.end(list(node.entries.values())[-1].value, flow)
        if isinstance(node, SequenceNode):
            return self.end(node.items[-1], flow)
        if node.plain:
            return self._end_of_plain(node, flow)
        if self.text[node.at] in "'\"":
            return self.end_of_quoted(node.at)
        return self._end_of_block(node)

    def end_of_quoted(self, at: int) -> int:
        """Behind the quoted text that begins at ``at``."""
        return self._flow.quoted(at)[1]

    def line(self, at: int) -> int:
        """The line (from 1) of ``at``."""
        return self._source.place(at)[0]

    def place(self, at: int) -> tuple[int, int]:
        """Line and column, both from 1, of ``at``."""
        return self._source.place(at)

    def line_start(self, at: int) -> int:
        """Where the line of ``at`` begins."""
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Past the line break of the line that ``at`` is in; ``at`` itself if that is the start of a line."""
        if at and self.text[at - 1] == "\n":
            return at
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found + 1

    def dash(self, item: Node) -> int:
        """Where the dash of a block list's item is. Raises ``EditError`` if it does not begin its line."""
        at = self.text.rfind("-", 0, item.at)
        if at < 0 or self.text[self.line_start(at) : at].strip(" "):
            raise EditError("not_simple")
        return at

    def indentation(self, items: Sequence[Node]) -> int:
        """How many blanks stand before the dashes of a block list that has ``items``."""
        first = self.dash(items[0])
        return first - self.line_start(first)

    def _end_of_plain(self, node: ScalarNode, flow: bool) -> int:
        if not node.text:
            return node.at
        match = (PLAIN if flow else LINE_PLAIN).match(self.text, node.at)
        if match is None or match[0] != node.text:  # it goes over several lines
            raise EditError("not_simple")
        return match.end()

    def _end_of_block(self, node: ScalarNode) -> int:
        """A ``|`` or ``>`` text ends before the first line that is indented no further than its own line."""
        line = self.text[self.line_start(node.at) : node.at]
        column = len(line) - len(line.lstrip(" -"))
        end = here = self.line_end(node.at + 1)
        while here < len(self.text):
            stop = self.line_end(here + 1) if self.text[here] != "\n" else here + 1
            content = self.text[here:stop]
            if content.strip():
                if len(content) - len(content.lstrip(" ")) <= column:
                    break
                end = stop
            here = stop
        return end


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

    @property
    def operators(self) -> tuple[str, ...]:
        """The names of several operators; empty for a file that has one. Paths call the shown one ``operator``."""
        return tuple(self.places.operators)

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
