"""Bounds as people write them down: rounded, and never below what is needed.

What a job needs against what was found: rules for its records, and settings.

What to configure against the causes: code for Flink and Spark that reads the stream's own columns as they are.

``java_text``, ``sql_text`` and ``spark_text`` write what is ``Needed``, for one cause or for all of them together. The
Java is a watermark strategy, or begins with ``stream``; the SQL has the columns of a CREATE TABLE first.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.spark_bridge.files.sample import Written, WrittenStream
from tidemark.spark_bridge.profile.findings import dialects
from tidemark.spark_bridge.profile.findings.finding import Cause, Range, Rule
from tidemark.spark_bridge.profile.findings.records import MOST


def rounded_up(ms: int) -> int:
    """The least duration from ``ms`` on with two digits in its unit: 80,722 ms are 81 s, 836,219 ms are 14 min."""
    if ms <= 0:
        return ms
    unit = next(each for each in (86_400_000, 3_600_000, 60_000, 1_000, 1) if ms >= 10 * each or each == 1)
    while ms >= 100 * unit:
        unit *= 10
    return -(-ms // unit) * unit


_LONGEST_IDLE: Final = 60_000
_EMPTY_IDLE: Final = 30_000


@dataclass(frozen=True)
class Needed:
    """``rules`` in their order. ``bound``: of the watermark. ``idle``: the idle timeout, None for none.

    ``late``: by how much a backlog is late, which windows have to be kept for or which goes to a side output, None
    where there is none. ``again``: how long after the first of equal records others may arrive, None if no record is
    a copy. ``unreadable``: some records have no time that can be read. ``history``: a job of its own is for old
    records. All durations in ms.
    """

    rules: tuple[Rule, ...] = ()
    bound: int = 0
    idle: int | None = None
    late: int | None = None
    again: int | None = None
    unreadable: bool = False
    history: bool = False


def needed(causes: Sequence[Cause], bound: int) -> Needed:
    """What all ``causes``, in the order in which they were taken out, need together."""
    need = Needed(tuple(rule for cause in causes for rule in cause.rules), bound)
    for cause in causes:
        by = int(cause.numbers.get("by", 0))
        if cause.code == "bound-too-small":
            need = replace(need, bound=rounded_up(int(cause.numbers["needed"])))
        elif cause.code == "no-timestamps":
            need = replace(need, unreadable=bool(cause.numbers.get("unreadable")))
        elif cause.code == "empty-channel":
            need = replace(need, idle=need.idle or _EMPTY_IDLE)
        elif cause.code == "idle-channel":
            idle = max(min(int(cause.numbers.get("silent", 0)) // 4, _LONGEST_IDLE), 1_000)
            need = replace(need, idle=min(idle, need.idle or idle))
        elif cause.code == "backfill":
            need = replace(need, history=True)
        elif (cause.code, cause.sort) == ("replay", "backlog"):
            need = replace(need, late=max(rounded_up(by), need.late or 0))
        elif cause.code in ("replay", "duplicates"):
            need = replace(need, again=max(by, need.again or 0))
    return need


_FIRST_ONLY: Final = """    .keyBy(event -> <same>)
    .filter(new RichFilterFunction<Event>() {
        private transient ValueState<Boolean> seen;

        @Override
        public void open(OpenContext context) {
            ValueStateDescriptor<Boolean> state = new ValueStateDescriptor<>("seen", Boolean.class);
            state.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(<hours>)).build());
            seen = getRuntimeContext().getState(state);
        }

        @Override
        public boolean filter(Event event) throws Exception {
            boolean isFirst = seen.value() == null;
            seen.update(true);
            return isFirst;
        }
    })"""

_IDLE: Final = """Idle channels do not hold back the watermark. What one brings after its silence
may then be late: keep it with .allowedLateness(...) or a side output."""
_IDLE_SQL: Final = """Idle channels do not hold back the watermark. What one brings after its silence
may then be late, and windows drop it: CURRENT_WATERMARK(...) tells which rows these are."""
_IDLE_SPARK: Final = """Spark's watermark follows the largest timestamp of all channels, so none of them
holds it back. What comes from one that was silent is late, though."""

_LATE_SPARK: Final = """What is late by more than the watermark's delay is left out of Spark's windows: compute
the backlog again with a batch query over the same source, and merge. A delay as long as the backlog would hold
back each result as long."""

_LATE_SQL: Final = """Windows by TABLE(TUMBLE(...)) drop what is late, and no setting changes that: this view has them.
Only the older GROUP BY TUMBLE(...) fires again for them, with these settings, which other windows refuse:
SET 'table.exec.emit.late-fire.enabled' = 'true';
SET 'table.exec.emit.late-fire.delay' = '0 ms';
SET 'table.exec.emit.allow-lateness' = '<late> ms';"""

_AGAIN_SQL: Final = "What arrives behind the watermark is dropped here, as windows by TABLE(TUMBLE(...)) drop it."

_HISTORY: Final = """The old records are left out here, and belong in a job of their own: a batch job over the same
source with the condition turned round, whose results are merged with those of this one."""

_MEMBERS: Final = {"ts": "time", "at": "arrival", "key": "key", "value": "value", "channel": "channel"}
"""What a column of an event is called in Java where its own name is none there."""

LEFT_OUT: Final = -1
"""The row time of a row that is left out: SQL needs one, and this one moves no watermark (ms)."""


def cures_of(causes: Sequence[Cause], bound: int, stream: WrittenStream) -> dict[str, str]:
    """The code against ``causes``, by engine. ``bound`` is in ms; the causes have the stream's own names."""
    need = needed(causes, bound)
    return {
        "flink_java": java_text(need, stream),
        "flink_sql": sql_text(need, stream),
        "spark": spark_text(need, stream),
    }


