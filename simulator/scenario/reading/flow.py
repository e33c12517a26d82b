"""YAML within braces and brackets, and the scalars that may stand there: ``{ts: 1s, key: "a"}``, ``[1, 9]``.

Every method takes the offset at which something begins, and returns what it read and the offset after it.
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
    """Reads flow collections and scalars of one source. ``text`` ends where the document does."""

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
