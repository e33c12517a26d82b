"""Puts the steps of a timeline into words: the last thing that happens to a fact, and where a language comes in.

Theory of operation. A row of ``steps`` names its sentences and carries raw fields. To write a sentence, look up its
template at the level asked for, and for each ``{name}`` in it find the value and how it is written, in this order:

1. a field that the step carries (``KINDS``);
2. a field that is another one written in another way, or a column of the step (``DERIVED``);
3. what the scenario alone decides (``constants`` of ``explain/fields.py``);
4. the predicate, and the numbers of the rule that the sentence speaks of: the step's own, or that of the earlier step
   ``decided``, where a trigger had made up its mind.

``ui/player/base/telling.ts`` follows the same rules with the same tables; ``tests/js/test_facts.py`` compares every
sentence of the library.

Times are written as seconds, or by the clock of the scenario's zone: in seconds if the scenario plays in the first day
of 1970 UTC; one with real dates, or a zone of its own, by the clock. Watermarks and timers have three decimals, since
the last millisecond counts there; others as few as will do. In the browser a novice reads 4.999 as 5, unless the
scenario has milliseconds of its own (``TimeFormat.milliseconds``). With a session time zone windows are in local time
already, and everything else is an instant. If the zone changes its clock during the run, an instant has the name of the
time that holds then: ``01:30:00 PDT``.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cached_property, lru_cache
from typing import Any, Final, get_args
from zoneinfo import ZoneInfo

from tidemark.simulator.engine.trace.trace import plain
from tidemark.simulator.engine.values.items import Record, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN, Milliseconds
from tidemark.simulator.engine.values.window import TimeWindow, Window
from tidemark.simulator.engine.values.zone import SessionZone
from tidemark.simulator.scenario.model import DynamicSession, Generated, Scenario
from tidemark.simulator.scenario.zones import ZoneTime, zone_of, zone_times
from tidemark.simulator.timeline.code.walk import LIVE, SILENT
from tidemark.simulator.timeline.explain.fields import (
    DERIVED,
    KINDS,
    MISSING,
    NUMBER_KINDS,
    Kind,
    constants,
    java_place,
    long_text,
    namespace_text,
    result_text,
    value_at,
)
from tidemark.simulator.timeline.explain.narrator import LEVELS, NOVICE
from tidemark.simulator.timeline.schema import LevelColumns
from tidemark.simulator.timeline.stops import levels_of, shown_at
from tidemark.simulator.words import current_language, filled, section

SECONDS: Final = "seconds"
CLOCK: Final = "clock"

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_SECONDS: Final = 100_000
"""Beyond so many seconds a number says less than a time of day."""

_A_DAY: Final = 86_400_000

_HUNDREDTH: Final = 10

_UNITS: Final = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"))


@dataclass(frozen=True, slots=True)
class TimeFormat:
    """``style``: ``seconds`` or ``clock``. ``day``: the date that needs no mention, None where there are several.

    ``session``: the zone in whose local time windows are. ``clocks``: what its clock shows during the run, one after
    another; () without a session zone. ``milliseconds``: whether a time or a length of the scenario is to the
    millisecond, so that none may be rounded.
    """

    style: str
    zone: tzinfo
    day: date | None
    session: SessionZone | None = None
    clocks: tuple[ZoneTime, ...] = ()
    milliseconds: bool = False

    def record(self, ts: int) -> str:
        """A record's time or the clock's (ms): ``2.8 s``, ``09:00:02.8``."""
        return f"{_decimals(ts, 1)} s" if self.style == SECONDS else self._clock(ts, 0)

    def exact(self, ts: int) -> str:
        """A watermark or timer (ms), to the millisecond: ``8.999``, ``09:00:08.999``, ``+∞`` for the end of input."""
        if ts == MAX:
            return "+∞"
        if ts == MIN:
            return "−∞"
        return _decimals(ts, 3) if self.style == SECONDS else self._clock(ts, 3)

    def window(self, window: Window) -> str:
        """``[0, 5)``; "" for the global window, which has no bounds."""
        if window.start is None or window.end is None:
            return ""
        return f"[{self._bound(window.start)}, {self._bound(window.end)})"

    def instant(self, ts: int) -> str:
        """An instant (ms) as short as the bound of a window: ``5``, ``09:00``, ``01:30 PDT``."""
        if self.style == SECONDS:
            return _decimals(ts, 0)
        short, name = _short(self._on_clock(ts, 0, self.zone), ts), self.name_at(ts)
        return f"{short} {name}" if name else short

    def span(self, ms: int) -> str:
        """The exact length (ms) within a formula, to the millisecond: ``2.000``."""
        return _decimals(ms, 3)

    def tick(self, ts: int) -> str:
        """An instant (ms) on an axis: ``5``, ``09:00``, without the name of the zone's time."""
        if self.style == SECONDS:
            return _decimals(ts, 0)
        return _short(self._on_clock(ts, 0, self.zone), ts)

    def instants(self, start: int, end: int) -> tuple[int, int]:
        """The instants (ms) between which a window lies on an axis of event time."""
        return (start, end) if self.session is None else self.session.span(start, end)

    def name_at(self, ts: int) -> str:
        """What the time of the zone is called at an instant (ms), ``PDT``; "" where the clock is not changed."""
        if len(self.clocks) < 2:
            return ""
        return next((each.name for each in reversed(self.clocks) if ts >= each.since), self.clocks[0].name)

    def _bound(self, ts: int) -> str:
        if self.style == SECONDS:
            return _decimals(ts, 0)
        return _short(self._on_clock(ts, 0, self.zone if self.session is None else UTC), ts)

    def _clock(self, ts: int, decimals: int) -> str:
        name = self.name_at(ts)
        return f"{self._on_clock(ts, decimals, self.zone)} {name}" if name else self._on_clock(ts, decimals, self.zone)

    def _on_clock(self, ts: int, decimals: int, zone: tzinfo) -> str:
        local = _local(ts, zone)
        if local is None:
            return f"{_decimals(ts, decimals)} s"
        fraction = _decimals(ts % 1000, decimals).removeprefix("0")
        time = f"{local:%H:%M:%S}{fraction}"
        return time if local.date() == self.day else f"{local:%m-%d} {time}"


