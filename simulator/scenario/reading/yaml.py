"""A strict reader of the part of YAML 1.2 that a scenario needs, with the place of everything.

It refuses anchors, aliases, tags, keys that are not texts, duplicate keys, a second document, and nesting deeper than
64. It was written for this format because no file of the allowed size may take long: it makes one pass over the text,
with regular expressions that never backtrack. General parsers written in Python need several seconds for such a file.
"""

import re
from typing import Final, NoReturn

from tidemark.simulator.limits import SCENARIO_DEPTH
from tidemark.simulator.scenario.reading.flow import FlowReader, plain_patterns
from tidemark.simulator.scenario.reading.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode, Source
from tidemark.simulator.scenario.reading.scalars import block_text, folded_pieces, join_folded

_LINE, _LINE_GOES_ON = plain_patterns("")
LINE_PLAIN = re.compile(_LINE)
LINE_GOES_ON = re.compile(_LINE_GOES_ON)
COLON = re.compile(r"[ \t]*+:(?=[ \t\n]|\Z)")
DASH = re.compile(r"-(?=[ \t\n]|\Z)")
QUESTION = re.compile(r"\?(?=[ \t\n]|\Z)")
SPACES = re.compile(r"[ \t]*+")
LINE_ENDS = re.compile(r"[ \t]*+(?:(?<![^ \t\n])#[^\n]*+)?(?:\n|\Z)")
_EMPTY_LINES: Final = r"(?:[ \t\n]*\n)?(?:[ \t]*+#[^\n]*+\n(?:[ \t\n]*\n)?)*"  # a round for each comment, not each line
EMPTY_LINES = re.compile(_EMPTY_LINES)
INDENTATION = re.compile(r" *+")
BLOCK_HEADER = re.compile(r"[|>](?:([-+])([1-9])?|([1-9])([-+])?)?(?=[ \t\n]|\Z)")
LINE = re.compile(r"[^\n]*+")

LINE_PAIR = re.compile(rf"({_LINE})[ \t]*+:[ \t]++({_LINE})[ \t]*+\n( *+)(?=[^ \t\n#])")
"""A line ``key: value``, both plain, and the indentation of the next line if that is as simple."""

MARKER = re.compile(r"^(?:---|\.\.\.)(?=[ \t\n]|\Z)", re.MULTILINE)
DIRECTIVES = re.compile(rf"{_EMPTY_LINES}(?:%YAML[ \t]++1\.[0-9]++[ \t]*+(?:#[^\n]*+)?\n{_EMPTY_LINES})*")
NOTHING = re.compile(rf"{_EMPTY_LINES}(?:[ \t]*+(?:#[^\n]*+)?\Z)?")


def read_yaml(source: Source) -> Node:
    """The only document of ``source``. Raises ``Refused`` if it is not the YAML that a scenario may be written in."""
    start, stop = _document(source)
    return _BlockReader(source, source.text[:stop]).document(start)


def _document(source: Source) -> tuple[int, int]:
    """Where the content of the only document begins and ends. Its markers ``---`` and ``...`` begin lines."""
    text = source.text
    start, stop, begun = 0, len(text), False
    prologue = DIRECTIVES.match(text)
    assert prologue is not None
    if text.startswith("%", prologue.end()):
        source.refuse(prologue.end(), "directive")
    for marker in MARKER.finditer(text):
        if marker[0] == "...":
            stop = min(stop, marker.start())
        elif begun or marker.start() > prologue.end():
            source.refuse(marker.start(), "second_document")
        else:
            start = marker.end()
        begun = True
    rest = NOTHING.match(text, stop + 3) if stop < len(text) else None
    if rest is not None and rest.end() < len(text):
        source.refuse(rest.end(), "second_document")
    if not begun and text.startswith("%"):
        source.refuse(0, "directive")
    return start, stop


