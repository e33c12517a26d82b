"""Kinds of values in a scenario file: each reads a value from a node, reports what is wrong, and has a JSON Schema.

A kind that finds a problem reports it and returns ``INVALID``, so that the rest of the file is read as well and all
problems are reported at once.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path as Folder
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from tidemark.simulator.engine.values.duration import InstantError, format_duration, parse_duration, parse_instant
from tidemark.simulator.engine.values.errors import SHOWN
from tidemark.simulator.engine.values.items import Item
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario.calc import Calc
from tidemark.simulator.scenario.reading.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode, Source
from tidemark.simulator.scenario.reading.scalars import ScalarError, resolve
from tidemark.simulator.words import DEFAULT_LANGUAGE, words


class _Invalid:
    """What a kind returns after it has reported a problem."""

    def __repr__(self) -> str:
        return "INVALID"


INVALID: Final = _Invalid()

LISTED: Final = SHOWN * 5 // 2
"""How long a list of names in a message may be: short enough that no name is cut in the middle."""

Path = tuple[str | int, ...]
JsonSchema = dict[str, Any]


class Reader:
    """The state of reading one file.

    Timestamps written as durations count from ``origin`` (ms). Plain texts are in ``language``. ``marks`` collects the
    place of each value, ``translated_from`` by the path of a text what its translations were made from.
    ``calcs``: what stands in front of the operator, by input, None if something is wrong with it; ``zone``: the session
    time zone in which it computes.
    ``rowtimes``: the inputs whose watermarks are those of SQL, so that the time of a record may be NULL.
    ``joins`` and ``needs_ts`` are what the operator requires of a record, ``None`` while the operator is unknown;
    ``only_input`` is the name of its input if it has just one. ``versions``: whether records of the right side may have
    an ``op``, ``None`` while the operator is unknown. ``known`` has the items of the stream that need not be
    read again, ``None`` for the others. ``folder``: where the file is, ``None`` for a text.
    """

    def __init__(self, source: Source, known: Sequence[Item | None] = (), folder: Folder | None = None) -> None:
        self.source = source
        self.known = known
        self.folder = folder
        self.origin = 0
        self.language = DEFAULT_LANGUAGE
        self.marks: dict[Path, tuple[int, int]] = {}
        self.translated_from: dict[Path, dict[str, str]] = {}
        self.joins: bool | None = None
        self.needs_ts: bool | None = None
        self.versions: bool | None = None
        self.only_input: str | None = None
        self.rowtimes: frozenset[str] = frozenset()
        self.calcs: dict[str, Calc] | None = {}
        self.zone = "UTC"

    def wrong(self, at: int, word: str, **fields: Any) -> _Invalid:
        """Report a problem. Returns ``INVALID`` for the caller to return."""
        self.source.report(at, word, **fields)
        return INVALID

    def wrong_text(self, at: int, text: str) -> _Invalid:
        """As ``wrong``, with a text that stands in words already."""
        self.source.report_text(at, text)
        return INVALID

    def scalar(self, node: Node, wanted: str) -> Any:
        """The value of the scalar ``node``, or ``INVALID`` after a report. ``wanted`` names what belongs there."""
        if not isinstance(node, ScalarNode):
            return self.wrong(node.at, "wrong_kind", found=found(node), wanted=wanted_words(wanted))
        if not node.plain:
            return node.text
        try:
            return resolve(node.text)
        except ScalarError as error:
            return self.wrong(node.at, error.word)


def found(node: Node) -> str:
    """How a message refers to ``node``."""
    match node:
        case MappingNode():
            return words("problems.found.mapping")
        case SequenceNode():
            return words("problems.found.list")
        case ScalarNode(plain=True, text=""):
            return words("problems.found.nothing")
        case ScalarNode(plain=True, text=text):
            return words("problems.found.plain", text=shortened(text))
        case ScalarNode(text=text):
            return words("problems.found.quoted", text=shortened(text))


def shortened(text: str) -> str:
    """``text`` as a message shows it."""
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def wanted_words(name: str, **fields: Any) -> str:
    """How a message refers to what is expected."""
    return words(f"problems.wanted.{name}", **fields)


def nearest(name: str, known: "Mapping[str, object] | tuple[str, ...]") -> str | None:
    """The known name that ``name`` was probably meant to be."""
    if len(name) > SHOWN:
        return None
    folded = {each.casefold().replace("_", "-"): each for each in known}
    close = get_close_matches(name.casefold().replace("_", "-"), folded, n=1, cutoff=0.55)
    return folded[close[0]] if close else None


def listed(names: "Mapping[str, object] | tuple[str, ...]") -> str:
    """Names in backticks, separated by commas; only the first ones if they are too many for a message."""
    comma, shown = words("app.comma"), ""
    for each in names:
        longer = f"{shown}{comma}`{each}`" if shown else f"`{each}`"
        if len(longer) > LISTED:
            return f"{shown}{comma}…"
        shown = longer
    return shown


class Kind(ABC):
    """A kind of value."""

    @abstractmethod
    def read(self, reader: Reader, node: Node, path: Path) -> Any:
        """The value at ``node``, or ``INVALID`` after a report."""

    @abstractmethod
    def schema(self) -> JsonSchema:
        """The JSON Schema of everything that this kind accepts; it may accept a little more."""


class Leaf(Kind):
    """A kind of scalar. ``wanted`` is its name in the catalogue."""

    wanted = "text"

    def read(self, reader: Reader, node: Node, path: Path) -> Any:
        value = reader.scalar(node, self.wanted)
        return INVALID if value is INVALID else self.convert(reader, node, value)

    @abstractmethod
    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        """The meaning of the scalar's ``value`` here, or ``INVALID`` after a report."""

    def refused(self, reader: Reader, node: Node) -> _Invalid:
        """Report that something else belongs here."""
        return reader.wrong(node.at, "wrong_kind", found=found(node), wanted=wanted_words(self.wanted))