def duration(ms: int) -> str:
    """A length of time (ms) by its units: ``250 ms``, ``2.5 s``, ``1 min 30 s``, ``8 h``; 0 is ``0 s``.

    The only place in Python that words a length of time; ``duration`` of ``ui/player/base/format.ts`` is the same rule.
    """
    sign, rest, parts = ("−" if ms < 0 else ""), abs(ms), []
    for size, unit in _UNITS:
        if rest >= size:
            parts.append(f"{rest // size} {unit}")
            rest %= size
    if rest >= 1000 or not (rest or parts):
        parts.append(f"{_decimals(rest, 0)} s")
    elif rest:
        parts.append(f"{rest} ms")
    return sign + " ".join(parts)


def time_format(scenario: Scenario) -> TimeFormat:
    """The format for all times of ``scenario``."""
    (times, fine), session = _times(scenario), zone_of(scenario.operator)
    fine = fine or any(ms % _HUNDREDTH for part in (scenario.operator, scenario.inputs) for ms in _lengths(part))
    if session is not None:
        return replace(_in_session(session, times), milliseconds=fine)
    zone = ZoneInfo(scenario.zone)
    if scenario.zone == "UTC" and all(abs(ts) < _MOST_SECONDS * 1000 for ts in times):
        return TimeFormat(SECONDS, zone, None, milliseconds=fine)
    days = {None if local is None else local.date() for local in (_local(ts, zone) for ts in times)}
    return TimeFormat(CLOCK, zone, days.pop() if len(days) == 1 else None, milliseconds=fine)


def _in_session(session: SessionZone, times: list[int]) -> TimeFormat:
    """By the clock of the session time zone, whatever the zone of the scenario: one clock for windows and instants."""
    zone = ZoneInfo(session.name)
    days = {None if local is None else local.date() for local in (_local(ts, zone) for ts in times)}
    clocks = tuple(zone_times(session, min(times, default=0) - _A_DAY, max(times, default=0) + _A_DAY))
    return TimeFormat(CLOCK, zone, days.pop() if len(days) == 1 else None, session, clocks)


def _short(time: str, ts: int) -> str:
    """Without the seconds of a whole minute."""
    return time.removesuffix(":00") if ts % 60_000 == 0 else time


