"""What a cut is made around: ``dropped``, ``record:N``, ``window:KEY@TS``, ``finding:CODE`` or ``finding:CODE:N``.

What is to be shown, found in the whole stream: a record or a window, what decided, and the records that did it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.engine.values.duration import InstantError, format_instant, parse_instant
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.words import listed, words
from tidemark.spark_bridge.cut.rules import Fate, Maxima, Rules, StreamRecord, Whole, holder, levels_of
from tidemark.spark_bridge.profile.findings.finding import CODES


class CutFails(ValueError):
    """There is no such cut. The message says why, and what to try instead."""

    def __init__(self, kind: str, **fields: Any) -> None:
        super().__init__(words(f"own_cut.fails.{kind}", **fields))
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Dropped:
    """The first record that is dropped."""


@dataclass(frozen=True, slots=True)
class RecordOf:
    """The record of that number, from 0."""

    number: int


@dataclass(frozen=True, slots=True)
class WindowOf:
    """The window of ``key`` that holds ``ts`` (ms)."""

    key: str
    ts: int


@dataclass(frozen=True, slots=True)
class FindingOf:
    """What a finding of the profile is about: the ``nth`` (from 1) of those that the profile calls ``code``."""

    code: str
    nth: int = 1


Around = Dropped | RecordOf | WindowOf | FindingOf


def around_of(text: str) -> Around:
    """What ``text`` asks for. Raises ``CutFails`` for anything else."""
    kind, _, rest = text.partition(":")
    match kind:
        case "dropped" if not rest:
            return Dropped()
        case "record" if rest.isascii() and rest.isdigit() and len(rest) < 19:
            return RecordOf(int(rest))
        case "window" if "@" in rest:
            key, _, time = rest.rpartition("@")
            if (ts := _time(time)) is not None:
                return WindowOf(key, ts)
        case "finding":
            code, colon, nth = rest.partition(":")
            if code not in CODES:
                raise CutFails("no_code", asked=shown_in_message(code), codes=listed(CODES))
            if not colon:
                return FindingOf(code)
            if nth.isascii() and nth.isdigit() and len(nth) < 10 and int(nth):
                return FindingOf(code, int(nth))
        case _:
            pass
    raise CutFails("around", asked=shown_in_message(text))


def _time(text: str) -> int | None:
    """Epoch ms, or an instant with its zone."""
    try:
        instant = parse_instant(text)
    except InstantError:
        return None
    if instant is not None:
        return instant
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) < 20 and MIN <= int(text) <= MAX:
        return int(text)
    return None


MOST_INSIDE: Final = 40
"""The most records of the window that are looked at."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to show. ``rules.channels`` is the number of all channels.

    ``inside`` are records of ``key`` in ``window``, the first ``MOST_INSIDE`` of ``inside_total``. ``fired_by`` is the
    record whose watermark passed the window's last instant and ``fired`` what the channels had brought with it, both
    None where no record did so. ``record`` is the record in question with what had been brought before it
    (``arrival``), None where the window itself is. ``end`` is what had been brought when the stream ended.

    ``also`` are further records that are dropped for the same reason. A finding has a ``code``, perhaps a ``culprit``,
    the record that did the harm, and records that have to be seen ``beside`` it.
    """

    rules: Rules
    key: str
    window: TimeWindow
    inside: Sequence[StreamRecord]
    inside_total: int
    end: Maxima
    fired_by: StreamRecord | None = None
    fired: Maxima | None = None
    record: StreamRecord | None = None
    arrival: Maxima | None = None
    also: tuple[StreamRecord, ...] = ()
    code: str | None = None
    culprit: StreamRecord | None = None
    beside: tuple[StreamRecord, ...] = ()

    @property
    def fate(self) -> Fate | None:
        """What becomes of ``record``."""
        if self.record is None or self.arrival is None:
            return None
        return self.rules.fate(self.record.ts, self.rules.watermark(levels_of(self.arrival)))

    @property
    def on_time(self) -> list[StreamRecord]:
        """The records that were in the window when it fired first; all, where it did not fire."""
        by = self.fired_by
        return [record for record in self.inside if by is None or record.place < by.place]

    @property
    def fires(self) -> bool:
        """Whether the window has a result on time."""
        return self.fired_by is not None and bool(self.on_time)

    @property
    def in_question(self) -> StreamRecord:
        """The record in question, or the first one of the window."""
        return self.record or self.on_time[0]

    @property
    def decider(self) -> StreamRecord | None:
        """The record that decided: with it the watermark got to where it decides, or stayed. None if a channel has
        brought nothing."""
        if self.arrival is not None and self.fate is not Fate.IN_TIME:
            return self.arrival.get(holder(self.arrival, self.rules.channels))
        return self.fired_by if self.fires else self.end.get(holder(self.end, self.rules.channels))


def of_window(whole: Whole, rules: Rules, key: str, window: TimeWindow) -> Case:
    """The case of a window; that of its first record if none of its records was in time."""
    case = _of(whole, rules, key, window, None)
    if not case.inside:
        raise CutFails(
            "window_empty",
            key=shown_in_message(key),
            start=format_instant(window.start),
            end=format_instant(window.end),
        )
    return case if case.on_time else of_record(whole, rules, case.inside[0])


def of_record(whole: Whole, rules: Rules, record: StreamRecord) -> Case:
    """The case of a record: whether it is dropped, and where it is not, when its window fires."""
    return _of(whole, rules, record.key, rules.window_of(record.ts), record)


def _of(whole: Whole, rules: Rules, key: str, window: TimeWindow, record: StreamRecord | None) -> Case:
    inside, total = whole.inside(key, window, MOST_INSIDE)
    reached = whole.reached(rules.fires_from(window))
    fired_by = max(reached.values(), key=lambda each: each.place) if len(reached) == rules.channels else None
    end, before, arrival = whole.maxima(
        [None, None if fired_by is None else fired_by.place, None if record is None else record.place]
    )
    return Case(
        rules, key, window, inside, total, end,
        fired_by=fired_by,
        fired=None if fired_by is None else {**before, fired_by.channel: fired_by},
        record=record,
        arrival=None if record is None else arrival,
    )  # fmt: skip
