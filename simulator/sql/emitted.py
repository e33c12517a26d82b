"""What a run emits as rows of a table: their columns, their times and their windows."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tidemark.simulator.engine.values.duration import parse_duration
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.expressions import compiled
from tidemark.simulator.sql.reading import ENDS, UNASSIGNED, Relation, Stage
from tidemark.simulator.sql.tables import Table
from tidemark.simulator.sql.times import in_zone, local_in, time_text
from tidemark.simulator.sql.types import plain

Struct = dict[str, Any]


class Emitted:
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
            start = end - length_of(window["size"])
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


def in_windows(relation: Relation, ts: int | None, row: Struct) -> Iterator[tuple[int | None, Struct]]:
    """The time and the columns of ``row``, once for each of its windows where a table function assigns them."""
    window = relation.window
    if window is None or window.attached:
        yield ts, row
        return
    assigner = window.assigner
    zone, local = relation.table.zone, relation.table.local
    ts = (local_in(ts or 0, zone) if local else ts) or 0
    offset = length_of(assigner.get("offset", 0))
    length = next(length_of(assigner[name]) for name in ("size", "max_size") if name in assigner)
    if assigner["type"] == "cumulative":
        start, step = _cumulation(assigner, ts)
        found = [(start, end) for end in range(start + step, start + length + 1, step) if ts < end]
    else:
        slide = length_of(assigner.get("slide", length))
        last = (ts - offset) // slide * slide + offset
        found = [(start, start + length) for start in range(last, ts - length, -slide)]
    for start, end in found:
        time = in_zone(end - 1, zone) if local else end - 1
        ends = zip(ENDS, (start, end, time or 0), strict=True)
        yield time, {**row, **{UNASSIGNED + name: time_text(ms) for name, ms in ends}}


def _cumulation(assigner: Mapping[str, Any], ts: int) -> tuple[int, int]:
    """Where the windows of ``ts`` start that grow together, and by how much (ms)."""
    length, offset = length_of(assigner["max_size"]), length_of(assigner.get("offset", 0))
    return (ts - offset) // length * length + offset, length_of(assigner["step"])


def length_of(value: Any) -> int:
    return value if isinstance(value, int) else parse_duration(value) or 0


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