class Whole(Leaf):
    """An integer in [``low``, ``high``], both inclusive, and always within 64 bits."""

    wanted = "whole"

    def __init__(self, low: int = MIN, high: int = MAX) -> None:
        self.low = low
        self.high = high

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        if type(value) is not int:
            return self.refused(reader, node)
        if value < self.low:
            return reader.wrong(node.at, "too_small", value=value, low=self.low)
        if value > self.high:
            return reader.wrong(node.at, "too_great", value=value, high=self.high)
        return value

    def schema(self) -> JsonSchema:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


class Number(Leaf):
    """An integer or a finite double."""

    wanted = "number"

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        return value if type(value) in (int, float) else self.refused(reader, node)

    def schema(self) -> JsonSchema:
        return {"type": "number"}


class Boolean(Leaf):
    """``true`` or ``false``."""

    wanted = "boolean"

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        return value if isinstance(value, bool) else self.refused(reader, node)

    def schema(self) -> JsonSchema:
        return {"type": "boolean"}


class OnlyTrue(Leaf):
    """Only ``true``: the key says it all."""

    wanted = "true"

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        return True if value is True else self.refused(reader, node)

    def schema(self) -> JsonSchema:
        return {"const": True}


class Choice(Leaf):
    """One of a few names."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        if value in self.names and isinstance(value, str):
            return value
        return unknown_choice(reader, node, self.names)

    def schema(self) -> JsonSchema:
        return {"enum": list(self.names)}


def unknown_choice(reader: Reader, node: Node, names: "Mapping[str, object] | tuple[str, ...]") -> _Invalid:
    """Report that ``node`` is none of ``names``, with the nearest one."""
    close = nearest(node.text, names) if isinstance(node, ScalarNode) and not reader.source.full else None
    if isinstance(node, ScalarNode) and close is not None:
        return mistyped(reader, node, close)
    return reader.wrong(node.at, "unknown_choice", found=found(node), names=listed(names))


def mistyped(reader: Reader, node: ScalarNode, near: str) -> _Invalid:
    """Report that ``node`` was meant to be ``near``."""
    replacement = reader.source.instead(node.at, node.text, near)
    return reader.wrong(node.at, "unknown_choice_near", replacement=replacement, found=found(node), near=near)


class Text(Leaf):
    """A text that is not empty. All of it must match ``pattern``, if there is one."""

    def __init__(self, pattern: str | None = None, wanted: str = "text") -> None:
        self.wanted = wanted
        self.pattern = pattern
        self._matches = re.compile(pattern or r"(?s).*\S.*")

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        if not isinstance(value, str) or not self._matches.fullmatch(value):
            return self.refused(reader, node)
        return value

    def schema(self) -> JsonSchema:
        return {"type": "string", "pattern": f"^(?:{self.pattern})$" if self.pattern else r"\S"}


class Duration(Leaf):
    """A duration in ms, at least ``low``."""

    wanted = "duration"

    def __init__(self, low: int = MIN) -> None:
        self.low = low

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        amount = parse_duration(value) if isinstance(value, str) else value
        if type(amount) is not int:
            return self.refused(reader, node)
        if not MIN <= amount <= MAX:
            return reader.wrong(node.at, "beyond_64_bits")
        if amount < self.low:
            return reader.wrong(node.at, "duration_too_small", found=found(node), low=format_duration(self.low))
        return amount

    def schema(self) -> JsonSchema:
        reference = "#/$defs/duration"
        if self.low == MIN:
            return {"$ref": reference}
        return {"$ref": reference, "minimum": self.low}


class OrWord(Kind):
    """A value of ``kind``, or a word that means ``value``."""

    def __init__(self, word: str, value: int | str, kind: Leaf) -> None:
        self.word = word
        self.value = value
        self.kind = kind

    def read(self, reader: Reader, node: Node, path: Path) -> Any:
        if isinstance(node, ScalarNode) and node.text == self.word:
            return self.value
        if isinstance(node, ScalarNode) and nearest(node.text, (self.word,)) is not None:
            return unknown_choice(reader, node, (self.word,))
        return self.kind.read(reader, node, path)

    def schema(self) -> JsonSchema:
        return {"anyOf": [{"const": self.word}, self.kind.schema()]}


class DurationOr(OrWord):
    """A duration, or a word."""

    def __init__(self, word: str, value: int | str, low: int) -> None:
        super().__init__(word, value, Duration(low))


class WholeOr(OrWord):
    """A whole number, or a word."""

    def __init__(self, word: str, value: int | str, low: int) -> None:
        super().__init__(word, value, Whole(low))


class Timestamp(Leaf):
    """An instant in epoch ms. One written as a duration counts from the scenario's origin."""

    wanted = "timestamp"

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        if type(value) is int:
            return value
        if not isinstance(value, str):
            return self.refused(reader, node)
        span = parse_duration(value)
        try:
            instant = parse_instant(value) if span is None else reader.origin + span
        except InstantError as error:
            return reader.wrong(node.at, error.reason, found=found(node))
        if instant is None:
            return self.refused(reader, node)
        if not MIN <= instant <= MAX:
            return reader.wrong(node.at, "time_beyond_64_bits", found=found(node), origin=reader.origin)
        return instant

    def schema(self) -> JsonSchema:
        return {"$ref": "#/$defs/timestamp"}