def java_text(need: Needed, stream: WrittenStream) -> str:
    """A watermark strategy, or a stream that has one."""
    assigned = _java_strategy(need, stream)
    filters = ""
    if any(rule.drops for rule in need.rules):
        filters += (
            "    .filter(event -> {\n"
            + _java_steps(need.rules, stream, "return false;")
            + "        return true;\n    })\n"
        )
    if need.again is not None:
        first = _FIRST_ONLY.replace(
            "<same>", ' + " " + '.join(_member(stream, role) for role in ("ts", *_same(stream)))
        )
        filters += first.replace("<hours>", str(need.again // 3_600_000 + 1)) + "\n"
    code = assigned
    if filters or need.late is not None:
        inner = assigned.replace("\n", "\n        ")
        code = f"stream\n{filters}    .assignTimestampsAndWatermarks(\n        {inner})"
    if need.late is not None:
        keyed = f".keyBy(event -> {_member(stream, 'key')})\n    .window" if "key" in stream.columns else ".windowAll"
        code += (
            f"\n    {keyed}(...)\n    .allowedLateness(Duration.ofMillis({need.late}))\n    .sideOutputLateData(late)"
        )
    comments = _commented("//", _HISTORY) if need.history else ""
    comments += _commented("//", _IDLE) if need.idle is not None and need.late is None else ""
    return _called_in_java(stream, code) + comments + code


def _java_strategy(need: Needed, stream: WrittenStream) -> str:
    rules = [rule for rule in need.rules if not rule.drops]
    read = _java_time(stream)
    made = f"(event, before) -> {read}"
    if rules:
        made = "(event, before) -> {\n" + _java_steps(rules, stream, "") + "        return ts;\n    }"
    code = f"""WatermarkStrategy
    .<Event>forBoundedOutOfOrderness(Duration.ofMillis({need.bound}))
    .withTimestampAssigner({made})"""
    return code + ("" if need.idle is None else f"\n    .withIdleness(Duration.ofMillis({need.idle}))")


def _java_steps(rules: Sequence[Rule], stream: WrittenStream, drop: str) -> str:
    """``ts`` as ``rules`` make it; those that leave a record out do ``drop``."""
    lines = [f"long ts = {_java_time(stream)};"]
    for rule in rules:
        if rule.drops:
            step = drop
        elif rule.arrives:
            step = f"ts = {_java_arrival(stream)};"
        else:
            scaled = f"ts {'/' if rule.power > 0 else '*'}= {10 ** abs(rule.power):_}L;" if rule.power else ""
            step = scaled or f"ts {'-' if rule.by > 0 else '+'}= {abs(rule.by)}L;"
        when = _java_condition(rule, stream)
        lines += [f"if ({when}) {{", f"    {step}", "}"] if when else [step]
    return "".join(f"        {line}\n" for line in lines)


def _java_condition(rule: Rule, stream: WrittenStream) -> str:
    column, member = (_column(stream, rule.column), _member(stream, rule.column)) if rule.column else (None, "")
    named = [dialects.java_is(member, column, each) for each in rule.names] if column is not None else []
    arrival = _java_arrival(stream)
    parts = [
        named,
        [_java_within(arrival, rule.at)],
        [_java_within("ts", each) for each in rule.ts],
        [_java_within(f"ts - {arrival}", rule.off)],
    ]
    return _all_of(parts, " && ", " || ")


def _java_within(value: str, limits: Range) -> str:
    low, high = limits
    return " && ".join(f"{value} {sign} {limit}L" for sign, limit in ((">=", low), ("<", high)) if limit is not None)


def _all_of(parts: Sequence[Sequence[str]], both: str, either: str) -> str:
    """All of ``parts``, of each of which one is enough."""
    found = []
    for each in parts:
        some = [one for one in each if one]
        if some:
            text = either.join(f"({one})" if both in one and len(some) > 1 else one for one in some)
            found.append(f"({text})" if len(some) > 1 else text)
    return both.join(found) if len(found) > 1 or not found or not found[0].startswith("(") else found[0][1:-1]


@dataclass(frozen=True)
class _Sql:
    """What differs between the expressions of Flink SQL and of Spark. ``numbers``: whether the column has numbers."""

    ms: Callable[[int], str]
    interval: Callable[[int], str]
    is_value: Callable[[Written, Any], str]
    time: Callable[[int], str]
    """The event time as it is written, too large by that power of ten."""
    number: str | None
    """The column as a number, None if it has texts or times of its own type."""
    unit: int
    """The power of ten of the ms in one of that number."""
    arrival: str
    columns: Callable[[str], Written]

    def read(self, rules: Sequence[Rule]) -> str:
        """The time as it is written, in the unit that it is in. The number is compared, and not the time made of it,
        which would be out of range."""
        if len(rules) == 1 and rules[0].is_everywhere:
            return self.time(rules[0].power)
        if not rules:
            return self.time(0)
        whens = "".join(f" WHEN {self._condition_of_number(rule)} THEN {self.time(rule.power)}" for rule in rules)
        return f"CASE{whens} ELSE {self.time(0)} END"

    def _condition_of_number(self, rule: Rule) -> str:
        own = self.number
        if own is None:
            return self.condition(rule, self.time(0))
        limits = [[_number_within(own, each, self.unit) for each in rule.ts]]
        return _all_of([[self.condition(Rule(rule.column, rule.names, rule.at), "")], *limits], " AND ", " OR ")

    def condition(self, rule: Rule, time: str) -> str:
        """What the rule asks of a row whose time is ``time`` so far."""
        column = self.columns(rule.column) if rule.column else None
        named = [] if column is None else [self.is_value(column, each) for each in rule.names]
        return _all_of(
            [
                named,
                [self._within(self.arrival, rule.at, self.ms)],
                [self._within(time, each, self.ms) for each in rule.ts],
                [self._within(time, rule.off, self._from_arrival)],
            ],
            " AND ",
            " OR ",
        )

    def _from_arrival(self, ms: int) -> str:
        return f"{self.arrival} {'-' if ms < 0 else '+'} {self.interval(abs(ms))}" if ms else self.arrival

    def _within(self, value: str, limits: Range, said: Callable[[int], str]) -> str:
        low, high = limits
        both = ((">=", low), ("<", high))
        return " AND ".join(f"{value} {sign} {said(limit)}" for sign, limit in both if limit is not None)

    def shifted(self, rule: Rule, time: str) -> str:
        """What the rule makes of a time."""
        if rule.arrives:
            return self.arrival
        return f"{time} {'-' if rule.by > 0 else '+'} {self.interval(abs(rule.by))}"


def _number_within(number: str, limits: Range, unit: int) -> str:
    """The same of a number in another unit than ms."""
    low, high = (None if each is None else each * 10**-unit if unit < 0 else -(-each // 10**unit) for each in limits)
    low, high = None if low is None else min(low, MOST), None if high is None or high > MOST else high  # as a BIGINT
    return " AND ".join(f"{number} {sign} {limit}" for sign, limit in ((">=", low), ("<", high)) if limit is not None)


def _split(rules: Sequence[Rule]) -> tuple[list[Rule], list[Rule]]:
    """The rules about units, which come first and say how a number is read, and all others."""
    count = next((place for place, rule in enumerate(rules) if not rule.power), len(rules))
    return list(rules[:count]), list(rules[count:])


def sql_text(need: Needed, stream: WrittenStream) -> str:
    """Columns of a CREATE TABLE, with what has to be set, and the query that reads the table."""
    ts, at, row = _column(stream, "ts"), _column(stream, "at"), stream.row_time
    own = _Sql(
        ms=lambda ms: f"TO_TIMESTAMP_LTZ({ms}, 3)",
        interval=lambda ms: f"INTERVAL {dialects.sql_interval(ms)}",
        is_value=dialects.sql_is,
        time=lambda power: dialects.sql_time(ts, stream.zone, power),
        number=dialects.sql_number(ts),
        unit=dialects.EXPONENTS.get(ts.unit or "", 0),
        arrival=dialects.sql_time(at, stream.zone),
        columns=lambda role: _column(stream, role),
    )
    units, others = _split(need.rules)
    time = own.read(units)
    for group in _groups(others):
        whens = ""
        for rule in group:
            made = f"TO_TIMESTAMP_LTZ({LEFT_OUT}, 3)" if rule.drops else own.shifted(rule, time)
            when = own.condition(rule, time)
            whens = made if not when else f"{whens} WHEN {when} THEN {made}"
        time = f"CASE{whens} ELSE {time} END" if whens.startswith(" WHEN") else whens
    if need.unreadable:
        other = own.arrival if "at" in stream.columns else f"TO_TIMESTAMP_LTZ({LEFT_OUT}, 3)"
        time = f"COALESCE({time}, {other})"
    history = _commented("--", _HISTORY) if need.history else ""
    typed = any(each.type in ("timestamp_ntz", "date", "timestamp_ns_ntz") for each in (ts, at))
    text = history
    text += f"-- SET 'table.local-time-zone' = '{stream.zone}';\n" if typed else ""
    if need.idle is not None:
        text += _commented("--", _IDLE_SQL) if need.late is None else ""
        text += f"SET 'table.exec.source.idle-timeout' = '{need.idle} ms';\n\n"
    columns = f"{row} AS {time},\nWATERMARK FOR {row} AS {row} - INTERVAL {dialects.sql_interval(need.bound)}"
    drops = any(rule.drops for rule in need.rules) or (need.unreadable and "at" not in stream.columns)
    table, views = "events", ""
    if drops:
        views += f"\n\nCREATE VIEW sound_events AS\nSELECT * FROM {table} WHERE {row} >= TO_TIMESTAMP_LTZ(0, 3);"
        table = "sound_events"
    if need.again is not None:
        same = ", ".join([row, *(dialects.spark_name(each) for each in _same(stream).values())])
        views += (
            f"\n\n{_commented('--', _AGAIN_SQL)}CREATE VIEW first_events AS\n"
            f"SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {same} "
            f"ORDER BY {row}) AS n\n  FROM {table}) WHERE n = 1;"
        )
        table = "first_events"
    if need.late is not None:
        late = _commented("--", _LATE_SQL.replace("<late>", str(need.late)))
        views += f"\n\n{late}CREATE VIEW late_events AS\nSELECT * FROM {table} WHERE {row} <= CURRENT_WATERMARK({row});"
    return text + ("-- in CREATE TABLE events (...):\n" if views or need.idle is not None else "") + columns + views


def _groups(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Rules that follow one another and are never about the same record: one CASE has all of them."""
    groups: list[list[Rule]] = []
    for rule in rules:
        if groups and all(_are_apart(rule, each) for each in groups[-1]):
            groups[-1].append(rule)
        else:
            groups.append([rule])
    return groups


def _are_apart(one: Rule, other: Rule) -> bool:
    by_name = one.column == other.column != "" and not set(one.names) & set(other.names)
    return by_name or _before(one.at, other.at) or _before(other.at, one.at)


def _before(one: Range, other: Range) -> bool:
    return one[1] is not None and other[0] is not None and one[1] <= other[0]


def spark_text(need: Needed, stream: WrittenStream) -> str:
    """A query: the row time step by step, then its watermark."""
    ts, at, row = _column(stream, "ts"), _column(stream, "at"), stream.row_time
    own = _Sql(
        ms=lambda ms: f"timestamp_millis({ms})",
        interval=lambda ms: f"INTERVAL {ms} MILLISECONDS",
        is_value=dialects.spark_is,
        time=lambda power: dialects.spark_time(ts, power),
        number=dialects.spark_number(ts),
        unit=dialects.EXPONENTS.get(ts.unit or "", 0),
        arrival=dialects.spark_time(at),
        columns=lambda role: _column(stream, role),
    )
    units, others = _split(need.rules)
    read = own.read(units)
    if need.unreadable and "at" in stream.columns:
        read = f"coalesce({read}, {own.arrival})"
    steps = [f'withColumn("{row}", F.expr({dialects.python_text(read)}))']
    for rule in others:
        when = own.condition(rule, row)
        if rule.drops:
            steps.append(f"where({dialects.python_text(f'NOT ({when})')})")
            continue
        made = own.shifted(rule, row)
        made = f"CASE WHEN {when} THEN {made} ELSE {row} END" if when else made
        steps.append(f'withColumn("{row}", F.expr({dialects.python_text(made)}))')
    same = _same(stream)
    if need.again is not None:
        for column in same.values():
            if len(column.path) > 1:
                name = dialects.python_text("_".join(column.path))
                member = dialects.python_text(dialects.spark_name(column))
                steps.append(f"withColumn({name}, F.expr({member}))")
    steps.append(f'withWatermark("{row}", "{need.bound} milliseconds")')
    if need.again is not None:
        names = ", ".join(map(dialects.python_text, [row, *("_".join(each.path) for each in same.values())]))
        steps.append(f"dropDuplicatesWithinWatermark([{names}])")
    zoned = any(map(dialects.needs_spark_zone, [ts, at] if own.arrival in "".join(steps) else [ts]))
    text = f'spark.conf.set("spark.sql.session.timeZone", "{stream.zone}")\n' if zoned else ""
    text = (_commented("#", _IDLE_SPARK) if need.idle is not None else "") + text
    text = (_commented("#", _HISTORY) if need.history else "") + text
    text = (_commented("#", _LATE_SPARK) if need.late is not None else "") + text
    return f"{text}df = (\n    df." + "\n    .".join(steps) + "\n)"


def _same(stream: WrittenStream) -> dict[str, Written]:
    """What copies have alike beside the time: key and value where the stream has them."""
    if not stream.columns:
        return {role: _column(stream, role) for role in ("key", "value")}
    return {role: stream.columns[role] for role in ("key", "value") if role in stream.columns}


def _commented(mark: str, text: str) -> str:
    return "".join(f"{mark} {line}\n" for line in text.split("\n"))


def _called_in_java(stream: WrittenStream, code: str) -> str:
    """A comment for each member in ``code`` that is not called like its column."""
    lines = dict[str, None]()
    for role, column in stream.columns.items():
        name, member = ".".join(column.path), _member(stream, role)
        if member != f"event.{name}" and re.search(rf"{re.escape(member)}\b", code):
            lines[f"// {member}: the column {json.dumps(name, ensure_ascii=False)}\n"] = None
    return "".join(lines)


def _java_time(stream: WrittenStream) -> str:
    return dialects.java_time(_column(stream, "ts"), _member(stream, "ts"), stream.zone)


def _java_arrival(stream: WrittenStream) -> str:
    return dialects.java_time(_column(stream, "at"), _member(stream, "at"), stream.zone)


def _column(stream: WrittenStream, role: str) -> Written:
    """The column of a role; without one, a column in ms."""
    return stream.columns.get(role) or Written(({"ts": "event_time", "at": "arrival"}.get(role, role),), "", "ms")


def _member(stream: WrittenStream, role: str) -> str:
    column = stream.columns.get(role)
    return f"event.{_MEMBERS[role]}" if column is None else dialects.java_member(column, _MEMBERS[role])
