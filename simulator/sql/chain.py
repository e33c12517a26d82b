"""A query as a chain of stages, run one after another: what one emits are the records of the next.

Theory of operation. Every stage is a scenario by itself. Its records are rows of the tables of the text, in the order
in which they arrive, and what the stages before it emitted, each row at the arrival that brought it and before the
watermark that follows it. Nothing ever flows back, so the stages can run one by one, and each of them does what it does
in one job. A row of a window has the last instant of the window as its time.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.values.duration import format_duration, format_instant
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import FILTERED, Record
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.scenario import read_text
from tidemark.simulator.scenario.editing.text import Plain
from tidemark.simulator.scenario.emissions import LOST, Emission, emissions
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.aggregate_functions import compiled_aggregate, revocable, several
from tidemark.simulator.sql.continuous import Pairs, Sorted, TopN, revocable_updates, updates
from tidemark.simulator.sql.emitted import Emitted, Struct, column_value, in_windows, length_of, relation_value
from tidemark.simulator.sql.expressions import CLOCK, Failure
from tidemark.simulator.sql.reading import ENDS, UNASSIGNED, Input, Relation, Stage
from tidemark.simulator.sql.records import Arrival
from tidemark.simulator.sql.tables import Settings, Table
from tidemark.simulator.sql.times import time_text
from tidemark.simulator.sql.unions import Branches, need_windows
from tidemark.simulator.sql.writing import PASSES, scenario_text


class Event(NamedTuple):
    """A row at the arrival ``seq``, or without ``row`` a watermark. ``ts`` and ``at`` in ms; ``op`` as Flink writes it;
    ``channel``: of a union; ``passes``: whether the filter of its branch lets it through."""

    seq: int
    ts: int | None
    row: Struct | None
    op: str = "+I"
    at: int | None = None
    channel: int = 0
    passes: bool = True


@dataclass(frozen=True)
class _Stream:
    """``items`` of a stage; ``seqs``: the arrival of each; ``filtered``: inputs of which some rows do not pass."""

    items: list[dict[str, Any]]
    seqs: list[int]
    filtered: frozenset[str]


class JobFailed(Exception):
    """Flink's job ends with an exception at this row; ``str`` says why."""