class _BlockReader:
    """``here`` and ``column`` (from 0) are where the next content begins; at the end of the text ``column`` is -1."""

    def __init__(self, source: Source, text: str) -> None:
        self.source = source
        self.text = text
        self.flow = FlowReader(source, text)
        self.here = 0
        self.column = -1

    def document(self, start: int) -> Node:
        node = self._value(start, -1, 0, in_mapping=False, compact=start == 0)
        if self.column >= 0:
            self.source.refuse(self.here, "does_not_line_up")
        return node

    def _next_line(self, at: int) -> None:
        """Go to the first content at or after ``at``, which is the start of a line."""
        match = EMPTY_LINES.match(self.text, at)
        assert match is not None
        indentation = INDENTATION.match(self.text, match.end())
        assert indentation is not None
        self.here = indentation.end()
        self.column = self.here - match.end()
        if self.here >= len(self.text):
            self.column = -1
        elif self.text[self.here] == "#":
            self._next_line(self._line_end(self.here))
        elif self.text[self.here] == "\t":
            after = SPACES.match(self.text, self.here)
            assert after is not None
            if LINE_ENDS.match(self.text, after.end()) is None:
                self.source.refuse(self.here, "tab")
            self.column = -1

    def _line_end(self, at: int) -> int:
        """Skip the rest of the line at ``at``, which may hold nothing but a comment."""
        match = LINE_ENDS.match(self.text, at)
        if match is None:
            spaces = SPACES.match(self.text, at)
            assert spaces is not None
            if COLON.match(self.text, at):
                self._refuse_colon(spaces.end())
            self.source.refuse(spaces.end(), "text_after_value", found=self.text[spaces.end()])
        return match.end()

    def _refuse_colon(self, at: int) -> NoReturn:
        """Refuse a second colon in a line. ``-{ts: 1s, key: a}`` reads as a key ``-{ts``, which nobody means."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        item = line.lstrip(" ")
        if item.startswith(("-{", "-[")):
            self.source.refuse(at - len(item), "dash_without_space")
        self.source.refuse(at, "colon_in_value")

    def _value(self, at: int, parent: int, depth: int, *, in_mapping: bool, compact: bool | None = None) -> Node:
        """The value after ``key:`` or ``-``, on that line or below it; an empty scalar if there is none.

        ``parent`` is the column of the mapping or list around it. In a mapping, a list may begin in that same column.
        """
        spaces = SPACES.match(self.text, at)
        assert spaces is not None
        start = spaces.end()
        ends = LINE_ENDS.match(self.text, at)
        if ends is None:
            column = start - (self.text.rfind("\n", 0, start) + 1)
            return self._node(start, column, parent, depth, compact=not in_mapping if compact is None else compact)
        self._next_line(ends.end())
        if self.column > parent:
            return self._node(self.here, self.column, parent, depth, compact=True)
        if in_mapping and self.column == parent >= 0 and DASH.match(self.text, self.here):
            return self._sequence(parent, depth + 1)
        return ScalarNode("", min(start, len(self.source.text) - 1), True)

    def _node(self, at: int, column: int, parent: int, depth: int, *, compact: bool) -> Node:
        """The node at ``at``. ``compact``: a mapping or list may begin here (not after ``key:`` on the same line)."""
        text = self.text
        if compact and LINE_PAIR.match(text, at) is not None:
            self.here, self.column = at, column
            return self._mapping(column, depth + 1)
        first = text[at]
        if first in "{[":
            node, end = self.flow.collection(at, depth + 1)
            if COLON.match(text, end):
                self.source.refuse(at, "key_is_no_text")
            self._next_line(self._line_end(end))
            return node
        if DASH.match(text, at):
            if not compact:
                self.source.refuse(at, "list_in_line")
            self.here, self.column = at, column
            return self._sequence(column, depth + 1)
        if QUESTION.match(text, at):
            self.source.refuse(at, "complex_key")
        if first in "|>":
            return self._block_scalar(at, parent)
        scalar, end = self.flow.quoted(at) if first in "'\"" else self._first_line(at)
        if COLON.match(text, end) and "\n" not in text[at:end]:
            if not compact:
                self._refuse_colon(end)
            self.here, self.column = at, column
            return self._mapping(column, depth + 1)
        if scalar.plain:
            return self._plain(scalar, end, parent)
        self._next_line(self._line_end(end))
        return scalar

    def _sequence(self, column: int, depth: int) -> SequenceNode:
        if depth > SCENARIO_DEPTH:
            self.source.refuse(self.here, "too_deep", limit=SCENARIO_DEPTH)
        sequence = SequenceNode(self.here)
        while self.column == column and DASH.match(self.text, self.here):
            self.flow.append(sequence, self._value(self.here + 1, column, depth, in_mapping=False))
        if self.column > column:
            self.source.refuse(self.here, "does_not_line_up")
        return sequence

    def _mapping(self, column: int, depth: int) -> MappingNode:
        if depth > SCENARIO_DEPTH:
            self.source.refuse(self.here, "too_deep", limit=SCENARIO_DEPTH)
        mapping = MappingNode(self.here)
        entries = mapping.entries
        while self.column == column:
            at = self.here
            match = LINE_PAIR.match(self.text, at)
            if match is not None and match.end() - match.start(3) <= column:
                name = match[1]
                if name in entries:
                    self.source.report_duplicate(at, name, entries[name].at)
                else:
                    entries[name] = Entry(at, True, ScalarNode(match[2], match.start(2), True))
                self.here = match.end()
                self.column = self.here - match.start(3)
                continue
            first = self.text[at]
            if DASH.match(self.text, at):
                self.source.refuse(at, "list_item_among_keys")
            if first in "{[":
                self.source.refuse(at, "key_is_no_text")
            if QUESTION.match(self.text, at):
                self.source.refuse(at, "complex_key")
            key, end = self.flow.quoted(at) if first in "'\"" else self._first_line(at)
            colon = COLON.match(self.text, end)
            if colon is None or "\n" in self.text[at:end]:
                self.source.refuse(at, "key_expected", found=key.text)
            self.flow.add(mapping, key, self._value(colon.end(), column, depth, in_mapping=True))
        if self.column > column:
            self.source.refuse(self.here, "does_not_line_up")
        return mapping

    def _first_line(self, at: int) -> tuple[ScalarNode, int]:
        """The first line of the plain scalar at ``at``."""
        match = LINE_PLAIN.match(self.text, at)
        if match is None:
            self.flow.unexpected(at)
        return ScalarNode(match[0], at, True), match.end()

    def _plain(self, scalar: ScalarNode, end: int, parent: int) -> ScalarNode:
        """A whole plain scalar: lines that are indented further than ``parent`` continue it."""
        start = scalar.at
        ends = LINE_ENDS.match(self.text, end)
        commented = ends is not None and "#" in ends[0]
        self._next_line(self._line_end(end))
        while self.column > parent and not commented:
            more = LINE_GOES_ON.match(self.text, self.here)
            if more is None:
                self.flow.unexpected(self.here)
            if COLON.match(self.text, more.end()):
                self.source.refuse(self.here, "does_not_line_up")
            end = more.end()
            ends = LINE_ENDS.match(self.text, end)
            commented = ends is not None and "#" in ends[0]
            self._next_line(self._line_end(end))
        text = self.text[start:end]
        if "\n" in text:
            if "#" in text and any(line.lstrip(" \t").startswith("#") for line in text.split("\n")[1:]):
                self.source.refuse(start, "comment_in_text")
            scalar.text = join_folded(folded_pieces(text))
        return scalar

    def _block_scalar(self, at: int, parent: int) -> ScalarNode:
        """The lines below a ``|`` or ``>`` that are indented further than ``parent``."""
        text = self.text
        header = BLOCK_HEADER.match(text, at)
        if header is None:
            self.source.refuse(at, "block_header")
        chomp = header[1] or header[4] or ""
        digit = header[2] or header[3]
        here = self._line_end(header.end())
        indent = max(parent, 0) + int(digit) if digit else None
        lines: list[str] = []
        widest_blank = 0
        while here < len(text):
            indentation = INDENTATION.match(text, here)
            line = LINE.match(text, here)
            assert indentation is not None
            assert line is not None
            width = indentation.end() - here
            blank = indentation.end() == line.end()
            if blank:
                widest_blank = max(widest_blank, width)
            elif indent is None and width > parent:
                indent = width
                if widest_blank > indent:  # a blank line before the first line must not be indented further than that
                    self.source.refuse(here, "does_not_line_up")
            if not blank and (indent is None or width < indent):
                break
            lines.append(text[here + indent : line.end()] if indent is not None else "")
            here = line.end() + 1
        unfinished = here > len(text)  # the last line ends with the file, not with a break
        if unfinished and lines and not lines[-1]:
            lines.pop()
            unfinished = False
        self._next_line(min(here, len(text)))
        written = block_text(lines, folded=text[at] == ">", chomp=chomp)
        return ScalarNode(written.removesuffix("\n") if unfinished else written, at, False)
