"""A stream of one's own on Spark, as a cut asks of it: few passes over all records, and few of them come back.

The stream has *parts*, each of which one task can sort (``FileStream``). A first pass finds what each part brings on
each channel (``parts.py``). After that a question is about a part or two: what was brought before a record is what the
parts before its own have brought, and the records before it in its own part.

A cut made of files: opened, the finding looked up where one is asked for, and the scenario written.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.words import listed, words
from tidemark.spark_bridge.cut.case import CutFails, FindingOf
from tidemark.spark_bridge.cut.cut import CutRequest, Where, cut_text
from tidemark.spark_bridge.cut.rules import (
    Among,
    Brought,
    Judge,
    Levels,
    Maxima,
    Parts,
    Place,
    Reached,
    Rules,
    StreamRecord,
)
from tidemark.spark_bridge.files.opening import files_as_stream, read_once
from tidemark.spark_bridge.files.request import Files
from tidemark.spark_bridge.files.stream import FileStream
from tidemark.spark_bridge.profile.findings.records import Expectations
from tidemark.spark_bridge.profile.judging import findings_of, in_order
from tidemark.spark_bridge.spark.columns import long
from tidemark.spark_bridge.spark.jobs import alone
from tidemark.spark_bridge.spark.stages import Stages

NO_KEY: Final = "all"
"""The key of every record where the stream has no keys."""

_AT_FIRST: Final = 1_000_000
"""How many records are judged before it is known whether more have to be."""

_TASKS: Final = 8
"""How many tasks judge parts; each of them begins with a Python process."""

_PART: Final = ("part", "part_file", "part_block", "part_rows")
_DETAILS: Final = ("channel", "ts", "at", "key", "value")


class Table:
    """An ``FileStream`` as a ``Whole``. A place is a part and then the columns by which records are ordered."""

    def __init__(self, stream: FileStream) -> None:
        self.channels: Sequence[int | str] = stream.channels
        order = tuple(f"place_{name}" for name in stream.order)
        self._place = (*_PART, *order)
        part = dict(zip(_PART, stream.part(), strict=True))
        places = part | {name: F.col(column) for name, column in zip(order, stream.order, strict=True)}
        key = F.lit(NO_KEY) if stream.columns.key is None else F.col("key")
        self._table = stream.table.select(
            *(column.cast("bigint").alias(name) for name, column in places.items()),
            *(key.alias(name) if name == "key" else name for name in _DETAILS),
        )
        self._before: dict[Place, tuple[Levels, int]] = {}

    @property
    def records(self) -> int:
        """How many readable records there are."""
        return self._parts.records

    def record(self, number: int) -> StreamRecord | None:
        found = self._parts.of_number(number)
        if found is None:
            return None
        part, start = found
        rest = self._of([part]).orderBy(*self._place).offset(number - start).limit(1)
        return self._records(rest)[0]

    def number(self, records: Sequence[StreamRecord]) -> list[int]:
        self._look_before([record.place for record in records])
        return [self._parts.start(_part(record.place)) + self._before[record.place][1] for record in records]

    def dropped(self, rules: Rules, among: Among, most: int) -> list[StreamRecord]:
        found: list[StreamRecord] = []
        parts = [part for part in self._parts.that_may_drop(rules) if among.since is None or part >= _part(among.since)]
        records = _AT_FIRST
        while parts and len(found) < most:
            own, parts, records = *self._parts.split(parts, records), records * 4
            found += self._dropped_in(own, rules, among, most)
        return found[:most]

    def first(self, among: Among, most: int) -> list[StreamRecord]:
        return self._records(self._table.where(self._is(among)).orderBy(*self._place).limit(most))

    def maxima(self, before: Sequence[Place | None]) -> list[Maxima]:
        places = [place for place in before if place is not None]
        levels = dict(zip(places, self.levels(places), strict=True))
        wanted = []
        for place in before:
            part = None if place is None else _part(place)
            passed = self._parts.levels(part)
            own = {} if place is None else levels[place]
            reached = [each for each in self._parts.reached(passed) if own.get(each.channel, each.ts) == each.ts]
            known = {each.channel for each in reached}
            reached += [Reached(part, channel, ts) for channel, ts in own.items() if part and channel not in known]
            wanted.append(reached)
        found = self._lookup([each for reached in wanted for each in reached])
        return [{each.channel: found[each] for each in reached} for reached in wanted]

    def levels(self, before: Sequence[Place]) -> list[Levels]:
        self._look_before(before)
        found: list[Levels] = []
        for place in before:
            levels = dict(self._parts.levels(_part(place)))
            for channel, ts in self._before[place][0].items():
                levels[channel] = max(ts, levels.get(channel, ts))
            found.append(levels)
        return found

    def reached(self, ts: int) -> Maxima:
        wanted = self._parts.reached(dict.fromkeys(range(len(self.channels)), ts))
        found = self._lookup(wanted)
        return {each.channel: found[each] for each in wanted}

    def inside(self, key: str, window: TimeWindow, most: int) -> tuple[list[StreamRecord], int]:
        ts = F.col("ts")
        those = self._table.where((F.col("key") == key) & (ts >= long(window.start)) & (ts < long(window.end)))
        found = self._records(those.orderBy(*self._place).limit(most))
        return found, len(found) if len(found) < most else those.count()

    @cached_property
    def _parts(self) -> Parts:
        ts = F.col("ts")
        brought = self._table.groupBy(*_PART, "channel").agg(F.count("*"), F.min(ts), F.max(ts)).collect()
        return Parts(Brought(tuple(row[:4]), *row[4:]) for row in brought)

    def _look_before(self, places: Sequence[Place]) -> None:
        """Fill ``_before``: what the records before each place bring within its part, and how many they are."""
        new = sorted(set(places) - set(self._before))
        if not new:
            return
        bucket = self._bucket(new).alias("bucket")
        rows = self._of({_part(place) for place in new}).groupBy(*_PART, "channel", bucket)
        brought = rows.agg(F.max("ts").alias("highest"), F.count("*").alias("number")).collect()
        for index, place in enumerate(new):
            own = [row for row in brought if tuple(row[:4]) == _part(place) and row.bucket <= index]
            levels: dict[int, int] = {}
            for row in own:
                levels[row.channel] = max(row.highest, levels.get(row.channel, row.highest))
            self._before[place] = levels, sum(row.number for row in own)

    def _bucket(self, places: Sequence[Place], below: int = 0) -> Column:
        """How many of the rising ``places`` are not after a record: by the decisions of a binary search."""
        if not places:
            return F.lit(below)
        middle = len(places) // 2
        rest = self._bucket(places[middle + 1 :], below + middle + 1)
        return F.when(self._at_or_after(places[middle]), rest).otherwise(self._bucket(places[:middle], below))

    def _at_or_after(self, place: Place) -> Column:
        own = F.struct(*(F.col(name) for name in self._place))
        return own >= F.struct(*(long(number).alias(name) for name, number in zip(self._place, place, strict=True)))

    def _of(self, parts: Sequence[Place] | set[Place]) -> DataFrame:
        """The records of these parts."""
        wanted = [
            reduce(Column.__and__, (F.col(name) == long(each) for name, each in zip(_PART, part, strict=True)))
            for part in sorted(parts)
        ]
        return self._table.where(reduce(Column.__or__, wanted, F.lit(False)))

    def _is(self, among: Among) -> Column:
        wanted = F.lit(True)
        if among.channel is not None:
            wanted &= F.col("channel") == among.channel
        if among.key is not None:
            wanted &= F.col("key") == among.key
        return wanted if among.since is None else wanted & self._at_or_after(among.since)

    def _lookup(self, wanted: Sequence[Reached]) -> dict[Reached, StreamRecord]:
        """The first record of each."""
        if not wanted:
            return {}
        new = list(dict.fromkeys(wanted))
        rows = [(*each.part, each.channel, each.ts, number) for number, each in enumerate(new)]
        names = (*_PART, "channel", "least", "number")
        known = self._table.sparkSession.createDataFrame(rows, ", ".join(f"{name} BIGINT" for name in names))
        records = self._of({each.part for each in new}).join(F.broadcast(known), [*_PART, "channel"])
        record = F.struct(*self._place, *_DETAILS)
        found = records.where("ts >= least").groupBy("number").agg(F.min(record).alias("record")).collect()
        return {new[row.number]: self._record(row.record) for row in found}

    def _dropped_in(self, parts: Sequence[Place], rules: Rules, among: Among, most: int) -> list[StreamRecord]:
        levels = {part: self._parts.levels(part) for part in parts}
        narrow = self._of(parts).withColumn("wanted", self._is(among))
        ordered = narrow.repartition(min(len(parts), _TASKS), *_PART).sortWithinPartitions(*self._place)
        kinds = {field.name: field.dataType.simpleString() for field in self._table.schema}
        schema = ", ".join(f"`{name}` {kind}" for name, kind in kinds.items())
        found = ordered.mapInArrow(_judging(rules, levels, most, tuple(kinds)), schema).collect()
        return sorted(map(self._record, found), key=lambda record: record.place)

    def _records(self, table: DataFrame) -> list[StreamRecord]:
        return [self._record(row) for row in table.collect()]

    def _record(self, row: Row) -> StreamRecord:
        return StreamRecord(
            tuple(row[name] for name in self._place), row.channel, row.ts, row["at"], row.key, row.value
        )


def _part(place: Place) -> Place:
    return place[: len(_PART)]


def _judging(
    rules: Rules, levels: Mapping[Place, Levels], most: int, names: tuple[str, ...]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What a task does with parts in order: the first ``most`` records of each that are dropped and wanted."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        part: Place | None = None
        judge, left = Judge(rules, {}), most
        for batch in batches:
            if part is not None and _ends(batch) == (part, part) and (not left or judge.passes(*_summed(batch))):
                continue
            columns: list[list[Any]] = [batch.column(name).to_pylist() for name in (*_PART, "channel", "ts", "wanted")]
            found = []
            for index, (*own, channel, ts, wanted) in enumerate(zip(*columns, strict=True)):
                if tuple(own) != part:
                    part = tuple(own)
                    judge, left = Judge(rules, levels[part]), most
                if left and judge.drops(channel, ts) and wanted:
                    left -= 1
                    found.append(index)
            yield batch.select(names).take(pa.array(found, pa.int64()))

    return run


def _ends(batch: pa.RecordBatch) -> tuple[Place, Place]:
    """The parts of the first and of the last record."""
    first, last = ([batch.column(name)[index].as_py() for name in _PART] for index in (0, batch.num_rows - 1))
    return tuple(first), tuple(last)


def _summed(batch: pa.RecordBatch) -> tuple[Levels, int]:
    """The largest timestamp on each channel, and the smallest of all."""
    times = pa.table({"channel": batch.column("channel"), "ts": batch.column("ts")})
    by_channel = times.group_by("channel").aggregate([("ts", "max"), ("ts", "min")])
    highest = dict(zip(*(by_channel.column(name).to_pylist() for name in ("channel", "ts_max")), strict=True))
    return highest, min(by_channel.column("ts_min").to_pylist())


@dataclass(frozen=True, slots=True)
class Cut:
    """The text of a scenario file, and the stream that it was cut from, of which ``unreadable`` records are no part."""

    text: str
    unreadable: int
    stream: FileStream = field(repr=False)


def cut_files(
    files: Files,
    request: CutRequest,
    stages: Stages,
    place: str | None = None,
    *,
    judged_by: Expectations | None = None,
) -> Cut:
    """The cut of what ``files`` hold, with the stages ``session`` and ``cut``.

    ``judged_by`` is what the findings are asked, where ``request`` is around one; by default what a profile without
    options asks. Raises ``CutFails``, and what ``files_as_stream`` raises.
    """
    fails: CutFails | None = None
    text, unreadable = "", 0
    with files_as_stream(files, stages, place) as stream, alone(stages), stages.stage("cut"):
        try:
            text, unreadable = cut_of(stream, request, judged_by or Expectations()), stream.counted()
        except CutFails as error:  # nothing is wrong with Spark: the session stays
            fails = error
    if fails is not None:
        raise fails
    return Cut(text, unreadable, stream)


def cut_of(stream: FileStream, request: CutRequest, judged_by: Expectations) -> str:
    """The cut of an open stream."""
    with read_once(stream) as kept:
        table = Table(kept)
        kept.require_some(table.records)
        if isinstance(request.around, FindingOf) and not request.where:
            request = replace(request, where=_where(kept, request.around, judged_by))
        return cut_text(table, request)


def _where(stream: FileStream, around: FindingOf, judged_by: Expectations) -> Where:
    """Where that finding is."""
    with in_order(stream, keys=False) as ordered:
        found = findings_of(ordered, judged_by)
    alike = [each.where for each in found if each.code == around.code]
    if not alike:
        raise CutFails("no_finding", code=around.code, codes=_known([each.code for each in found]))
    if around.nth > len(alike):
        raise CutFails("few_findings", code=around.code, number=len(alike), nth=around.nth)
    return alike[around.nth - 1]


def _known(codes: Sequence[str]) -> str:
    if not codes:
        return words("own_cut.fails.no_findings")
    return words("own_cut.fails.findings", codes=listed(dict.fromkeys(codes)))
