"""The records of a cut: those that decided, and then as few of them as still show the same.

A pool of records is taken from the whole stream, from rich (the whole window, what else was dropped) to poor (the
record and what decided). The simulator runs a pool in which the value of a record is its number in the pool, so that
each row says which records made it; what does not change the promised rows is left out (``explore.smallest``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator import Trace
from tidemark.simulator.engine.trace.events import RecordArrived
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.explore.smallest import shrink
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    EventTimeTrigger,
    Function,
    InputSpec,
    Scenario,
    Tumbling,
    Window,
)
from tidemark.spark_bridge.cut.around import CutFails
from tidemark.spark_bridge.cut.case import MOST_INSIDE, Case
from tidemark.spark_bridge.cut.rules import Fate, Maxima, Rules, StreamRecord, holder, levels_of
from tidemark.spark_bridge.cut.whole import Whole

FEW_CHANNELS: Final = 3
"""A stream of so many channels keeps them all; of more only those stay that matter."""

WHOLE_WINDOW: Final = 6
"""A window of at most so many records is kept whole, so that its result is that of the whole stream."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates in order, and what must stay: ``together`` in the first result of the window, all of ``must``."""

    records: tuple[StreamRecord, ...]
    together: frozenset[StreamRecord]
    must: frozenset[StreamRecord]
    result: bool
    """Whether the window's first result must be there, at the watermark of the whole stream."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The records of a cut, in order, and the numbers in the whole stream of the ``channels`` that are left."""

    records: tuple[StreamRecord, ...]
    channels: tuple[int, ...]


def choose(whole: Whole, case: Case, most: int) -> Chosen:
    """At most ``most`` records that show ``case``. Raises ``CutFails`` if so few cannot."""
    least = None
    for pool in _pools(case, most):
        chosen = _fewest(whole, case, pool)
        if chosen is not None and len(chosen.records) <= most:
            return chosen
        if chosen is not None:
            least = len(chosen.records)
    raise CutFails("too_few", most=most, least=least) if least is not None else CutFails("not_alike")


def operator_of(rules: Rules, function: Function) -> Window:
    """The operator by which a cut runs."""
    assigner = Tumbling(rules.size)
    return Window(assigner, EventTimeTrigger(), function, allowed_lateness=rules.lateness)


def input_of(rules: Rules, channels: int) -> InputSpec:
    return InputSpec("events", channels, BoundedOutOfOrderness(rules.bound))


def _pools(case: Case, most: int) -> Iterator[Pool]:
    """From rich to poor."""
    inside = case.on_time if case.fires else []
    if case.record is None or case.fate is Fate.IN_TIME:  # the window is what is shown
        first = (case.in_question,)
        rest = [each for each in case.on_time if each not in first]
        whole = most if case.record is None else WHOLE_WINDOW
        everything = len(rest) if len(case.on_time) <= min(whole, MOST_INSIDE - 1) else 0
        for part in dict.fromkeys((everything, min(3, len(rest)), 0)):
            yield _pool(case, (*first, *rest[:part]), case.also)
        yield _pool(case, first, ())
        return
    if inside:
        if len(inside) <= WHOLE_WINDOW:
            yield _pool(case, tuple(inside), case.also)
        yield _pool(case, tuple(inside[:1]), case.also)
        yield _pool(case, tuple(inside[:1]), case.also[: most // 3])
    yield _pool(case, (), case.also)
    yield _pool(case, (), ())


def _pool(case: Case, together: Sequence[StreamRecord], also: Sequence[StreamRecord]) -> Pool:
    shown = () if case.record is None else (case.record,)
    culprit = () if case.culprit is None else (case.culprit,)
    decider = () if case.decider is None else (case.decider,)
    must = frozenset({*shown, *also, *together, *case.beside, *culprit, *decider})
    found = {*must, *(case.arrival or {}).values()}
    result = bool(together) and case.fires
    if result:
        assert case.fired is not None
        found.update(case.fired.values())
    elif case.record is None or case.fate is Fate.IN_TIME:
        found.update(case.end.values())
        found.update(() if case.fired is None else case.fired.values())
    return Pool(tuple(sorted(found)), frozenset(together), must, result)


def _channels(case: Case, pool: Pool) -> tuple[int, ...]:
    channels = case.rules.channels
    if channels <= FEW_CHANNELS:
        return tuple(range(channels))
    decisive = {record.channel for record in pool.must}
    moments: list[Maxima | None] = [case.arrival, case.fired if pool.result else case.end]
    decisive |= {holder(maxima, channels) for maxima in moments if maxima is not None}
    return tuple(sorted(decisive))


def _fewest(whole: Whole, case: Case, pool: Pool) -> Chosen | None:
    """The fewest records of ``pool`` that show ``case``; None if not even all of them do."""
    channels = _channels(case, pool)
    records = [record for record in pool.records if record.channel in channels]
    before = whole.levels([record.place for record in records])
    fates = [
        case.rules.fate(record.ts, case.rules.watermark(levels)) for record, levels in zip(records, before, strict=True)
    ]
    promise = _Promise(case, pool, records, fates)
    scenario = Scenario(
        "cut",
        operator_of(case.rules, Function("process", "collect")),
        tuple(
            Record(record.key, record.ts, number, channel=channels.index(record.channel))
            for number, record in enumerate(records)
        ),
        (input_of(case.rules, len(channels)),),
    )
    found = shrink(scenario, promise.kept)
    return None if found is None else Chosen(tuple(records[number] for number in found.kept), channels)


@dataclass(frozen=True, slots=True)
class _Promise:
    """What a run of a part of the pool must have in common with the whole stream."""

    case: Case
    pool: Pool
    records: Sequence[StreamRecord]
    fates: Sequence[Fate]

    def kept(self, rows: Sequence[Mapping[str, Any]], trace: Trace) -> bool:
        """Every record fares as in the whole stream, and what is shown comes at the same watermark."""
        case, rules = self.case, self.case.rules
        arrived: set[StreamRecord] = set()
        for step in trace:
            if not isinstance(step.event, RecordArrived):
                continue
            record = self.records[step.event.value]
            arrived.add(record)
            if rules.fate(record.ts, step.watermark) is not self.fates[step.event.value]:
                return False
            if record == case.record and step.watermark != rules.watermark(levels_of(case.arrival or {})):
                return False
        if not self.pool.must <= arrived:
            return False
        results = [row for row in rows if row["row"] == "pane" and self._is_own(row)]
        if self.pool.result:
            return bool(results) and self._is_first(results[0])
        if case.record is None or case.fate is Fate.IN_TIME:  # it has not fired, and never will
            marks = [row["ts"] for row in rows if row["row"] == "watermark"]
            return not results and (marks[-1] if marks else None) == rules.watermark(levels_of(case.end))
        return True

    def _is_own(self, row: Mapping[str, Any]) -> bool:
        window = self.case.window
        return bool(row["key"] == self.case.key and row["start"] == window.start and row["end"] == window.end)

    def _is_first(self, row: Mapping[str, Any]) -> bool:
        assert self.case.fired is not None
        within = {self.records[number] for number in row["value"]}
        at = self.case.rules.watermark(levels_of(self.case.fired))
        return bool(row["timing"] == "on-time" and row["watermark"] == at and self.pool.together <= within)