class Rowtime(Timestamp):
    """The timestamp of a record, or null; whether its input allows that, the record says (``format.stream``)."""

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        return None if value is None else super().convert(reader, node, value)

    def schema(self) -> JsonSchema:
        return {"anyOf": [super().schema(), {"type": "null"}]}


class Key(Leaf):
    """A string, a 64-bit integer or a boolean, kept as it is written."""

    wanted = "key"

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        return value if isinstance(value, str | int) else self.refused(reader, node)

    def schema(self) -> JsonSchema:
        return {"type": ["string", "integer", "boolean"]}


class Value(Kind):
    """A record's value: a number, a text, null, or a flat mapping."""

    def read(self, reader: Reader, node: Node, path: Path) -> Any:
        if isinstance(node, MappingNode):
            return self._mapping(reader, node)
        value = reader.scalar(node, "value")
        if isinstance(value, bool):
            return reader.wrong(node.at, "wrong_kind", found=found(node), wanted=wanted_words("value"))
        return value

    def _mapping(self, reader: Reader, node: MappingNode) -> Any:
        members = {}
        for name, entry in node.entries.items():
            if not is_text(name, entry):
                return reader.wrong(entry.at, "key_not_text", key=shortened(name))
            value = reader.scalar(entry.value, "member")
            if value is INVALID:
                return INVALID
            members[name] = value
        return members

    def schema(self) -> JsonSchema:
        # Of a row with columns a member may be an array or a row itself.
        member = {"type": ["number", "string", "boolean", "null", "array", "object"]}
        return {"type": ["number", "string", "null", "object"], "additionalProperties": member}


def is_text(name: str, entry: Entry) -> bool:
    """Whether the key of ``entry`` is a text, and not a number, a boolean or null."""
    if not entry.plain:
        return True
    try:
        return isinstance(resolve(name), str)
    except ScalarError:
        return False


