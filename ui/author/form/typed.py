"""How a form shows a value of each kind, and what is written for what somebody typed or chose there."""

import re
from collections.abc import Sequence
from typing import Final

from tidemark.simulator.engine.values.duration import parse_duration
from tidemark.simulator.scenario.editing import Plain, ScenarioText, Value, is_plain, text_value
from tidemark.simulator.scenario.editing.members import GENERATE, INPUT_NAME, Member
from tidemark.simulator.scenario.format.document import Origin
from tidemark.simulator.scenario.format.kinds import (
    Boolean,
    Choice,
    Duration,
    DurationOr,
    Kind,
    Number,
    OrWord,
    Text,
    Whole,
    WholeOr,
)
from tidemark.simulator.scenario.format.stream import Fraction, Range, StreamKind
from tidemark.simulator.scenario.format.structs import ListOf, Variant
from tidemark.simulator.scenario.format.texts import Language, Translated
from tidemark.simulator.scenario.format.zones import Zone
from tidemark.simulator.timeline.wording import duration
from tidemark.ui.author.cells import CellError, span_written

_NUMBER: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,12})?", re.ASCII)
_SHARE: Final = re.compile(r"(\d{1,3}(?:[.,]\d{1,4})?)\s*%?", re.ASCII)
_RANGE: Final = re.compile(r"(-?\d{1,19})(?:\s*+(?:-|–|…|\.\.|,|;|to|至|到)\s*+|\s++)(-?\d{1,19})", re.ASCII)
_COMMA: Final = re.compile(r"[,，、;；\n]")

YES, NO = "yes", "no"
LISTED: Final = "listed"
"""A stream that is written out, in contrast to one that a generator makes."""

FORMS: Final[Sequence[tuple[type[Kind], str]]] = (
    (Variant, "choice"),
    (Choice, "choice"),
    (Boolean, "choice"),
    (StreamKind, "choice"),
    (DurationOr, "span"),
    (Duration, "span"),
    (WholeOr, "whole"),
    (Whole, "whole"),
    (Number, "number"),
    (Fraction, "share"),
    (Range, "range"),
    (Origin, "text"),
    (Zone, "text"),
    (Language, "text"),
    (Text, "text"),
    (ListOf, "text"),
    (Translated, "long"),
)
"""The control for each kind of value. A kind that is missing here has no place in the form, and a test fails."""


def control_of(kind: Kind) -> str:
    """The name of the control for values of ``kind``. Raises ``TypeError`` for a kind without one."""
    if isinstance(kind, Translated) and kind.text.pattern is not None:
        return "text"
    for each, name in FORMS:
        if isinstance(kind, each):
            return name
    raise TypeError(type(kind).__name__)


def names_of(kind: Kind) -> tuple[str, ...]:
    """What can be chosen; empty for what is typed."""
    match kind:
        case Variant():
            return tuple(kind.cases)
        case Choice():
            return kind.names
        case Boolean():
            return NO, YES
        case StreamKind():
            return LISTED, GENERATE
        case _:
            return ()


def shown(text: ScenarioText, member: Member) -> str:
    """The value of ``member`` as the form shows it; "" if it is not written."""
    kind, path = member.kind, member.path
    if isinstance(kind, StreamKind):
        return GENERATE if text.has((*path, GENERATE)) else LISTED
    if kind is INPUT_NAME:
        return str(path[-1])
    if not text.has(path):
        return ""
    written = text.scalar(path)
    if written is None:
        value = text.value(path)
        return _listed(kind, value) if isinstance(value, list) else ""
    match kind:
        case Boolean():
            return {"true": YES, "false": NO}.get(written, written)
        case Duration() | DurationOr():
            ms = int(written) if written.lstrip("-").isdecimal() and len(written) < 19 else parse_duration(written)
            return written if ms is None else duration(ms)
        case Fraction():
            return f"{float(written) * 100:g} %" if _NUMBER.fullmatch(written) else written
        case _:
            return written


def shown_default(kind: Kind, value: object) -> str:
    """A value of the model, as ``shown`` would show it if it were written; "" for none."""
    if value is None or value == ():
        return ""
    match kind:
        case Boolean():
            return YES if value else NO
        case OrWord() if value == kind.value:
            return kind.word
        case Duration() | DurationOr() if isinstance(value, int):
            return duration(value)
        case Fraction() if isinstance(value, int):
            return f"{value / 10_000:g} %"
        case Range() | ListOf() if isinstance(value, tuple):
            return _listed(kind, list(value))
        case Variant():
            return value if isinstance(value, str) else str(getattr(value, kind.key, ""))
        case _:
            return str(value)


def _listed(kind: Kind, values: list[Value]) -> str:
    return (" – " if isinstance(kind, Range) else ", ").join(map(str, values))


def typed_value(kind: Kind, typed: str) -> Value:
    """What is written for ``typed``. Raises ``CellError`` for what is no such value.

    Bounds are left to the reader of files, which has a message for each.
    """
    text = typed.strip()
    match kind:
        case Choice() | Boolean():
            if text not in names_of(kind):
                raise CellError("no_choice")
            return text == YES if isinstance(kind, Boolean) else Plain(text)
        case OrWord() if text == kind.word:
            return Plain(text)
        case Duration() | DurationOr():
            return span_written(text)
        case Whole() | WholeOr():
            return _whole(text)
        case Number():
            number = text.replace(",", ".").replace("\N{MINUS SIGN}", "-")
            if not _NUMBER.fullmatch(number):
                raise CellError("no_number")
            return Plain(number)
        case Fraction():
            found = _SHARE.fullmatch(text)
            if found is None:
                raise CellError("no_share")
            return round(float(found[1].replace(",", ".")) / 100, 6)
        case Range():
            ends = _RANGE.fullmatch(text)
            if ends is None:
                raise CellError("no_range")
            return [int(ends[1]), int(ends[2])]
        case ListOf():
            return [text_value(each.strip()) for each in _COMMA.split(text) if each.strip()]
        case Origin():
            return Plain(text) if is_plain(text) else text
        case _:
            return text_value(text)


def _whole(typed: str) -> int:
    digits = re.sub(r"[\s,_]", "", typed.replace("\N{MINUS SIGN}", "-"))
    if not re.fullmatch(r"-?\d{1,19}", digits, re.ASCII):
        raise CellError("no_whole")
    return int(digits)