def _times(scenario: Scenario) -> tuple[list[int], bool]:
    """The times of the stream, of a generated one the first and the last, and whether any is to the millisecond.

    A watermark a millisecond before a whole hundredth is not: Flink's own generators send such ones.
    """
    stream, fine = scenario.stream, False
    times: list[int] = []
    if isinstance(stream, Generated):
        moved = stream.disorder or stream.late_millionths or stream.border_millionths
        last = scenario.origin + stream.events * stream.every
        return [scenario.origin, last], bool(moved or stream.every % _HUNDREDTH)
    for item in stream:
        of_item = (getattr(item, "at", None), item.ts if isinstance(item, Record | Watermark) else None)
        found = [time for time in of_item if time is not None and time not in (MIN, MAX)]
        whole = (0, _HUNDREDTH - 1) if isinstance(item, Watermark) else (0,)
        fine = fine or any(time % _HUNDREDTH not in whole for time in found)
        times += found
    return times if stream else [scenario.origin], fine


def _lengths(part: Any) -> Iterator[int]:
    """The lengths of time (ms) that a part of a scenario is set to."""
    if isinstance(part, tuple):
        for each in part:
            yield from _lengths(each)
    elif is_dataclass(part):
        for field in fields(part):
            value = getattr(part, field.name)
            if field.type is not Milliseconds and Milliseconds not in get_args(field.type):
                yield from _lengths(value)
            elif isinstance(value, int):
                yield value


def _local(ts: int, zone: tzinfo) -> datetime | None:
    """The time on the zone's clock, None outside the years that a calendar has."""
    try:
        return (_EPOCH + timedelta(milliseconds=ts)).astimezone(zone)
    except (OverflowError, ValueError):
        return None


@lru_cache(maxsize=4096)
def _decimals(ms: int, least: int) -> str:
    """``ms`` in seconds with at least so many decimals, and as many more as it needs."""
    sign = "−" if ms < 0 else ""
    seconds, rest = divmod(abs(ms), 1000)
    fraction = f"{rest:03d}".rstrip("0").ljust(least, "0")
    return f"{sign}{seconds}.{fraction}" if fraction else f"{sign}{seconds}"


Row = Mapping[str, Any]

MOST_LETTERS: Final = 60
"""A longer value is cut in sentences; tables show the whole."""

MOST_LIVE: Final = 30
"""Longer values do not fit beside their line of code."""

MOST_WORDS: Final = 6
"""The trail shows at most so many steps of an item."""

EARLIER: Final = "…"
"""Stands in a trail for the steps before those."""

PURPOSE: Final = "why.of_"
"""A reason that says what such a step is good for; nothing was decided there."""

NOTHING: Final = "–"
"""No trigger state."""


class Wording:
    """The steps of one timeline in the words of a ``level`` and ``language``, the current one where none is named.

    ``writer`` puts single values into the same words.
    """

    def __init__(
        self, scenario: Scenario, steps: Sequence[Row], *, level: str = NOVICE, language: str | None = None
    ) -> None:
        assert level in LEVELS
        language = language or current_language()
        texts = section("explain", language=language)
        self._steps = steps
        self._name = level
        self.writer = Writer(time_format(scenario), texts["parts"], section("code", language=language)["live"])
        self.writer.gap_field = gap_field(scenario)
        self.writer.evicts = evicts(scenario)
        self._constants = constants(scenario)
        self._level: Mapping[str, Mapping[str, str]] = texts[level]
        self._trail: Mapping[str, str] = texts["trail"]

    @cached_property
    def _levels(self) -> list[LevelColumns]:
        return levels_of(self._steps)

    def what(self, row: Row) -> str:
        """What happened at the step of ``row``."""
        return self._sentence(row, row["story"])

    def why(self, row: Row) -> str:
        """Why, or what such a step is good for; "" where there is nothing to say.

        It begins with what led to the step at steps where readers of this level do not stop; what a step is good for
        gives way to that.
        """
        sentences = [
            self._sentence(self._steps[step], self._steps[step][part])
            for step, part in self._levels[row["step"]]["since"]
            if not shown_at(self._name, self._levels[step])
        ]
        if row["reason"] and not (sentences and row["reason"].startswith(PURPOSE)):
            sentences.append(self._sentence(row, row["reason"]))
        return together(sentences)

    def predicate(self, row: Row) -> str:
        """The rule with its numbers: ``7.999 <= 8.999``; "" without one."""
        return self.writer.predicate(row["predicate"])

    def live(self, row: Row) -> list[str]:
        """What stands beside each line of ``lines``: the running one, last, has its own values, the others the rule."""
        lines, shown = len(row["lines"]), self.predicate(row)
        story = row["story"].partition(".")[2]
        own = shown
        if story in LIVE:
            own = self._fill(self.writer.live[LIVE[story]], row)
        elif story == SILENT:
            own = ""
        return [_cut(each, MOST_LIVE) for each in [*[shown] * (lines - 1), own][:lines]]

    def trail(self, step: int) -> list[str]:
        """The short words of the steps of this item up to ``step``, at most six; equal neighbours once.

        Those at which readers of this level do not stop are left out, except ``step`` itself.
        """
        found: list[str] = []
        item = self._steps[step]["item"]
        each = step
        while each >= 0 and self._steps[each]["item"] == item and len(found) <= MOST_WORDS:
            word = self._trail[self._steps[each]["event"]]
            is_shown = each == step or shown_at(self._name, self._levels[each])
            if is_shown and (not found or found[-1] != word):
                found.append(word)
            each -= 1
        if len(found) > MOST_WORDS:
            found[-1] = EARLIER
        return found[::-1]

    def _sentence(self, row: Row, name: str) -> str:
        """The template filled in; one that begins with a field begins with a capital all the same."""
        kind, _, own = name.partition(".")
        template = self._level[kind][own]
        text = self._fill(template, row)
        return text[:1].upper() + text[1:] if template.startswith("{") else text

    def _fill(self, template: str, row: Row) -> str:
        return filled(template, _Fields(lambda name: self._field(name, row)))

    def _field(self, name: str, row: Row) -> str:
        fields = row["fields"]
        if name in fields:
            return self.writer.write(KINDS[name], fields[name])
        if name in DERIVED:
            derived = DERIVED[name]
            for source in derived.sources:
                value = value_at(source, fields, row)
                if value is not MISSING:
                    return self.writer.write(derived.kind, value)
        if name in self._constants:
            return self._constants[name]
        of = self._steps[fields["decided"]] if "decided" in fields else row
        if name == "predicate":
            return self.writer.predicate(of["predicate"])
        return self.writer.number(of["rule"]["numbers"], name)


