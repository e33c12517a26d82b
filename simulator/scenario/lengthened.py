"""A scenario with another number of records. In place of a written stream one is made that suits the scenario.

It goes by the longest time that the operator compares: its *length*. So many records arrive within it that windows
fill and sessions end, most of them out of order by no more than the watermarks allow for, some by more, and some so
late that they are dropped. A fifth seeks the operator's borders (``simulator.scenario.stream``). Inputs, channels,
the range of the values and the operator are those of the file; so is the end of input, without which a stream that
sends no watermarks would have no results.

What only a written stream has is replaced. Watermarks written by hand: a generator that lags behind the records as much
as they do. Statuses: an idle timeout. Times of the clock: the arrivals of the records. Checkpoints and restores, ends
of versions, and values with a gap in them are written out between the records, where they were: such streams are lists
again, and cannot be longer than a list.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from tidemark.simulator.engine.values.items import (
    DELETE,
    BatchEnd,
    Checkpoint,
    End,
    Item,
    Record,
    Restore,
    Status,
    Watermark,
)
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.limits import SCENARIO_ITEMS
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.checks import triggers
from tidemark.simulator.scenario.stream import arrivals_of, borders_of, items, tick_interval

SEED: Final = 1
KEYS: Final = 16
"""The fewest keys: a sample of one key in four finds some."""

RECORDS_OF_A_KEY: Final = 2
"""Records of a key within the length. Between two of them the length is exceeded one time in seven."""

ARRIVALS_IN_A_TIMEOUT: Final = 6
"""Records of all channels within an idle timeout: one of two channels is then idle now and then."""

TICKS_BETWEEN_RECORDS: Final = 1000
"""Ticks of a generator from one record to the next, at most: each of them takes its time."""

LATE_MILLIONTHS: Final = 50_000
BORDER_MILLIONTHS: Final = 200_000

BATCHES: Final = 40
"""Micro-batches of a stream by Spark's rules, at most, unless each would have fewer records than in the file."""

VALUES: Final = 9
"""Values, at least: where all are equal, no change of one shows."""

ENDS_A_VERSION: Final = 4
"""One version in so many is ended, where the file ends any."""


def with_events(scenario: model.Scenario, events: int) -> model.Scenario:
    """The scenario with that many records (>= 0); those of a generated stream are continued, those of a list replaced.

    Raises ``ValueError`` for a stream in a file, which has the records that it has, and for one that would be a list
    (``is_written_out``) of more than ``SCENARIO_ITEMS`` records.
    """
    stream = scenario.stream
    if isinstance(stream, model.Generated):
        return replace(scenario, stream=replace(stream, events=events))
    if isinstance(stream, model.Data):
        raise ValueError(f"{stream.path}: records of a file cannot be replaced")
    found = _Found(scenario, stream)
    # What was promised of the records in the file does not hold for others.
    made = replace(
        scenario, inputs=found.inputs(), origin=found.origin(), goals=(), walkthrough=(), stream=found.generated(events)
    )
    if not is_written_out(scenario):
        return made
    if events > SCENARIO_ITEMS:
        raise ValueError(f"{scenario.name}: {events} records cannot be written out")
    return replace(made, stream=tuple(found.written_out(made)))


def is_written_out(scenario: model.Scenario) -> bool:
    """Whether a list of other records in place of the scenario's own has what no generator makes."""
    if not isinstance(scenario.stream, tuple):
        return False
    has_gaps = isinstance(scenario.operator.assigner, model.DynamicSession)
    return has_gaps or any(
        isinstance(item, Restore) or (isinstance(item, Record) and item.op == DELETE) for item in scenario.stream
    )


