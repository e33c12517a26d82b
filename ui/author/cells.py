"""What people type into cells, and how it is written into the text: a time in the form of the one it replaces."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Final

from tidemark.simulator.engine.values.duration import (
    INSTANT,
    InstantError,
    format_duration,
    format_instant,
    parse_duration,
    parse_instant,
)
from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.scenario.editing import (
    EditError,
    Plain,
    ScenarioText,
    Value,
    is_plain,
    read_value,
    set_list,
    written,
)
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.wording import time_format
from tidemark.ui.payload.times import TimeStyle

_NUMBER: Final = re.compile(r"-?\d{1,15}(?:[.,]\d{1,9})?", re.ASCII)
_CLOCK: Final = re.compile(r"(?:(\d\d)-(\d\d) +)?(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,3}))?)?", re.ASCII)
_WHOLE: Final = re.compile(r"-?\d{1,19}", re.ASCII)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SPACES: Final = re.compile(r"\s+")
_UNITS: Final = {"min": "m"}


class CellError(Exception):
    """What was typed does not fit there; the message is a name below ``author.cells`` in the catalogue."""


@dataclass(frozen=True)
class Clock:
    """How one draft writes times: durations count from ``origin`` (ms), and ``style`` is how the page shows times."""

    origin: int
    style: TimeStyle

    def shown(self, ms: int | None) -> str:
        """A time (ms) as a cell shows it."""
        return "" if ms is None else self.style.short(ms)

    def read(self, typed: str, near: int) -> int:
        """The time (ms) that somebody typed. A time of day alone is on the day of ``near`` (ms).

        Raises ``CellError``.
        """
        text = _SPACES.sub(" ", typed.replace("\N{MINUS SIGN}", "-")).strip()
        try:
            instant = parse_instant(text)
        except InstantError as error:
            raise CellError(error.reason) from None
        if instant is not None:
            return instant
        if (found := _CLOCK.fullmatch(text)) and not self.style.in_seconds:
            return self._on_day(found, near)
        if _NUMBER.fullmatch(text) and self.style.in_seconds:
            return int((Decimal(text.replace(",", ".")) * 1000).to_integral_value())
        span = span_of(text)
        if span is None:
            raise CellError("no_time")
        return self.origin + span

    def _on_day(self, found: re.Match[str], near: int) -> int:
        month, day, hour, minute, second, fraction = found.groups()
        zone = self.style.format.zone
        try:
            local = (_EPOCH + timedelta(milliseconds=near)).astimezone(zone)
            wanted = local.replace(hour=int(hour), minute=int(minute), second=int(second or 0), microsecond=0)
            if month and day:
                wanted = wanted.replace(month=int(month), day=int(day))
        except (ValueError, OverflowError):
            raise CellError("no_time") from None
        return int((wanted - _EPOCH) / timedelta(milliseconds=1)) + int((fraction or "").ljust(3, "0"))

    def written(self, ms: int, like: str | None) -> Plain:
        """``ms`` in the form of ``like``: a number, an instant in the same zone, or a duration from the origin."""
        text = like or ""
        if _WHOLE.fullmatch(text):
            return Plain(str(ms))
        found = INSTANT.fullmatch(text)
        if found or (not text and not self.style.in_seconds and not self.origin):
            return Plain(_instant(ms, found[8] if found else "Z"))
        return Plain(format_duration(ms - self.origin))


def clock_of(scenario: Scenario) -> Clock:
    """How ``scenario`` writes times."""
    return Clock(scenario.origin, TimeStyle(time_format(scenario)))


def _instant(ms: int, zone: str) -> str:
    if zone in "Zz":
        return format_instant(ms)
    sign = -1 if zone[0] == "-" else 1
    offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:].lstrip(":") or 0)) * sign
    try:
        local = (_EPOCH + timedelta(milliseconds=ms)).astimezone(timezone(offset))
    except (OverflowError, ValueError):
        return format_instant(ms)
    return f"{local:%Y-%m-%dT%H:%M:%S}" + (f".{ms % 1000:03}" if ms % 1000 else "") + zone


def span_of(typed: str) -> int | None:
    """The ms of a length of time as people type it: ``10 s``, ``1m30s``, ``2.5 s``, ``250ms``, ``3`` (seconds)."""
    text = _SPACES.sub("", typed.replace("\N{MINUS SIGN}", "-")).lower()
    for name, unit in _UNITS.items():
        text = text.replace(name, unit)
    if found := re.fullmatch(r"(-?\d{1,12})[.,](\d{1,9})s?", text, re.ASCII):
        return int((Decimal(f"{found[1]}.{found[2]}") * 1000).to_integral_value())
    if _WHOLE.fullmatch(text):
        return int(text) * 1000
    return parse_duration(text) if text not in ("", "-") else None


def span_written(typed: str) -> Plain:
    """A typed length of time as a duration for the text. Raises ``CellError``."""
    ms = span_of(typed)
    if ms is None:
        raise CellError("no_span")
    return Plain(format_duration(ms))


def value_of(typed: str) -> Value:
    """What was typed, as a value of the format: a number, a mapping in braces and so on; anything else is a text."""
    raw = typed.strip()
    if raw[:1] in ("{", "[", '"', "'"):
        try:
            return read_value(raw)
        except EditError:
            return raw
    return Plain(raw) if is_plain(raw) else raw


def shown_value(value: Value) -> str:
    """A key or a value as a cell shows it: without quotes if typing that means the same."""
    if value is None:
        return ""
    if isinstance(value, Plain):
        return str(value)
    if not isinstance(value, str):
        return written(value)
    typed = value_of(value)
    same = not isinstance(typed, Plain | dict | list) and typed == value and value.strip() == value
    return value if same or _is_word(value) else written(value)


def _is_word(text: str) -> bool:
    """Whether ``text`` without quotes is a text, and not a number, a boolean or null."""
    return bool(re.fullmatch(r"[^\W\d][\w .-]*", text)) and text.lower() not in ("true", "false", "null")


# Writes out a generated stream: a line for each record, with times in the draft's own form.

MOST: Final = 400
"""How many records are written out at most."""


def listed(text: ScenarioText, scenario: Scenario, clock: Clock) -> ScenarioText:
    """``text`` with its records instead of their generator. Raises ``CellError`` if there are too many."""
    stream = scenario.stream
    if not isinstance(stream, Generated):
        raise EditError("no_such_place")
    if stream.events > MOST:
        raise CellError("too_many_records")
    return set_list(text, "stream", [_item(item, scenario, clock) for item in items(scenario)])


def _item(item: object, scenario: Scenario, clock: Clock) -> dict[str, Value]:
    if isinstance(item, End):
        return {"end": True}
    if not isinstance(item, Record):
        return {"batch": Plain("end")}
    assert item.ts is not None
    said: dict[str, Value] = {"ts": clock.written(item.ts, None), "key": Plain(str(item.key)), "value": item.value}
    if len(scenario.inputs) > 1:
        said["in"] = Plain(item.input)
    if item.channel:
        said["channel"] = item.channel
    if item.at is not None:
        said["at"] = clock.written(item.at, None)
    return said
