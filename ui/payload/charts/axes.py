"""The two axes of the plane: domains that cover everything finite, and ticks with their labels."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.ui.payload.times import TimeStyle

NOMINAL_WIDTH, NOMINAL_HEIGHT = 820, 390
"""The size (px) for which ticks are chosen; the browser leaves out labels for which a smaller one has no room."""

HOUR = 3_600_000
DAY = 24 * HOUR
_SECOND_STEPS = [m * 10**e for e in range(15) for m in (1, 2, 5)]
_CLOCK_STEPS = [1, 10, 100, 500] + [s * 1000 for s in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800)]
_CLOCK_STEPS += [h * HOUR for h in (1, 2, 3, 6, 12)] + [d * DAY for d in (1, 2, 5, 10, 30, 100, 365)]


@dataclass(frozen=True)
class Axis:
    """``low`` and ``high`` of the domain, ticks and what stands at them; ``share`` of the usual size that it has."""

    low: float
    high: float
    ticks: list[float]
    labels: list[str]
    share: float = 1.0

    def clamp(self, value: float | None, missing: float) -> float:
        """``value`` clamped to the domain; ``missing`` if it is None."""
        return missing if value is None else min(max(value, self.low), self.high)

    def px(self, value: float, size: int) -> float:
        return (value - self.low) / (self.high - self.low) * size * self.share


def event_time_axis(
    records: list[int],
    windows: Collection[tuple[int | None, int | None]],
    watermarks: Iterable[int],
    style: TimeStyle,
    share: float = 1.0,
) -> Axis:
    """The x axis. Far-off times (a broken clock) do not stretch it: they are drawn at its edge."""
    core = _without_outliers(sorted(set(records)))
    times = list(core) or [0]
    span = max(times[-1] - times[0], 1000)
    spans = [(a, b) for a, b in windows if a is not None and b is not None and a <= times[-1] and b >= times[0]]
    # What a window of the records spans is near them, if it is not many times as long as their stream.
    reach = max(span, min(max((b - a for a, b in spans), default=0), 3 * span))
    near = (times[0] - 3 * reach, times[-1] + 3 * reach)
    for start, end in windows:
        times += [t for t in (start, end) if t is not None and near[0] <= t <= near[1]]
    times += [w for w in watermarks if MIN < w < MAX and min(times) <= w <= near[1]]
    low, high = min(times), max(times)
    span = max(high - low, 1)
    step = _tick_step(span, NOMINAL_WIDTH * share / 46, style)
    low -= step // 2 if low == min(core or [0]) else 0
    high += step // 2 if high == max(core or [0]) else 0
    return replace(_axis(low, max(high, low + step), step, style), share=share)


def arrival_axis(
    arrivals: list[int], by_item: bool, style: TimeStyle, first: int | None = None, share: float = 1.0
) -> Axis:
    """The y axis: the clock, or the number of the item; with room below the last arrival for the watermark's label.

    ``first``: the arrival of the first record, which does not lie on the edge.
    """
    low, high = (min(arrivals), max(arrivals)) if arrivals else (0, 1)
    if by_item:
        low = 0 if low <= 0.4 * high else low
        step = max(next(s for s in _SECOND_STEPS if max(high - low, 4) / s <= NOMINAL_HEIGHT * share / 36), 1)
        bottom = high + max(0.14 * (high - low + 1), 1.0)
        ticks = [float(t) for t in range(-(-low // step) * step, int(bottom) + 1, step)]
        return Axis(low - 0.6, bottom, ticks, [str(int(t)) for t in ticks], share)
    span = max(high - low, 1000)
    if 0 <= low <= 0.4 * span:
        low = 0
    else:
        low -= span // 16
    if first is not None and first - low < 0.05 * span:
        low = first - span // 16
    high += int(0.14 * span)
    return replace(_axis(low, high, _tick_step(high - low, NOMINAL_HEIGHT * share / 40, style), style), share=share)


def _without_outliers(ordered: list[int]) -> list[int]:
    """The timestamps without single outliers at either end (more than ten spans of the others away)."""
    while len(ordered) > 3 and ordered[-1] - ordered[-2] > 10 * max(ordered[-2] - ordered[0], 1000):
        ordered = ordered[:-1]
    while len(ordered) > 3 and ordered[1] - ordered[0] > 10 * max(ordered[-1] - ordered[1], 1000):
        ordered = ordered[1:]
    return ordered


def _tick_step(span: float, most: float, style: TimeStyle) -> int:
    steps = _SECOND_STEPS if style.in_seconds else _CLOCK_STEPS
    room = most if style.in_seconds else most / 1.6
    return next((s for s in steps if span / s <= room), int(span / room))


def _axis(low: int, high: int, step: int, style: TimeStyle) -> Axis:
    ticks = _ticks(low, high, step, style)
    whole = not style.in_seconds or all(t % 1000 == 0 for t in ticks)
    labels = [style.tick(t) if whole else style.short(t) for t in ticks]
    return Axis(low, high, [float(t) for t in ticks], _with_names(ticks, _short_of_dates(labels), style))


def _ticks(low: int, high: int, step: int, style: TimeStyle) -> list[int]:
    """Full steps of the clock; where it is changed they begin anew."""
    clocks = style.format.clocks
    if len(clocks) < 2:
        shift = 0 if style.in_seconds else _zone_shift(low, style)
        return list(range(-((-(low + shift)) // step) * step - shift, int(high) + 1, step))
    ticks: list[int] = []
    for number, clock in enumerate(clocks):
        since = max(low, clock.since) if number else low
        until = min(int(high) + 1, clocks[number + 1].since) if number + 1 < len(clocks) else int(high) + 1
        ticks += range(-((-(since + clock.offset)) // step) * step - clock.offset, until, step)
    return ticks


def _with_names(ticks: list[int], labels: list[str], style: TimeStyle) -> list[str]:
    """Where the clock is changed, the first label of each time has its name: ``01:00 PST``."""
    told, named = "", []
    for tick, label in zip(ticks, labels, strict=True):
        name = style.format.name_at(tick)
        named.append(f"{label} {name}" if name != told else label)
        told = name
    return named


def _short_of_dates(labels: list[str]) -> list[str]:
    """Where labels have dates: the date at midnight, elsewhere the time of day; a date that no midnight tells stays."""
    told, short = "", []
    for label in labels:
        day, _, time = label.rpartition(" ")
        dated = bool(day) and ":" in time
        short.append(label if not dated else day if time == "00:00" else time if day == told else label)
        told = day
    return short


def _zone_shift(ms: int, style: TimeStyle) -> int:
    """How far (ms) the zone's clock is ahead of UTC, so that ticks fall on its full hours."""
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
        offset = moment.astimezone(style.format.zone).utcoffset()
    except (OverflowError, ValueError):  # beyond the years of a calendar
        return 0
    return int(offset.total_seconds() * 1000) if offset else 0


def as_signals(prefix: str, axis: Axis) -> dict[str, Any]:
    """The axis as the chart's signals ``x0``, ``x1``, ``x_ticks``, ``x_labels`` (or ``y…``)."""
    return {
        f"{prefix}0": axis.low,
        f"{prefix}1": axis.high,
        f"{prefix}_ticks": axis.ticks,
        f"{prefix}_labels": axis.labels,
    }