class _Found:
    """What the written stream of a scenario is like."""

    def __init__(self, scenario: model.Scenario, stream: tuple[Item, ...]) -> None:
        self._scenario, self._stream, self._operator = scenario, stream, scenario.operator
        self._records = [item for item in stream if isinstance(item, Record)]
        self._times = sorted({record.ts for record in self._records if record.ts is not None})
        self._length = max(self._longest(), 1)
        # A channel is found idle up to two ticks after its timeout.
        specs = [each.watermark for each in scenario.inputs]
        timeouts = [each.idle_timeout + 2 * tick_interval(each) for each in specs if each.idle_timeout]
        self._keys = max(KEYS, len({record.key for record in self._records}))
        self._every = max(2, self._length // (self._keys * RECORDS_OF_A_KEY))
        if timeouts:
            self._every = max(2, max(timeouts) // ARRIVALS_IN_A_TIMEOUT)
        ticks = [interval for each in specs if (interval := tick_interval(each))]
        self._every = min([self._every, *(TICKS_BETWEEN_RECORDS * each for each in ticks)])

    def _longest(self) -> int:
        """The length (ms)."""
        operator = self._operator
        match operator.assigner:
            case model.Tumbling(length) | model.Sliding(length) | model.Cumulative(length) | model.Session(length):
                return length
            case model.DynamicSession():
                return self._values()[1]
            case _:
                pass
        if operator.written_bounds is not None:
            lower, upper = operator.written_bounds
            return max(upper - lower, abs(lower), abs(upper))
        if operator.reach:
            return operator.reach
        every = [getattr(each, "interval", 0) or getattr(each, "timeout", 0) for each, _ in triggers(operator)]
        gaps = sorted(later - earlier for earlier, later in zip(self._times, self._times[1:], strict=False))
        return max(every, default=0) or (gaps[len(gaps) // 2] if gaps else 1000)

    def inputs(self) -> tuple[model.InputSpec, ...]:
        """The inputs. If watermarks are written by hand, those without a generator get one."""
        by_hand = any(isinstance(item, Watermark) for item in self._stream)
        timeout = ARRIVALS_IN_A_TIMEOUT * self._every if any(isinstance(item, Status) for item in self._stream) else 0
        inputs = []
        for each in self._scenario.inputs:
            spec = each.watermark
            if by_hand and not spec.makes_watermarks:
                kind = model.SqlWatermark if self._is_of_sql() else model.BoundedOutOfOrderness
                spec = kind(self._lag(each.name), idle_timeout=timeout)
            elif timeout and not spec.idle_timeout and not isinstance(spec, model.NoWatermarks):
                spec = replace(spec, idle_timeout=timeout)
            inputs.append(replace(each, watermark=spec))
        return tuple(inputs)

    def _is_of_sql(self) -> bool:
        return self._operator.in_sql

    def _lag(self, name: str) -> int:
        """By how much (ms) the watermarks of an input are behind its records, at most; never more than the length."""
        lag = highest = 0
        for item in self._stream:
            if isinstance(item, Record | Watermark) and item.input == name and item.ts is not None:
                highest = max(highest, item.ts) if isinstance(item, Record) else highest
                lag = max(lag, highest - item.ts) if isinstance(item, Watermark) else lag
        return min(lag, self._length)

    def origin(self) -> int:
        """Where the clock starts: at the first arrival that is written, or else at the first timestamp."""
        arrivals = [item.at for item in self._stream if item.at is not None]
        return min(arrivals or self._times or [self._scenario.origin])

    def _values(self) -> tuple[int, int]:
        values = [record.value for record in self._records]
        if isinstance(assigner := self._operator.assigner, model.DynamicSession):
            values = [value[assigner.gap_field] for value in values]
            return min(values, default=1), max(values, default=1000)
        numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
        lowest = int(min(numbers, default=1))
        return lowest, max(min(lowest + VALUES - 1, MAX), int(max(numbers, default=1)))

    def generated(self, events: int) -> model.Generated:
        """The records, of which there are ``events``."""
        inputs = self.inputs()
        bound = max(each.delay or each.watermark.bound for each in inputs)
        lateness = min(self._operator.allowed_lateness, 4 * self._length)
        batch = self._batch(events)
        stream = model.Generated(
            events,
            SEED,
            self._keys,
            self._every,
            disorder=bound + max(self._length // 4, 1),
            late_millionths=LATE_MILLIONTHS,
            late_by=bound + lateness + self._length + 2 * (batch or 0) * self._every,
            values=self._values(),
            end=self._ends(inputs),
            batch_every=batch,
            border_millionths=BORDER_MILLIONTHS,
        )
        seeks = borders_of(self._operator, inputs, stream) is not None
        if seeks or not arrivals_of(self._operator, inputs, stream, self.origin()).are_steady:
            return stream
        return replace(stream, border_millionths=0)

    def _batch(self, events: int) -> int | None:
        """The records of a micro-batch; None by Flink's rules."""
        if self._scenario.engine == "flink":
            return None
        batches = sum(isinstance(item, BatchEnd) for item in self._stream) + 1
        return max(-(-len(self._records) // batches), -(-events // BATCHES), 1)

    def _ends(self, inputs: tuple[model.InputSpec, ...]) -> bool:
        """Whether the input ends: as in the file, and where no watermark is sent, so that there are results at all."""
        by_end = getattr(self._operator.assigner, "ends", True)
        silent = self._scenario.engine == "flink" and not any(each.watermark.makes_watermarks for each in inputs)
        return (silent and by_end) or any(isinstance(item, End) for item in self._stream)

    def written_out(self, made: model.Scenario) -> Iterator[Item]:
        """The items of ``made``, with what no generator makes among them."""
        assert isinstance(made.stream, model.Generated)
        places = self._places(made.stream.events)
        ends_versions = any(record.op == DELETE for record in self._records)
        assigner = self._operator.assigner
        for number, item in enumerate(items(made)):
            yield from places.get(number, ())
            if isinstance(item, Record):
                if isinstance(assigner, model.DynamicSession):
                    item = item._replace(value={assigner.gap_field: item.value})
                elif ends_versions and item.input == "right" and number % ENDS_A_VERSION == 0:
                    item = item._replace(op=DELETE, value=None)
            yield item

    def _places(self, events: int) -> dict[int, list[Item]]:
        """The checkpoints and restores, by the number of the record before which they are; records follow each."""
        places: dict[int, list[Item]] = {}
        before = 0
        for item in self._stream:
            if isinstance(item, Record):
                before += 1
            elif isinstance(item, Checkpoint | Restore):
                places.setdefault(before * events // (len(self._records) + 1), []).append(replace(item, at=None))
        return places