class Chain:
    """The stages of a query over ``arrivals``, the rows of each table of the text. ``settings`` are the session's.

    ``joined``: tables that a join reads, whose rows come by event time where nothing says when they arrive: which of
    them would be late there depends on the other table. ``late``: how many rows the stages that have run dropped.
    """

    def __init__(
        self, arrivals: Mapping[str, Sequence[Arrival]], settings: Settings, joined: Container[str] = ()
    ) -> None:
        clocked = all(each.at is not None for rows in arrivals.values() for each in rows)
        every: list[tuple[str, Arrival]] = []
        come: list[int] = []
        for table, rows in arrivals.items():
            if table in joined and not clocked and len(arrivals) > 1:
                rows = sorted(rows, key=lambda each: each.ts or 0)
            come += accumulate(((each.at if clocked else each.ts) or 0 for each in rows), max)
            every += [(table, each) for each in rows]
        if len(arrivals) > 1:
            every = [every[place] for place in sorted(range(len(every)), key=come.__getitem__)]
        self.end = len(every)
        self._of_tables: dict[str, list[Event]] = {table: [] for table in arrivals}
        for seq, (table, each) in enumerate(every):
            self._of_tables[table].append(Event(seq, each.ts, each.row, at=each.at))
        self._settings = settings
        self._of_stages: dict[int, list[Event]] = {}
        self.late = 0

    def events(self, table: Table) -> list[Event]:
        """The rows of ``table``, and the watermarks where a stage emits them. Raises ``JobFailed``."""
        stage = table.stage
        if stage is None:
            return self._of_tables[table.name]
        if isinstance(stage, Branches):
            return self._united(table, stage)
        if id(stage) not in self._of_stages:
            run = {"updates": self._updates, "pairs": self._pairs, "sort": self._sorted, "top-n": self._ranked}
            of = run.get(stage.operator["type"], self._run)
            self._of_stages[id(stage)] = list(of(table, stage))
        return self._of_stages[id(stage)]

    def count(self, table: Table) -> int:
        """How many rows ``table`` has. Raises ``JobFailed``."""
        return sum(event.row is not None for event in self.events(table))

    def rows(self, relation: Relation) -> Iterator[Event]:
        """The rows of ``relation``, each with the columns that the query names. Raises ``JobFailed``."""
        table = relation.table
        passes = [relation_value(table, each) for each in relation.where]
        columns = [(name, _output(table, of)) for name, of in relation.columns.items()]
        need_windows(relation)
        for event in self.events(table):
            if event.row is None or not event.passes:
                continue
            try:
                if all(each(event.row) is True for each in passes):
                    for _, row in in_windows(relation, event.ts, event.row):
                        seen = {**row, CLOCK: event.at}
                        yield event._replace(row={name: value(seen) for name, value in columns})
            except Failure as failure:
                raise JobFailed(str(failure)) from None

    def scenario(self, stage: Stage, name: str, comment: Sequence[str] = ()) -> str:
        """The text of the scenario that ``stage`` is, with its records."""
        stream = self._stream(stage)
        return scenario_text(stage, name, self._settings, stream.items, comment, stream.filtered)

    def items(self, table: Table, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
        """The rows of a table of the text as items of a scenario without keys, each with the number of its arrival."""
        clocked = self._clocked
        for event in self._of_tables[table.name]:
            at = {"at": instant(event.at)} if clocked and event.at is not None else {}
            value = {each: (event.row or {}).get(each) for each in columns}
            yield event.seq, {**at, "ts": instant(event.ts or 0), "value": value}

    @property
    def _clocked(self) -> bool:
        return all(event.at is not None for rows in self._of_tables.values() for event in rows)

    def _united(self, table: Table, branches: Branches) -> list[Event]:
        found = []
        for channel, relation in enumerate(branches.relations):
            of = relation.table
            passes = [relation_value(of, each) for each in relation.where]
            columns = [
                (name, _output(of, column))
                for name, column in zip(table.columns, relation.columns.values(), strict=False)
                if name in table.values
            ]
            for event in self._with_watermarks(of) if branches.sends_watermarks else self.events(of):
                if event.row is None:
                    found.append(event._replace(channel=channel))
                    continue
                row = event.row
                kept = event.passes and all(each(row) is True for each in passes)
                for ts, row in in_windows(relation, event.ts, event.row):
                    struct = {name: value(row) for name, value in columns}
                    found.append(event._replace(row=struct, ts=ts, channel=channel, passes=kept))
        return sorted(found, key=lambda event: event.seq)

    def _with_watermarks(self, table: Table) -> Iterator[Event]:
        """The events of ``table``, with those that the generator of a table of the text sends after each record."""
        sent = 0
        for event in self.events(table):
            yield event
            if table.stage is None and event.ts is not None and event.ts - table.bound > sent:
                sent = event.ts - table.bound
                yield Event(event.seq, sent, None, at=event.at)

    def _rows_of(self, input: Input, name: str = "events") -> Iterator[Event]:
        """The rows of an input that its filter lets through."""
        passes = [relation_value(input.table, each) for each in input.where]
        for event in self.events(input.table):
            if event.row is not None and event.passes and all(each(event.row) is True for each in passes):
                yield event

    def _updates(self, table: Table, stage: Stage) -> Iterator[Event]:
        (input,) = stage.inputs.values()
        of = input.table
        parts = {name: compiled_aggregate(call, of.values, of.zone) for name, call in stage.aggregates.items()}
        keys = [column_value(of, each) for each in input.keys]
        events = list(self._rows_of(input))

        def key_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
            return tuple(each(row) for each in keys)

        rows = [{name: (event.row or {}).get(name) for name in input.needed()} for event in events]
        if of.changelog:
            ops = (event.op for event in events)
            changes = revocable_updates(zip(ops, rows, strict=True), key_of, revocable(parts))
        else:
            changes = updates(rows, key_of, several(parts)[0])
        for event, each in zip(events, changes, strict=True):
            for op, key, result in each:
                yield Event(event.seq, None, {**dict(zip(input.keys, key, strict=True)), **result}, op, event.at)

    def _pairs(self, table: Table, stage: Stage) -> Iterator[Event]:
        pairs = Pairs()
        sides = {}
        for side, input in stage.inputs.items():
            of = input.table
            columns = {name: column_value(of, each) for each, name in stage.sides[side].items() if each in of.values}
            sides[side] = columns, [column_value(of, each) for each in input.keys]
        every = [(event, side) for side, input in stage.inputs.items() for event in self._rows_of(input)]
        for event, side in sorted(every, key=lambda each: each[0].seq):
            row, (columns, keys) = event.row or {}, sides[side]
            own = {name: value(row) for name, value in columns.items()}
            for other in pairs.partners(side, tuple(each(row) for each in keys), own):
                yield Event(event.seq, None, {**own, **other}, at=event.at)

    def _ranked(self, table: Table, stage: Stage) -> Iterator[Event]:
        (input,) = stage.inputs.values()
        of, operator = input.table, stage.operator
        keys = [column_value(of, each) for each in input.keys]
        columns = {name: column_value(of, name) for name in table.columns if name in of.values}
        order = [_rank(of, key) for key in stage.order]
        descending = [key.descending for key in stage.order]
        top = TopN(descending, operator["first"], operator["last"], numbered=operator["numbered"])
        for event in self._rows_of(input):
            row = event.row or {}
            changes = top.add(
                tuple(key(row) for key in keys),
                [each(row) for each in order],
                {name: value(row) for name, value in columns.items()},
            )
            for op, each, number in changes:
                yield Event(event.seq, None, {**each, operator["rank"]: number}, op, event.at)

    def _sorted(self, table: Table, stage: Stage) -> Iterator[Event]:
        (input,) = stage.inputs.values()
        of = input.table
        passes = [relation_value(of, each) for each in input.where]
        columns = {name: column_value(of, name) for name in of.values}
        queue = Sorted([(_rank(table, key), key.descending) for key in stage.order[1:]])
        for event in (*self._with_watermarks(of), Event(self.end, MAX, None)):
            if event.row is None:
                yield from (Event(event.seq, ts, dict(row), at=event.at) for ts, row in queue.watermark(event.ts or 0))
                yield event
            elif event.passes and all(each(event.row) is True for each in passes):
                self.late += not queue.add(event.ts or 0, {name: value(event.row) for name, value in columns.items()})

    def _stream(self, stage: Stage) -> _Stream:
        several = len(stage.inputs) > 1
        clocked = self._clocked
        found: list[tuple[int, int, dict[str, Any]]] = []
        filtered: set[str] = set()
        for place, (name, input) in enumerate(stage.inputs.items()):
            needed = input.needed()
            passes = _passes(stage, name, input)
            for event in self.events(input.table):
                if event.row is None and event.ts == MAX:
                    continue  # the end of the stream brings it
                item: dict[str, Any] = {"in": Plain(name)} if several else {}
                if event.channel:
                    item["channel"] = event.channel
                if event.at is not None and (clocked or stage.processing):
                    item["at"] = instant(event.at)
                if event.row is None:
                    found.append((event.seq, place, {**item, "watermark": instant(event.ts or 0)}))
                    continue
                if not stage.processing:
                    item["ts"] = instant(event.ts or 0)
                if not input.keys:
                    item["key"] = "all"
                if event.op == "-D":
                    item["op"] = Plain("delete")
                item["value"] = {each: event.row.get(each) for each in needed}
                if not passes(event):
                    filtered.add(name)
                    item["value"][PASSES] = False
                found.append((event.seq, place, item))
        found.sort(key=lambda each: each[:2])
        ending = {"advance": Plain("365d")} if stage.processing else {"end": True}
        items, seqs = [item for _, _, item in found], [seq for seq, _, _ in found]
        return _Stream([*items, ending], [*seqs, self.end], frozenset(filtered))

    def _run(self, table: Table, stage: Stage) -> Iterator[Event]:
        stream = self._stream(stage)
        text = scenario_text(stage, "stage", self._settings, stream.items, (), stream.filtered)
        try:
            scenario, _ = read_text(text)
        except ScenarioError as error:
            raise syntax.SqlProblem("refused", table.place, why=error.problems[0].text) from None
        return self.rerun(table, stage, scenario, stream.seqs)

    def rerun(self, table: Table, stage: Stage, scenario: Scenario, seqs: Sequence[int]) -> Iterator[Event]:
        """What ``stage`` emits as the rows of ``table`` when ``scenario`` runs; ``seqs``: the arrival of each item."""
        keys: dict[tuple[str, Any], Struct] = {}
        for item in scenario.stream if isinstance(scenario.stream, tuple) else ():
            if isinstance(item, Record) and isinstance(item.value, dict):
                name = item.input if len(stage.inputs) > 1 else next(iter(stage.inputs))
                keys[name, item.key] = {each: item.value.get(each) for each in stage.inputs[name].keys}
        structs = Emitted(stage, table, keys)
        events = self._emitted(table, stage, emissions(scenario, seqs), structs)
        if stage.operator["type"] != "interval-join":
            return events
        records = [
            (seq, item) for seq, item in zip(seqs, scenario.stream, strict=False)
            if isinstance(item, Record) and item.op != FILTERED
        ] if isinstance(scenario.stream, tuple) else []  # fmt: skip
        return _padded(table, stage, records, events, structs)

    def _emitted(self, table: Table, stage: Stage, emitted: Iterator[Emission], structs: Emitted) -> Iterator[Event]:
        delay = _delay(stage)
        for each in emitted:
            row = each.row
            if row is None:
                if not each.status:
                    yield Event(each.seq, each.ts if each.ts == MAX else (each.ts or 0) - delay, None, at=each.at)
            elif row["row"] == "error":
                raise JobFailed(row["message"])
            elif row["row"] not in LOST:
                for ts, struct in structs.of(row):
                    yield Event(each.seq, ts, struct, row.get("change") or "+I", each.at)
            elif stage.never_late:
                raise syntax.SqlProblem("late_in_chain", table.place)
            else:
                self.late += 1


def _rank(table: Table, key: syntax.SortKey) -> Callable[[Mapping[str, Any]], Any]:
    """What sorts rows by ``key``: NULL is less than all others unless it says something else."""
    of, large = relation_value(table, key.by), key.nulls == ("FIRST" if key.descending else "LAST")

    def rank(row: Mapping[str, Any]) -> Any:
        value = of(row)
        return (value is None) == large, value

    return rank


def _passes(stage: Stage, name: str, input: Input) -> Callable[[Event], bool]:
    """Whether the operator sees a row. One that it does not see still moves the watermark: it is dropped by the filter
    of its branch of a union, is older than the newest version of its key, or has a NULL in the key of a join, where
    NULL equals nothing."""
    keys = [column_value(input.table, each) for each in input.keys] if len(stage.inputs) > 1 else []
    outer = not drops_null(stage, name)
    newest: dict[tuple[Any, ...], int] = {}

    def passes(event: Event) -> bool:
        if not event.passes or event.row is None:
            return event.passes
        row, ts = event.row, event.ts or 0
        key = tuple(each(row) for each in keys)
        if None in key and not outer:
            return False
        if input.newer_only:
            if ts < newest.get(key, ts):
                return False
            newest[key] = ts
        return True

    return passes


def drops_null(stage: Stage, name: str) -> bool:
    """Whether the operator sees no row of an input that has a NULL in its key."""
    outer = (name == "left" and stage.operator.get("kind") == "left") or stage.pairing is not None
    return len(stage.inputs) > 1 and not outer


def _delay(stage: Stage) -> int:
    """How far (ms) an interval join holds back its watermark (``KeyedCoProcessOperatorWithWatermarkDelay``)."""
    if stage.operator["type"] != "interval-join":
        return 0
    lower, upper = _bounds(stage)
    return max(-lower, upper, 0)


def _bounds(stage: Stage) -> tuple[int, int]:
    """The bounds of an interval join (ms, both inclusive)."""
    operator = stage.operator
    return (length_of(operator["lower"]) + operator.get("lower_exclusive", False),
            length_of(operator["upper"]) - operator.get("upper_exclusive", False))  # fmt: skip


def _padded(
    table: Table,
    stage: Stage,
    records: Sequence[tuple[int, Record]],
    events: Iterator[Event],
    structs: Emitted,
) -> Iterator[Event]:
    """``events`` of an interval join, and a row for each record of an outer side that leaves its state without a
    partner. Raises ``SqlProblem`` where Flink's SQL operator finds other pairs than the scenario's."""
    state, delay, next_record = IntervalState(*_bounds(stage)), _delay(stage), 0
    outer = {"left": ("left",), "right": ("right",), "full": ("left", "right")}
    sides = () if stage.pairing is None else outer[stage.pairing.kind]

    def rows(gone: Iterator[tuple[str, int]], seq: int, at: int | None) -> Iterator[Event]:
        for side, number in list(gone):
            record = records[number][1]
            if side in sides and not structs.has_partner(side, record):
                yield Event(seq, record.ts, structs.padded(side, record), "+I", at)

    for event in events:
        while next_record < len(records) and records[next_record][0] < event.seq + (event.row is None):
            seq, record = records[next_record]
            joins = None not in structs.key(record.input, record.key).values()
            gone = state.record(record.input, record.key, record.ts or 0, next_record, joins=joins)
            yield from rows(gone, seq, record.at)
            next_record += 1
        if event.row is None and event.ts is not None:
            watermark = event.ts if event.ts == MAX else event.ts + delay
            yield from rows(state.watermark(watermark), event.seq, event.at)
        yield event
    if state.pairs != structs.pairs:
        raise syntax.SqlProblem("late_in_chain", table.place)


def _output(table: Table, name: str) -> Callable[[Mapping[str, Any]], Any]:
    if name.startswith(UNASSIGNED) and name.removeprefix(UNASSIGNED) in ENDS:
        return lambda row: row[name]
    if table.columns[name].kind == "proctime":
        return lambda row: None if row[CLOCK] is None else time_text(row[CLOCK])
    return column_value(table, name, table.zone)


def instant(ms: int) -> Plain:
    """A time as a scenario has it: an instant where it is one of our days, else a length."""
    return Plain(format_instant(ms) if abs(ms) >= 10**11 else format_duration(ms) if ms else "0")


# When the rows of an interval join leave its state in Flink's SQL operator, which then gives those without a
# partner.
#
# Theory of operation. The scenario's interval join is that of the DataStream API: the same pairs, at the same
# moments, as long as no row is late. SQL's operator keeps rows in another way. Each side has one cleanup timer for a
# key, set for its earliest row (``table.exec.interval-join.min-cleanup-interval`` is 0); a row of the other side
# that searches a cache removes what has expired as well. Outer joins pad a row when it leaves.
#
# Source: ``TimeIntervalJoin`` and ``RowTimeIntervalJoin`` (Flink 2.3.0).

Key = tuple[Any, ...] | str | int | bool

OTHER: Final = {"left": "right", "right": "left"}


@dataclass
class _Cache:
    """One side. ``size``: how far (ms) behind a row's time its partners may be. ``expired``: rows at or before this
    time (ms) are none any more; of all keys, as in Flink. ``rows``: (ms, number) of each key; ``timers``: when (ms)
    each key is cleaned up."""

    size: int
    expired: int = 0
    rows: dict[Key, list[tuple[int, int]]] = field(default_factory=dict)
    timers: dict[Key, int] = field(default_factory=dict)


class IntervalState:
    """The state of a join with left + ``lower`` <= right <= left + ``upper`` (ms). ``pairs``: how many there were."""

    def __init__(self, lower: int, upper: int) -> None:
        self._caches = {"left": _Cache(upper), "right": _Cache(-lower)}
        self._time = 0
        self.pairs = 0

    def record(self, side: str, key: Key, ts: int, number: int, *, joins: bool) -> Iterator[tuple[str, int]]:
        """A row comes, which ``joins`` unless its key has a NULL. Gives the side and the number of each that leaves."""
        own, other = self._caches[side], self._caches[OTHER[side]]
        if other.expired < ts + own.size:
            other.expired = self._expiry(other)
            rows = other.rows.get(key, [])
            self.pairs += joins * sum(ts - other.size <= each <= ts + own.size for each, _ in rows)
            yield from self._remove(OTHER[side], key)
        if self._time < ts + own.size:
            own.rows.setdefault(key, []).append((ts, number))
            if key not in own.timers:
                own.timers[key] = ts + own.size + 1
        else:
            yield side, number

    def watermark(self, watermark: int) -> Iterator[tuple[str, int]]:
        """The watermark (ms) of both sides rises. Gives the side and the number of each row that leaves."""
        self._time = max(watermark, 0)
        while True:
            due = [(at, side, key) for side, each in self._caches.items() for key, at in each.timers.items()]
            due = [each for each in due if each[0] <= watermark]
            if not due:
                return
            _, side, key = min(due, key=lambda each: each[0])
            cache = self._caches[side]
            cache.expired = self._expiry(cache)
            yield from self._remove(side, key)
            earliest = min((ts for ts, _ in cache.rows.get(key, [])), default=0)
            if earliest > 0:
                cache.timers[key] = earliest + cache.size + 1
            else:
                del cache.timers[key]
                cache.rows.pop(key, None)

    def _expiry(self, cache: _Cache) -> int:
        return self._time - cache.size - 1 if self._time < MAX else MAX

    def _remove(self, side: str, key: Key) -> Iterator[tuple[str, int]]:
        cache = self._caches[side]
        rows = cache.rows.get(key, [])
        kept = [each for each in rows if each[0] > cache.expired]
        if len(kept) < len(rows):
            cache.rows[key] = kept
            yield from ((side, number) for ts, number in rows if ts <= cache.expired)
