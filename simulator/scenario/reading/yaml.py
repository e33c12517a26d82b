"""A strict reader of the part of YAML 1.2 that a scenario needs, with the place of everything.

It refuses anchors, aliases, tags, keys that are not texts, duplicate keys, a second document, and nesting deeper than
64. It was written for this format because no file of the allowed size may take long: it makes one pass over the text,
with regular expressions that never backtrack. General parsers written in Python need several seconds for such a file.

``FlowReader`` reads what stands within braces and brackets, ``{ts: 1s, key: "a"}``, and the scalars there; the reader
of blocks is below it.
"""

import re
from typing import Final, NoReturn

from tidemark.simulator.limits import SCENARIO_DEPTH, SCENARIO_ITEMS
from tidemark.simulator.scenario.reading.nodes import (
    QUOTED,
    Entry,
    MappingNode,
    Node,
    PairsNode,
    Replacement,
    ScalarNode,
    SequenceNode,
    Source,
)
from tidemark.simulator.scenario.reading.scalars import (
    ScalarError,
    block_text,
    double_quoted,
    folded_pieces,
    join_folded,
    single_quoted,
)


# Quantifiers of a single character are possessive: no text, however hostile, makes them try the same characters twice.
# Those of a group are not, here and in the other readers. Up to Python 3.11.4, which Debian 12 and others ship, a group
# that fails after its first character leaves a possessive repetition too far on, and every file would be refused. Each
# group can match in one way only, and what follows cannot match within it, so a text that fails does so in linear time.
def plain_patterns(ends: str) -> tuple[str, str]:
    """A plain scalar as far as it goes on its line, and more of it on the next; ``ends``: what ends it beside ": "."""
    begins = rf"[^ \t\n\-?:,\[\]{{}}#&*!|>'\"%@`]|[\-?:](?=[^ \t\n{ends}])"
    goes_on = rf"[^ \t\n:{ends}]*+(?::(?=[^ \t\n{ends}])[^ \t\n:{ends}]*+)*"
    more = rf"(?:[^ \t\n:#{ends}]|:(?=[^ \t\n{ends}])){goes_on}"
    words = rf"(?:[ \t]++{more})*"
    return rf"(?:{begins}){goes_on}{words}", more + words


_PLAIN, _GOES_ON = plain_patterns(r",\[\]{}")
PLAIN = re.compile(_PLAIN)
PLAIN_GOES_ON = re.compile(_GOES_ON)
_QUOTED: Final = r'[^"\\\n]*+'


def _pair(plain: str, quoted: str) -> str:
    """``key: value``, both simple and on one line, from patterns of a plain scalar and of the text between quotes."""
    key = rf'[ \t\n]*+(?:{plain}[ \t]*+:[ \t]++|"{quoted}"[ \t]*+:[ \t]*+)'
    return rf'{key}(?:{plain}|"{quoted}")[ \t]*+'


PAIR = re.compile(rf"{_pair(f'({_PLAIN})', f'({_QUOTED})')}([,}}])")
"""``key: value`` and the comma or brace after it: nearly every entry of a stream."""

_PAIR: Final = _pair(f"(?:{_PLAIN})", _QUOTED)
PAIRS = re.compile(rf"\{{{_PAIR}(?:,{_PAIR})*\}}")
"""A whole mapping of such pairs: nearly every item of a stream."""

BLANKS = re.compile(r"(?:[ \t\n]++|#[^\n]*+)*")
BLANKS_NO_COMMENT = re.compile(r"[ \t\n]*+")
SINGLE_QUOTED = re.compile(r"'((?:[^']++|'')*)'(?!')")
DOUBLE_QUOTED = re.compile(r'"((?:[^"\\]++|\\.)*)"', re.DOTALL)

NOT_THE_END: Final = re.compile(r"[#\"']|[,:\[{]$")
"""In a line after which a closing bracket may not be what is missing: quotes, a comment, an entry that goes on."""

