"""A query as a chain of stages, run one after another: what one emits are the records of the next.

Theory of operation. Every stage is a scenario by itself. Its records are rows of the tables of the text, in the order
in which they arrive, and what the stages before it emitted, each row at the arrival that brought it and before the
watermark that follows it. Nothing ever flows back, so the stages can run one by one, and each of them does what it does
in one job. A row of a window has the last instant of the window as its time.
"""

import json
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from tidemark.simulator.engine.values.duration import format_duration, format_instant, parse_duration
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import FILTERED, Record
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.scenario import read_text
from tidemark.simulator.scenario.editing.text import Plain
from tidemark.simulator.scenario.emissions import LOST, Emission, emissions
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.aggregate_functions import compiled_aggregate, several
from tidemark.simulator.sql.continuous import Pairs, Sorted, updates
from tidemark.simulator.sql.expressions import CLOCK, Failure, compiled
from tidemark.simulator.sql.intervals import IntervalState
from tidemark.simulator.sql.reading import ENDS, UNASSIGNED, Input, Relation, Stage
from tidemark.simulator.sql.records import Arrival
from tidemark.simulator.sql.tables import Settings, Table
from tidemark.simulator.sql.times import in_zone, local_in, time_text
from tidemark.simulator.sql.types import plain
from tidemark.simulator.sql.unions import Branches, need_windows
from tidemark.simulator.sql.writing import PASSES, scenario_text

Struct = dict[str, Any]


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
            run = {"updates": self._updates, "pairs": self._pairs, "sort": self._sorted}
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
                    for _, row in _in_windows(relation, event):
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
                for ts, row in _in_windows(relation, event):
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
        rows = (event.row or {} for event in events)
        changes = updates(rows, lambda row: tuple(each(row) for each in keys), several(parts)[0])
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
        structs = _Emitted(stage, table, keys)
        events = self._emitted(table, stage, emissions(scenario, seqs), structs)
        if stage.operator["type"] != "interval-join":
            return events
        records = [
            (seq, item) for seq, item in zip(seqs, scenario.stream, strict=False)
            if isinstance(item, Record) and item.op != FILTERED
        ] if isinstance(scenario.stream, tuple) else []  # fmt: skip
        return _padded(table, stage, records, events, structs)

    def _emitted(self, table: Table, stage: Stage, emitted: Iterator[Emission], structs: "_Emitted") -> Iterator[Event]:
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
    return (_ms(operator["lower"]) + operator.get("lower_exclusive", False),
            _ms(operator["upper"]) - operator.get("upper_exclusive", False))  # fmt: skip


