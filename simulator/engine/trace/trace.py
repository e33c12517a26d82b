"""The trace: micro-steps in order, each an event with the item, clock and watermark at which it happened."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import count, islice
from typing import Any, NamedTuple

from tidemark.simulator.engine.trace.events import ClockAdvanced, Rule, TraceEvent
from tidemark.simulator.engine.values.items import BooleanKey, Element
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.engine.values.window import GlobalWindow, SideNamespace, TimeWindow


class Step(NamedTuple):
    """One micro-step. ``watermark`` (ms) is the operator's own, None before the first; ``at`` is the clock (ms)."""

    step: int
    item: int
    at: int
    watermark: int | None
    event: TraceEvent


class TraceTooLong(Exception):
    """The run has more micro-steps than the trace may keep."""


class Trace:
    """Collects the events of one run. The engine keeps ``item``, ``at`` and ``watermark`` up to date.

    Moves of the clock between which nothing happens (ticks that emit nothing) become one ``ClockAdvanced``. With
    ``on_step`` every step goes there and none is kept, so that a long run needs little memory. Beyond ``limit`` steps
    ``add`` raises ``TraceTooLong``.
    """

    def __init__(self, at: int = 0, on_step: Callable[[Step], None] | None = None, limit: int | None = None) -> None:
        self._on_step = on_step
        self._number = 0
        # What happened, as it happened: item, clock, watermark and event, again and again. A step is made when somebody
        # looks: most of a long run is never looked at, and one list takes less time than a tuple for each step.
        self._happened: list[Any] = []
        self._made: list[Step] = []
        self._limit = limit
        self.item = 0
        self.at = at
        self.watermark = MIN
        self._clock_was: int | None = None

    @property
    def steps(self) -> list[Step]:
        """All steps so far."""
        made, happened = self._made, self._happened
        begin = len(made)
        if 4 * begin < len(happened):
            made += map(_step, count(begin), *(islice(happened, 4 * begin + column, None, 4) for column in range(4)))
        return made

    def add(self, event: TraceEvent) -> None:
        """Append ``event`` as the next micro-step."""
        if self._clock_was is not None:
            self.settle_clock()
        if self._number == self._limit:
            raise TraceTooLong
        if self._on_step is None:
            self._happened += (self.item, self.at, self.watermark, event)
        else:
            self._on_step(_step(self._number, self.item, self.at, self.watermark, event))
        self._number += 1

    def move_clock(self, to: int) -> None:
        """Note that the clock is at ``to`` (ms); the step is added before the next event, or by ``settle_clock``."""
        if self._clock_was is None:
            self._clock_was = self.at
        self.at = to

    def settle_clock(self) -> None:
        """Add the step for a move of the clock that has none yet."""
        before, self._clock_was = self._clock_was, None
        if before is not None and before != self.at:
            self.add(ClockAdvanced("ProcessingTimeService.advance_to", before, self.at))

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return self._number


def _step(number: int, item: int, at: int, watermark: int, event: TraceEvent) -> Step:
    return Step(number, item, at, None if watermark == MIN else watermark, event)


def event_fields(event: TraceEvent) -> dict[str, Any]:
    """The event's own members by name, as in JSON: ``place`` first, a window as ``start`` and ``end``."""
    members: dict[str, Any] = {}
    for field in fields(event):
        value = getattr(event, field.name)
        if isinstance(value, SideNamespace):
            members["start"], members["end"], members["side"] = None, None, value.side
        elif field.name in ("window", "namespace"):
            members["start"], members["end"] = (None, None) if value is None else (value.start, value.end)
        else:
            members[field.name] = plain(value)
    return members


def plain(value: Any) -> Any:
    """``value`` as in JSON: a window is ``[start, end]``, a rule an object, a key what was written."""
    match value:
        case TimeWindow() | GlobalWindow():
            return [value.start, value.end]
        case Rule():
            return {
                "name": value.name,
                "formula": value.formula,
                "numbers": dict(value.numbers),
                "holds": value.holds,
            }
        case Element():
            return value._asdict()
        case BooleanKey():
            return value.value
        case tuple() | list():
            return [plain(each) for each in value]
        case dict():
            return {name: plain(each) for name, each in value.items()}
        case _:
            return value


def step_as_json(step: Step) -> dict[str, Any]:
    """The step as ``python -m simulator trace`` prints it."""
    return {
        "step": step.step,
        "event": type(step.event).__name__,
        "item": step.item,
        "at": step.at,
        "watermark": step.watermark,
        **event_fields(step.event),
    }
