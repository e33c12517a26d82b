"""The extent of everything in a scenario's text: the reader says where each node begins, this module where it ends."""

from collections.abc import Sequence

from tidemark.simulator.scenario.reading.flow import PLAIN as FLOW_PLAIN
from tidemark.simulator.scenario.reading.flow import FlowReader
from tidemark.simulator.scenario.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode
from tidemark.simulator.scenario.reading.source import Refused, Source
from tidemark.simulator.scenario.reading.yaml import PLAIN, read_yaml

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

    def find(self, path: Path) -> Node:
        """The node at ``path``. Raises ``EditError`` if there is none."""
        node = self.root
        for step in path:
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
        match = (FLOW_PLAIN if flow else PLAIN).match(self.text, node.at)
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
