"""Strict JSON (RFC 8259), read into the same nodes as YAML, with the place of everything."""

import re
from typing import NoReturn

from tidemark.simulator.limits import SCENARIO_DEPTH, SCENARIO_ITEMS
from tidemark.simulator.scenario.reading.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode, Source
from tidemark.simulator.scenario.reading.scalars import ScalarError, unescape

BLANKS = re.compile(r"[ \t\n]*+")
STRING = re.compile(r'"((?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*)"')
LITERAL = re.compile(
    r"(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?|true|false|null)(?![\w.+-])", re.ASCII
)

WORD = re.compile(r"[\w.+-]{1,20}|.|\n?")
STRING_UNTIL = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*(.?)', re.DOTALL)


def read_json(source: Source) -> Node:
    """The value of ``source``. Raises ``Refused`` if the text is not JSON."""
    return _JsonReader(source).document()


class _JsonReader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text

    def document(self) -> Node:
        node, end = self._value(self._skip(0), 0)
        end = self._skip(end)
        if end < len(self.text):
            self.source.refuse(end, "json_end", found=self.text[end])
        return node

    def _value(self, at: int, depth: int) -> tuple[Node, int]:
        first = self.text[at : at + 1]
        if first in ("{", "["):
            if depth >= SCENARIO_DEPTH:
                self.source.refuse(at, "too_deep", limit=SCENARIO_DEPTH)
            return self._object(at, depth + 1) if first == "{" else self._array(at, depth + 1)
        if first == '"':
            return self._string(at)
        match = LITERAL.match(self.text, at)
        if match is None:
            self.source.refuse(min(at, len(self.text) - 1), "json_value", found=self._word(at))
        return ScalarNode(match[0], at, True), match.end()

    def _object(self, at: int, depth: int) -> tuple[MappingNode, int]:
        text, mapping = self.text, MappingNode(at)
        here = self._skip(at + 1)
        if text.startswith("}", here):
            return mapping, here + 1
        while True:
            if not text.startswith('"', here):
                self._wrong(here, at, "json_key")
            key, here = self._string(here)
            here = self._skip(here)
            if not text.startswith(":", here):
                self._wrong(here, at, "json_colon")
            value, here = self._value(self._skip(here + 1), depth)
            before = mapping.entries.setdefault(key.text, Entry(key.at, False, value))
            if before.at != key.at:
                self.source.report_duplicate(key.at, key.text, before.at)
            here = self._skip(here)
            if text.startswith("}", here):
                return mapping, here + 1
            if not text.startswith(",", here):
                self._wrong(here, at, "separator_expected", closing="}")
            here = self._skip(here + 1)

    def _array(self, at: int, depth: int) -> tuple[SequenceNode, int]:
        text, sequence = self.text, SequenceNode(at)
        here = self._skip(at + 1)
        if text.startswith("]", here):
            return sequence, here + 1
        while True:
            if len(sequence.items) >= SCENARIO_ITEMS:
                self.source.refuse(here, "too_many_items", limit=SCENARIO_ITEMS)
            value, here = self._value(here, depth)
            sequence.items.append(value)
            here = self._skip(here)
            if text.startswith("]", here):
                return sequence, here + 1
            if not text.startswith(",", here):
                self._wrong(here, at, "separator_expected", closing="]")
            here = self._skip(here + 1)

    def _string(self, at: int) -> tuple[ScalarNode, int]:
        match = STRING.match(self.text, at)
        if match is None:
            until = STRING_UNTIL.match(self.text, at)
            assert until is not None
            word = {"": "open_quote", "\\": "unknown_escape"}.get(until[1], "json_string")
            self.source.refuse(at if word == "open_quote" else until.start(1), word)
        try:
            return ScalarNode(unescape(match[1]) if "\\" in match[1] else match[1], at, False), match.end()
        except ScalarError as error:
            self.source.refuse(at + 1 + error.offset, error.word)

    def _wrong(self, here: int, opened: int, word: str, **fields: object) -> NoReturn:
        if here >= len(self.text):
            self.source.refuse(opened, "never_closed", opened=self.text[opened])
        self.source.refuse(here, word, found=self._word(here), **fields)

    def _word(self, at: int) -> str:
        """The word at ``at``, as far as a message shows it."""
        match = WORD.match(self.text, at)
        return match[0] if match is not None and match[0] else "end of file"

    def _skip(self, at: int) -> int:
        match = BLANKS.match(self.text, at)
        assert match is not None
        return match.end()