NOT_TAKEN: Final = {"&": "anchor", "*": "alias", "!": "tag", "%": "reserved", "@": "reserved", "`": "reserved"}
"""Characters that begin something that is refused, with its word in the catalogue."""


class FlowReader:
    """Reads flow collections and scalars of one source. ``text`` ends where the document does.

    Every method takes the offset at which something begins, and returns what it read and the offset after it.
    """

    def __init__(self, source: Source, text: str) -> None:
        self.source = source
        self.text = text

    def collection(self, at: int, depth: int) -> tuple[MappingNode | SequenceNode, int]:
        """The mapping or list whose brace or bracket is at ``at``."""
        if depth > SCENARIO_DEPTH:
            self.source.refuse(at, "too_deep", limit=SCENARIO_DEPTH)
        if self.text[at] == "[":
            return self._sequence(at, depth)
        pairs = PAIRS.match(self.text, at)
        if pairs is not None:
            found = PAIR.findall(self.text, at + 1, pairs.end())
            said = {key or quoted_key: plain or QUOTED + quoted for key, quoted_key, plain, quoted, _ in found}
            if len(said) == len(found):  # otherwise a key stands there twice, which is reported with its place
                return PairsNode(at, said, self), pairs.end()
        return self._mapping(at, depth)

    def entries(self, at: int) -> dict[str, Entry]:
        """The entries of the mapping whose brace is at ``at``."""
        return self._mapping(at, 0)[0].entries

    def quoted(self, at: int) -> tuple[ScalarNode, int]:
        """The scalar whose opening quote is at ``at``."""
        double = self.text[at] == '"'
        match = (DOUBLE_QUOTED if double else SINGLE_QUOTED).match(self.text, at)
        if match is None:
            self.source.refuse(at, "open_quote")
        try:
            text = double_quoted(match[1]) if double else single_quoted(match[1])
        except ScalarError as error:
            self.source.refuse(at + 1 + error.offset, error.word)
        return ScalarNode(text, at, False), match.end()

    def add(self, mapping: MappingNode, key: ScalarNode, value: Node) -> None:
        """Add an entry to ``mapping``. Of two with the same key the first stays, and the second is reported."""
        before = mapping.entries.setdefault(key.text, Entry(key.at, key.plain, value))
        if before.at != key.at:
            self.source.report_duplicate(key.at, key.text, before.at)

    def append(self, sequence: SequenceNode, item: Node) -> None:
        """Append an item to ``sequence``."""
        if len(sequence.items) >= SCENARIO_ITEMS:
            self.source.refuse(item.at, "too_many_items", limit=SCENARIO_ITEMS)
        sequence.items.append(item)

    def unexpected(self, at: int) -> NoReturn:
        """Refuse what stands at ``at``, and name it as precisely as possible."""
        character = self.text[at] if at < len(self.text) else ""
        self.source.refuse(at, NOT_TAKEN.get(character, "unexpected"), found=character or "end of file")

    def _mapping(self, at: int, depth: int) -> tuple[MappingNode, int]:
        text, mapping = self.text, MappingNode(at)
        entries = mapping.entries
        here = at + 1
        while True:
            match = PAIR.match(text, here)
            if match is not None:
                plain_key, quoted_key, plain, quoted, after = match.groups()
                here = match.end()
                key = quoted_key if plain_key is None else plain_key
                key_at = match.start(1) if quoted_key is None else match.start(2) - 1
                value = (
                    ScalarNode(quoted, match.start(4) - 1, False)
                    if plain is None
                    else ScalarNode(plain, match.start(3), True)
                )
                if key in entries:
                    self.source.report_duplicate(key_at, key, entries[key].at)
                else:
                    entries[key] = Entry(key_at, quoted_key is None, value)
                if after == "}":
                    return mapping, here
                continue
            here = self._skip(here)
            if text.startswith("}", here):
                return mapping, here + 1
            name, here = self._key(here, at)
            value_node, here = self._value_after_colon(here, depth)
            self.add(mapping, name, value_node)
            here = self._separator(here, at, "}")

    def _sequence(self, at: int, depth: int) -> tuple[SequenceNode, int]:
        text, sequence = self.text, SequenceNode(at)
        here = at + 1
        while True:
            here = self._skip(here)
            if text.startswith("]", here):
                return sequence, here + 1
            if here >= len(text):
                self.source.refuse(at, "never_closed", opened=text[at])
            start = here
            node, here = self._node(here, depth)
            here = self._skip(here)
            if text.startswith(":", here) and isinstance(node, ScalarNode):  # [a: 1] is a list of one small mapping
                pair = MappingNode(start)
                value, here = self._value_after_colon(here, depth + 1)
                self.add(pair, node, value)
                node = pair
            self.append(sequence, node)
            here = self._separator(here, at, "]")

    def _separator(self, here: int, opened: int, closing: str) -> int:
        """Skip the comma after an entry, or stop at the closing character."""
        here = self._skip(here)
        if self.text.startswith(",", here):
            return here + 1
        if not self.text.startswith(closing, here):
            if here >= len(self.text):
                self.source.refuse(opened, "never_closed", opened=self.text[opened])
            missing = self._missing(here, closing)
            self.source.refuse(here, "separator_expected", replacement=missing, closing=closing, found=self.text[here])
        return here

    def _missing(self, here: int, closing: str) -> Replacement | None:
        """``closing`` at the end of the line before ``here``, if more is opened than closed there.

        A collection that is never closed is noticed at the next content, and that is on a later line.
        """
        end = len(self.text[: max(self.text.rfind("\n", 0, here), 0)].rstrip())
        line = self.text[self.text.rfind("\n", 0, end) + 1 : end]
        if line.count("{" if closing == "}" else "[") <= line.count(closing) or NOT_THE_END.search(line):
            return None
        return Replacement(end, end, closing)

    def _key(self, here: int, opened: int) -> tuple[ScalarNode, int]:
        if here >= len(self.text):
            self.source.refuse(opened, "never_closed", opened=self.text[opened])
        if self.text[here] in "{[":
            self.source.refuse(here, "key_is_no_text")
        return self._scalar(here)

    def _value_after_colon(self, here: int, depth: int) -> tuple[Node, int]:
        """The value of an entry whose key ends at ``here``; an empty scalar if nothing follows."""
        here = self._skip(here)
        if not self.text.startswith(":", here):
            return ScalarNode("", here, True), here
        here = self._skip(here + 1)
        if here >= len(self.text) or self.text[here] in ",}]":
            return ScalarNode("", here, True), here
        return self._node(here, depth)

    def _node(self, here: int, depth: int) -> tuple[Node, int]:
        return self.collection(here, depth + 1) if self.text[here] in "{[" else self._scalar(here)

    def _scalar(self, here: int) -> tuple[ScalarNode, int]:
        return self.quoted(here) if self.text[here] in "'\"" else self._plain(here)

    def _plain(self, at: int) -> tuple[ScalarNode, int]:
        match = PLAIN.match(self.text, at)
        if match is None:
            if self.text[at] == "?":
                self.source.refuse(at, "complex_key")
            self.unexpected(at)
        end = match.end()
        while True:  # the scalar continues on the next line, if that begins with more of it
            match = BLANKS_NO_COMMENT.match(self.text, end)
            assert match is not None
            if "\n" not in match[0]:
                break
            more = PLAIN_GOES_ON.match(self.text, match.end())
            if more is None:
                break
            end = more.end()
        text = self.text[at:end]
        return ScalarNode(text if "\n" not in text else join_folded(folded_pieces(text)), at, True), end

    def _skip(self, here: int) -> int:
        """Skip blanks, line breaks and comments."""
        match = BLANKS.match(self.text, here)
        assert match is not None
        return match.end()


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
