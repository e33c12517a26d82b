"""The text of one scenario file, what is wrong with it, and the nodes that it is read into."""

import re
from bisect import bisect_right
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn, Protocol

from tidemark.simulator.engine.values.errors import Fix, Problem, ScenarioError, shown_in_message
from tidemark.simulator.limits import SCENARIO_BYTES, SCENARIO_PROBLEMS
from tidemark.simulator.places import LIBRARY, opened
from tidemark.simulator.words import words

NEWLINE = re.compile("\r\n?")
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class Refused(Exception):
    """Reading cannot continue; the reason has been reported."""


class Replacement(NamedTuple):
    """The text between two offsets (``end`` is exclusive) was probably meant to be ``write``."""

    start: int
    end: int
    write: str


class Source:
    """``file`` is the name that messages begin with. ``text`` has ``\\n`` at every line end, whatever it had."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = NEWLINE.sub("\n", text.removeprefix("\ufeff"))
        self._found: dict[tuple[int, str, bool], Replacement | None] = {}
        self._more = 0

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def place(self, at: int) -> tuple[int, int]:
        """Line and column, both from 1, of an offset."""
        line = bisect_right(self._line_starts, at)
        return line, at - self._line_starts[line - 1] + 1

    def instead(self, at: int, found: str, write: str) -> Replacement | None:
        """``write`` instead of ``found`` at ``at``; ``None`` if it is not written like that there, but in quotes."""
        return Replacement(at, at + len(found), write) if self.text.startswith(found, at) else None

    def report(
        self, at: int, word: str, *, warning: bool = False, replacement: Replacement | None = None, **fields: Any
    ) -> None:
        """Report that something is wrong at ``at``; ``word`` names the message in the catalogue's ``problems``."""
        shown: dict[str, Any] = {name: shown_in_message(value) for name, value in fields.items()}
        self.report_text(at, "" if self.full else words(f"problems.{word}", **shown), warning, replacement)

    def report_text(self, at: int, text: str, warning: bool = False, replacement: Replacement | None = None) -> None:
        """The same with a message that stands in words already."""
        if self.full:
            self._more += 1
        else:
            self._found.setdefault((at, text, warning), replacement)

    def report_duplicate(self, at: int, key: str, first: int) -> None:
        """Report that the key at ``at`` is in its mapping already, at ``first``; after very many stop reading."""
        if self._more >= 100 * SCENARIO_PROBLEMS:
            raise Refused
        line = self.place(first)[0] if not self.full else 0
        self.report(at, "duplicate_key", key=key, line=line)

    def refuse(self, at: int, word: str, **fields: Any) -> NoReturn:
        """Report a problem and stop reading: raises ``Refused``."""
        self.report(at, word, **fields)
        raise Refused

    @property
    def full(self) -> bool:
        """Whether further problems are merely counted."""
        return len(self._found) >= SCENARIO_PROBLEMS

    @property
    def failed(self) -> bool:
        """Whether there is any problem that is not a warning."""
        return self._more > 0 or any(not warning for _, _, warning in self._found)

    @property
    def problems(self) -> list[Problem]:
        """All problems so far, in the order of the file."""
        found = []
        for key in sorted(self._found):
            at, text, warning = key
            found.append(Problem(self.file, *self.place(at), text, warning, self._fix(self._found[key])))
        if self._more:
            found.append(Problem(self.file, None, None, words("problems.and_more", count=self._more)))
        return found

    def _fix(self, replacement: Replacement | None) -> Fix | None:
        if replacement is None:
            return None
        start, end, write = replacement
        return Fix(*self.place(start), self.text[start:end], write)

    def check_text(self) -> None:
        """Refuse a text that is too large, empty, or has control characters."""
        if len(self.text) > SCENARIO_BYTES or len(self.text.encode("utf-8", "surrogatepass")) > SCENARIO_BYTES:
            self.refuse(0, "too_large", limit=SCENARIO_BYTES // 1024)
        strange = CONTROL.search(self.text)
        if strange is not None:
            self.refuse(strange.start(), "control_character", code=f"{ord(strange[0]):04X}")
        if not self.text.strip():
            self.refuse(0, "empty")


def read_file(path: Path) -> str:
    """The text of the file at ``path``. Raises ``ScenarioError`` if it cannot be read."""

    def refused(word: str, line: int | None = None, column: int | None = None, **fields: Any) -> ScenarioError:
        return ScenarioError([Problem(str(path), line, column, words(f"problems.{word}", **fields))])

    try:
        if path.is_dir():
            raise refused("directory")
        with opened(path) as file:
            data = file.read(SCENARIO_BYTES + 1)
    except FileNotFoundError:
        if path.suffix or path.parent != Path():
            raise refused("no_such_file") from None
        near = get_close_matches(path.name, [each.stem for each in LIBRARY.glob("*.yaml")], n=1)
        raise refused("no_such_scenario_near" if near else "no_such_scenario", near="".join(near)) from None
    except (OSError, ValueError) as error:
        raise refused("unreadable", reason=shown_in_message(getattr(error, "strerror", None) or error)) from None
    if len(data) > SCENARIO_BYTES:
        raise refused("too_large", 1, 1, limit=SCENARIO_BYTES // 1024)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, start = before.count(b"\n") + 1, before.rfind(b"\n") + 1
        column = len(before[start:].decode("utf-8", "replace")) + 1
        raise refused("not_utf8", line, column, byte=f"{data[error.start]:02X}") from None


# What a file contains before its meaning is known: scalars, mappings and lists with their places.
#
# ``at`` is an offset (in characters, from 0) into the text; ``Source`` turns it into line and column for messages.
# Scalars keep their text: which kind of value one is, its reader decides.

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
    without their places, in the form of ``simulator.scenario.editing.text.shape``.
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