def _padded(
    table: Table,
    stage: Stage,
    records: Sequence[tuple[int, Record]],
    events: Iterator[Event],
    structs: "_Emitted",
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


def _ms(value: Any) -> int:
    return value if isinstance(value, int) else parse_duration(value) or 0


class _Emitted:
    """Rows of a run as rows of the table."""

    def __init__(self, stage: Stage, table: Table, keys: Mapping[tuple[str, Any], Struct]) -> None:
        self._stage, self._table, self._keys = stage, table, keys
        self._pairing = stage.pairing
        if self._pairing is not None:
            self._where = [relation_value(table, each) for each in self._pairing.where]
            self._equal = None if self._pairing.of is None else relation_value(table, self._pairing.of)
        self.pairs = 0
        self._with_partner: set[tuple[str, Any, int, str]] = set()
        self._rank = next((each for each in reversed(list(table.columns)) if each.startswith("row_number")), "")

    def of(self, row: Mapping[str, Any]) -> Iterator[tuple[int | None, Struct]]:
        """The time and the columns of each row of the table that ``row`` is."""
        if self._stage.rows:
            columns = self._stage.aggregates.keys()
            for values in zip(*(row["value"][each] for each in columns), strict=True):
                yield self._one({**row, "value": dict(zip(columns, values, strict=True))})
            return
        if row["row"] == "joined":
            yield from self._joined(row)
            return
        if row["row"] != "group":
            yield self._one(row)
            return
        ts = row["end"] - 1
        left, right = ([{"value": each} for each in row[side]] for side in ("left", "right"))
        for one, other in self._matched({**row, "timestamp": ts}, left, right):
            yield ts, self._pair({**row, "timestamp": ts, "left": one, "right": other})

    def _joined(self, row: Mapping[str, Any]) -> Iterator[tuple[int | None, Struct]]:
        struct = self._pair(row)
        if self._pairing is not None:
            if None in (each for side in ("left", "right") for each in self.key(side, row["key"]).values()):
                return
            if not all(each(struct) is True for each in self._where):
                self.pairs += 1
                return
            self._with_partner |= {_identity(side, row["key"], **row[side]) for side in ("left", "right")}
        self.pairs += 1
        yield self._time_of(row), struct

    def has_partner(self, side: str, record: Record) -> bool:
        """Whether a row has been emitted for ``record`` and a partner."""
        return _identity(side, record.key, record.ts or 0, record.value) in self._with_partner

    def padded(self, side: str, record: Record) -> Struct:
        """The row of ``record`` with NULL for the columns of the other side."""
        row = {"key": record.key, "start": None, "left": None, "right": None}
        return self._pair({**row, side: {"ts": record.ts, "value": record.value}})

    def _matched(
        self, row: Mapping[str, Any], left: list[Struct], right: list[Struct]
    ) -> Iterator[tuple[Struct | None, Struct | None]]:
        """The rows of both sides that the query puts together, and those without a partner where it wants them."""
        assert self._pairing is not None
        kind = self._pairing.kind
        key = [each for side in ("left", "right") for each in self.key(side, row["key"]).values()]

        def are_partners(one: Struct, other: Struct) -> bool:
            struct = self._pair({**row, "left": one, "right": other})
            if None in key or not all(each(struct) is True for each in self._where):
                return False
            return self._equal is None or self._equal(struct) is not False

        partners = [[other for other in right if are_partners(one, other)] for one in left]
        for one, others in zip(left, partners, strict=True):
            if kind in ("semi", "anti"):
                if bool(others) == (kind == "semi"):
                    yield one, None
                continue
            yield from ((one, other) for other in others)
            if not others and kind != "right":
                yield one, None
        if kind in ("right", "full"):
            for other in right:
                if not any(each is other for others in partners for each in others):
                    yield None, other

    def _one(self, row: Mapping[str, Any]) -> tuple[int | None, Struct]:
        match row["row"]:
            case "pane":
                ts = row["timestamp"]
                times = {**self._ends(row), "window_time": time_text(ts)}
                return ts, {**times, **self.key("events", row["key"]), **row["value"]}
            case _:
                struct = {**self.key("events", row["key"]), **(row.get("own") or {}), **row["value"]}
                if self._rank not in row["value"]:
                    struct[self._rank] = row.get("rank", 1)
                rowtime, ts = self._stage.inputs["events"].table.rowtime, row["ts"]
                if rowtime:
                    struct[rowtime] = time_text(ts)
                if row["row"] == "ranked" and rowtime != "window_time":
                    ts = row["end"] - 1
                    struct |= {**self._ends(row), "window_time": time_text(ts)}
                return ts, struct

    def key(self, input: str, key: Any) -> Struct:
        """The columns of a key."""
        return self._keys.get((input, key), {})

    def _ends(self, row: Mapping[str, Any]) -> Struct:
        # With a session time zone these are times of its clocks already.
        start, end, window = row["start"], row["end"], self._stage.window or {}
        if "slide" in window:
            start = end - _ms(window["size"])
        if "step" in window:
            start = _cumulation(window, end - 1)[0]
        return dict(zip(ENDS, map(time_text, (start, end)), strict=False))

    def _time_of(self, row: Mapping[str, Any]) -> int | None:
        """The time of a pair: that of the one column that stays its time attribute, not of its newer record."""
        for side, names in self._stage.sides.items():
            rowtime = self._stage.inputs[side].table.rowtime
            if rowtime is not None and names.get(rowtime) == self._table.rowtime and row["start"] is None:
                return None if row[side] is None else int(row[side]["ts"])
        return int(row["timestamp"])

    def _pair(self, row: Mapping[str, Any]) -> Struct:
        found: Struct = {}
        for side, names in self._stage.sides.items():
            record = row[side]
            struct: Struct = {}
            if record is not None:
                struct = {**self.key(side, row["key"]), **(record["value"] or {})}
                rowtime = self._stage.inputs[side].table.rowtime
                if rowtime and "ts" in record:
                    struct[rowtime] = time_text(record["ts"])
                if row["start"] is not None:
                    ends = {**self._ends(row), "window_time": time_text(row["timestamp"])}
                    struct |= {UNASSIGNED + name: text for name, text in ends.items()}
            found |= {emitted: struct.get(name) for name, emitted in names.items()}
        return found


def _in_windows(relation: Relation, event: Event) -> Iterator[tuple[int | None, Struct]]:
    """The time and the columns of the row, once for each of its windows where a table function assigns them."""
    window, row = relation.window, event.row or {}
    if window is None or window.attached:
        yield event.ts, row
        return
    assigner = window.assigner
    zone, local = relation.table.zone, relation.table.local
    ts = (local_in(event.ts or 0, zone) if local else event.ts) or 0
    offset = _ms(assigner.get("offset", 0))
    length = next(_ms(assigner[name]) for name in ("size", "max_size") if name in assigner)
    if assigner["type"] == "cumulative":
        start, step = _cumulation(assigner, ts)
        found = [(start, end) for end in range(start + step, start + length + 1, step) if ts < end]
    else:
        slide = _ms(assigner.get("slide", length))
        last = (ts - offset) // slide * slide + offset
        found = [(start, start + length) for start in range(last, ts - length, -slide)]
    for start, end in found:
        time = in_zone(end - 1, zone) if local else end - 1
        ends = zip(ENDS, (start, end, time or 0), strict=True)
        yield time, {**row, **{UNASSIGNED + name: time_text(ms) for name, ms in ends}}


def _cumulation(assigner: Mapping[str, Any], ts: int) -> tuple[int, int]:
    """Where the windows of ``ts`` start that grow together, and by how much (ms)."""
    length, offset = _ms(assigner["max_size"]), _ms(assigner.get("offset", 0))
    return (ts - offset) // length * length + offset, _ms(assigner["step"])


def _output(table: Table, name: str) -> Callable[[Mapping[str, Any]], Any]:
    if name.startswith(UNASSIGNED) and name.removeprefix(UNASSIGNED) in ENDS:
        return lambda row: row[name]
    if table.columns[name].kind == "proctime":
        return lambda row: None if row[CLOCK] is None else time_text(row[CLOCK])
    return column_value(table, name, table.zone)


def relation_value(table: Table, expression: syntax.Expression) -> Callable[[Mapping[str, Any]], Any]:
    """What computes ``expression``, in the names of the table's columns, of a row."""
    return compiled(expression, table.values, table.zone).of


def column_value(table: Table, name: str, zone: str = "UTC") -> Callable[[Mapping[str, Any]], Any]:
    """What gives the column ``name`` of a row as plain JSON, an instant as clocks in ``zone`` show it.

    Raises ``SqlProblem`` for a column that is not read.
    """
    computed = table.values.get(name)
    if computed is None:
        column = table.columns.get(name)
        if column is not None and column.problem is not None:
            raise column.problem
        raise syntax.SqlProblem("output_column", table.place, name=name, type="" if column is None else column.type)
    of, written = computed.of, plain(computed, zone)

    def value(row: Mapping[str, Any]) -> Any:
        found = of(row)
        return None if found is None else written(found)

    return value


def _identity(side: str, key: Any, ts: int, value: Any) -> tuple[str, Any, int, str]:
    return side, key, ts, json.dumps(value, sort_keys=True)


def instant(ms: int) -> Plain:
    """A time as a scenario has it: an instant where it is one of our days, else a length."""
    return Plain(format_instant(ms) if abs(ms) >= 10**11 else format_duration(ms) if ms else "0")