# Names of time zones: those of the IANA database, and the one that a name of another kind was probably meant to be.
#
# What people write instead is an abbreviation, an offset or a city. An abbreviation says nothing of its letters, so
# it is looked up and never compared; one that several parts of the world use (IST, CST) has no answer.

ZONE_NAME: Final = re.compile(r"[A-Za-z0-9_+-]{1,32}(?:/[A-Za-z0-9_+-]{1,32}){0,2}")
NO_ZONES: Final = frozenset(("localtime", "posixrules"))
"""Files among the zones whose meaning depends on the machine."""

ABBREVIATIONS: Final = {
    each: zone
    for zone, names in {
        "America/Los_Angeles": "pst pdt pt", "America/Denver": "mdt", "America/Chicago": "cdt",
        "America/New_York": "edt et", "America/Anchorage": "akst akdt", "America/St_Johns": "nst ndt",
        "America/Sao_Paulo": "brt", "Europe/London": "bst", "CET": "cest mez mesz", "EET": "eest", "WET": "west",
        "Europe/Moscow": "msk", "Africa/Johannesburg": "sast", "Asia/Karachi": "pkt", "Asia/Jakarta": "wib",
        "Asia/Shanghai": "beijing", "Asia/Singapore": "sgt", "Asia/Hong_Kong": "hkt", "Asia/Tokyo": "jst",
        "Asia/Seoul": "kst", "Australia/Sydney": "aest aedt", "Australia/Adelaide": "acst acdt",
        "Australia/Perth": "awst", "Pacific/Auckland": "nzst nzdt", "UTC": "utc gmt zulu z",
    }.items()
    for each in names.split()
}  # fmt: skip
"""Names that are no zones of the database, each with the zone that alone it is used for."""

OFFSET: Final = re.compile(r"(?:UTC|GMT)?\s*([+-])0?(\d{1,2})(?::?00)?", re.IGNORECASE)
MOST_HOURS: Final = {"+": 14, "-": 12}
"""How far zones of a whole number of hours are ahead of UTC, and behind it."""

LEAST_LETTERS: Final = 5
"""A shorter name is taken for an abbreviation: it is like too many others."""


class Zone(Leaf):
    """The name of an IANA time zone."""

    wanted = "zone"

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        if not isinstance(value, str):
            return self.refused(reader, node)
        if is_zone(value):
            return value
        near = near_zone(value)
        if near is not None:
            assert isinstance(node, ScalarNode)
            return mistyped(reader, node, near)
        return reader.wrong(node.at, "unknown_zone", found=found(node))

    def schema(self) -> JsonSchema:
        return {"type": "string"}


@cache
def is_zone(name: str) -> bool:
    """Whether the IANA database has a zone of this name."""
    if name in NO_ZONES or name.startswith(("posix/", "right/")) or not ZONE_NAME.fullmatch(name):
        return False
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def near_zone(name: str) -> str | None:
    """The zone of the database that ``name``, which is none, was probably meant to be; None rather than a guess."""
    if len(name) > SHOWN:
        return None
    typed = _folded(name)
    region, _, city = typed.rpartition("/")
    known = ABBREVIATIONS.get(city)
    if known is not None:
        return known
    if (offset := OFFSET.fullmatch(name.strip())) is not None:
        return _of_hours(offset[1], int(offset[2]))
    if (whole := _zones().get(typed)) is not None:
        return whole
    if len(city) < LEAST_LETTERS:
        return None
    cities: dict[str, list[str]] = {}
    for folded in _zones():
        if "/" in folded and not folded.startswith("etc/"):
            cities.setdefault(folded.rpartition("/")[2], []).append(folded)
    close = get_close_matches(city, cities, n=1, cutoff=0.8)
    if not close:
        return None
    # Of two zones with such a city, which are one under its older name as well, the one in the region that was typed.
    return _zones()[max(cities[close[0]], key=lambda folded: (folded.startswith(f"{region}/"), folded.count("/") == 1))]


@cache
def _zones() -> dict[str, str]:
    """The zones of the database by their names as they are compared."""
    return {_folded(each): each for each in sorted(available_timezones() - NO_ZONES)}


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


def _of_hours(sign: str, hours: int) -> str | None:
    """The zone that is so many hours ahead of UTC (``+``) or behind it: its name has the other sign."""
    if hours == 0:
        return "UTC"
    return f"Etc/GMT{'-' if sign == '+' else '+'}{hours}" if hours <= MOST_HOURS[sign] else None