def gap_field(scenario: Scenario) -> str | None:
    """The field of a value that says how long a session waits, which is a length of time; None where there is none."""
    assigner = scenario.operator.assigner
    return assigner.gap_field if isinstance(assigner, DynamicSession) else None


def evicts(scenario: Scenario) -> bool:
    """Whether the windows have an evictor: in Flink an operator of its own."""
    return scenario.operator.evictor is not None


def together(sentences: Iterable[str]) -> str:
    """Sentences one after another; a full stop in Chinese needs no blank behind it."""
    text = ""
    for each in sentences:
        text += f" {each}" if text.endswith(".") else each
    return text


class _Fields(dict[str, str]):
    """Looks a field up when the template asks for it."""

    def __init__(self, find: Callable[[str], str]) -> None:
        self._find = find

    def __missing__(self, name: str) -> str:
        return self._find(name)


class Writer:
    """Writes a raw value as its kind says. ``parts`` and ``live`` are texts of the catalogue."""

    gap_field: str | None = None
    evicts = False

    def __init__(self, times: TimeFormat, parts: Mapping[str, Any], live: Mapping[str, str]) -> None:
        self.times = times
        self.parts = parts
        self.live = live
        self._kinds: dict[Kind, Callable[[Any], str]] = {
            "number": str,
            "text": str,
            "exact": times.exact,
            "record_time": times.record,
            "duration": duration,
            "span": times.span,
            "value": self.value,
            "kept": lambda value: NOTHING if value is None else self.value(value),
            "values": lambda values: self._list([self.value(each) for each in values]),
            "value_at": self._value_at,
            "value_of": lambda raw: self.value(raw["value"]),
            "length": lambda values: str(len(values)),
            "record": self._record,
            "window_of_key": self._window_of_key,
            "bounds": self._bounds,
            "bounds_list": lambda windows: self._list([self._bounds(each) for each in windows]),
            "windows": lambda windows: self._list([self._window(each) for each in windows]),
            "first_window": self._first_window,
            "channel": self._channel,
            "side": self._side,
            "join_side": lambda side: self._part("join_side", side=self._side(side)),
            "compute": lambda name: self._part(f"compute_{name}"),
            "given": lambda name: str(parts["given"][name]),
            "memory": lambda name: str(parts["memories"][name]),
            "records": lambda count: self._counted("records", count),
            "results": lambda count: self._counted("results", count),
            "stands": self._stands,
            "java_place": lambda place: java_place(place, evicts=self.evicts),
            "java_namespace": namespace_text,
            "java_time": long_text,
            "java_result": result_text,
        }

    def write(self, kind: Kind, value: Any) -> str:
        """``value`` in words."""
        return self._kinds[kind](value)

    def predicate(self, raw: Mapping[str, Any] | None) -> str:
        """The sides with the signs between them; "" for None."""
        if raw is None:
            return ""
        first, *others = (self.write(raw["kind"], side) for side in raw["sides"])
        return " ".join([first, *(f"{sign} {side}" for sign, side in zip(raw["signs"], others, strict=True))])

    def number(self, numbers: Mapping[str, Any], name: str) -> str:
        """A number of a rule. ``new`` is its ``value``: where a window fires, its result is the value."""
        counts = any(NUMBER_KINDS.get(each) == "value" for each in numbers)
        kind = "value" if counts else NUMBER_KINDS.get(name, "exact")
        return self.write(kind, numbers["value" if name == "new" else name])

    def value(self, value: Any) -> str:
        """A value as text, cut where it is long; of a mapping each field with its name."""
        if value is None:
            return self._part("nothing")
        if isinstance(value, dict):
            return str(self.parts["comma"]).join(f"{name} {self._member(name, each)}" for name, each in value.items())
        text = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
        return _cut(text, MOST_LETTERS)

    def _member(self, name: str, value: Any) -> str:
        """The gap that a record brings along is a length of time (ms)."""
        return duration(value) if name == self.gap_field and isinstance(value, int) else self.value(value)

    def _part(self, name: str, **fields: str) -> str:
        return filled(self.parts[name], fields)

    def _list(self, parts: Sequence[str]) -> str:
        """``a``, ``a and b``, ``a, b and c``."""
        if len(parts) < 2:
            return "".join(parts)
        return self._part("list", before=str(self.parts["list_comma"]).join(parts[:-1]), last=parts[-1])

    def _value_at(self, raw: Mapping[str, Any]) -> str:
        value = self.value(raw["value"])
        return value if raw["ts"] is None else self._part("value_at", value=value, time=self.times.record(raw["ts"]))

    def _record(self, raw: Mapping[str, Any]) -> str:
        """``key b, 2.8 s, value 9``."""
        parts = [self._part("key", key=self.value(raw["key"]))]
        if raw["ts"] is not None:
            parts.append(self.times.record(raw["ts"]))
        value = raw["value"]
        if value is not None:
            text = self.value(value)
            parts.append(text if isinstance(value, dict) else self._part("value", value=text))
        return str(self.parts["comma"]).join(parts)

    def _bounds(self, raw: Mapping[str, Any]) -> str:
        """``[0, 5)``."""
        if raw.get("start") is None:
            return ""
        return self.times.window(TimeWindow(raw["start"], raw["end"]))

    def _window(self, raw: Mapping[str, Any]) -> str:
        """``window [0, 5)``."""
        bounds = self._bounds(raw)
        return self._part("window", window=bounds) if bounds else self._part("global_window")

    def _window_of_key(self, raw: Mapping[str, Any]) -> str:
        """``window [0, 5) of key a``; ``key a`` or ``the left side of key a`` elsewhere."""
        key = self.value(raw["key"])
        if "side" in raw:
            return self._part("side_of_key", side=self._side(raw["side"]), key=key)
        if "start" not in raw:
            return self._part("key", key=key)
        return self._part("window_of_key", window=self._window(raw), key=key)

    def _first_window(self, windows: Sequence[Mapping[str, Any]]) -> str:
        if not windows:
            return self.live["none"]
        first = self._bounds(windows[0]) or self._window(windows[0])
        return first if len(windows) == 1 else filled(self.live["and_more"], {"first": first, "more": len(windows) - 1})

    def _channel(self, raw: Mapping[str, Any]) -> str:
        """``channel 0``, with its input's name where there are two; ``the source`` where it is the only one."""
        input, channel = raw["input"], raw["channel"]
        if input is None:
            return self._part("only_channel") if channel is None else self._part("channel", channel=str(channel))
        if channel is None:
            return self._part("input", input=self._side(input))
        return self._part("channel_of_input", channel=str(channel), input=self._side(input))

    def _side(self, name: str) -> str:
        return str(self.parts["sides"][name])

    def _counted(self, what: str, count: int) -> str:
        return self._part(f"{what}_one") if count == 1 else self._part(f"{what}_many", count=str(count))

    def _stands(self, watermark: int | None) -> str:
        """Where the operator's watermark is, as a clause."""
        if watermark is None:
            return self._part("no_watermark")
        if watermark == MAX:
            return self._part("input_ended")
        return self._part("watermark_at", watermark=self.times.exact(watermark))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + EARLIER
