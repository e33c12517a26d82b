"""The stream: a list of items, each kind recognised by its key; a generator; or a table in another file."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from tidemark.simulator.engine.values.items import (
    DELETE,
    UPSERT,
    Advance,
    BatchEnd,
    Checkpoint,
    End,
    Item,
    Record,
    Restore,
    Status,
    Watermark,
)
from tidemark.simulator.limits import GENERATED_RECORDS
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.calc import Calc, RowFails, computed
from tidemark.simulator.scenario.data.columns import UNITS, Columns, DataError
from tidemark.simulator.scenario.data.opening import needs_spark, place_of
from tidemark.simulator.scenario.data.stream import Data, survey
from tidemark.simulator.scenario.format import kinds
from tidemark.simulator.scenario.format.structs import Members, Struct, Values, peek, place_within, report_unknown_key
from tidemark.simulator.scenario.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode

NAME: Final = kinds.Text()


class NameOrPair(kinds.Kind):
    """The name of a column, or those of a column of dates and of one of times of day."""

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        if not isinstance(node, SequenceNode):
            return NAME.read(reader, node, path)
        names = [NAME.read(reader, each, (*path, place)) for place, each in enumerate(node.items)]
        if len(names) != 2:
            return reader.wrong(node.at, "data_no_pair")
        return kinds.INVALID if kinds.INVALID in names else ",".join(names)

    def schema(self) -> kinds.JsonSchema:
        pair = {"type": "array", "items": NAME.schema(), "minItems": 2, "maxItems": 2}
        return {"anyOf": [NAME.schema(), pair]}


class ZoneOfTimes(kinds.Leaf):
    """The zone of times that are written without one: a name of the IANA's, or an offset such as ``+08:00``."""

    wanted = "zone"

    def convert(self, reader: kinds.Reader, node: Node, value: Any) -> Any:
        from tidemark.simulator.scenario.tables.times import (
            zone_of,  # it imports what edits scenarios, and that this module
        )

        if not isinstance(value, str):
            return self.refused(reader, node)
        return value if zone_of(value) is not None else reader.wrong(node.at, "unknown_zone", found=kinds.found(node))

    def schema(self) -> kinds.JsonSchema:
        return {"type": "string"}


def _described(path: str, end: bool = False, **columns: Any) -> tuple[str, bool, Columns]:
    return path, end, Columns(**columns)


class DataKind(kinds.Kind):
    """The value of ``data``."""

    def __init__(self) -> None:
        self.struct = Struct(
            _described,
            required=("path", "ts"),
            path=NAME,
            ts=NameOrPair(),
            ts_unit=kinds.Choice(*UNITS),
            zone=ZoneOfTimes(),
            at=NAME,
            key=NAME,
            value=NAME,
            channel=NAME,
            end=kinds.Boolean(),
        )

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        read = self.struct.read(reader, node, path)
        if read is kinds.INVALID:
            return kinds.INVALID
        name, end, columns = read
        if reader.folder is None:
            return reader.wrong(node.at, "data_elsewhere")
        if reader.joins:
            return reader.wrong(node.at, "data_for_join")
        assert isinstance(node, MappingNode)
        input = reader.only_input or "events"
        calc = (reader.calcs or {}).get(input)
        for member, word in (("value", "data_value_of_columns"), ("key", "key_is_computed")):
            if member in node.entries and calc is not None and (member == "value" or calc.key is not None):
                return reader.wrong(node.entries[member].at, word)
        rows = None if calc is None else calc.written
        place = node.entries["path"].value.at
        try:
            file = place_of(reader.folder, name)
            seen = None if needs_spark(name) else survey(file, columns, rows)
        except DataError as error:
            if error.line is None:
                return reader.wrong(place, error.word, **error.fields)
            return reader.wrong(place, "data_line", file=name, line=error.line, what=error.text)
        return Data(name, columns, end, input, seen, str(reader.folder), rows)

    def schema(self) -> kinds.JsonSchema:
        return self.struct.schema()


def from_first_arrival(reader: kinds.Reader, values: Values) -> None:
    """The clock of a stream with arrival times starts at the first of them, unless the file has an ``origin``.

    Else it would tick from 1970 to the first record.
    """
    stream = values.get("stream")
    if isinstance(stream, Data) and stream.found is not None and stream.found.at and "origin" not in values:
        reader.origin = values["origin"] = stream.found.at[0]


SIDES: Final = ("left", "right")
MILLION: Final = 1_000_000

TIMESTAMP: Final = kinds.Timestamp()
CHANNEL: Final = kinds.Whole(0)
OP: Final = kinds.Choice(UPSERT, DELETE)
NOT_NEGATIVE: Final = kinds.Duration(low=0)


class Row(kinds.Kind):
    """A record's value where its input has columns: a mapping of these, of which those that are missing are NULL."""

    def __init__(self, calc: Calc) -> None:
        self.columns = calc.columns
        self.others = tuple(calc.columns)

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        if not isinstance(node, MappingNode):
            return reader.wrong(node.at, "wrong_kind", found=kinds.found(node), wanted=kinds.wanted_words("columns"))
        row = {}
        valid = True
        for name, entry in node.entries.items():
            column = self.columns.get(name)
            if column is None:
                valid = report_unknown_key(reader, name, entry, self.others) is not kinds.INVALID
                continue
            value = plain_value(reader, entry.value)
            if value is not kinds.INVALID and value is not None:
                try:
                    value = column.fits(value, entry.value.text if isinstance(entry.value, ScalarNode) else "")
                except ValueError:
                    what = kinds.found(entry.value)
                    value = reader.wrong(entry.value.at, "no_value_of_column", found=what, type=column.type)
            valid = valid and value is not kinds.INVALID
            row[name] = value
        return row if valid else kinds.INVALID

    def schema(self) -> kinds.JsonSchema:
        return {"type": "object"}


def plain_value(reader: kinds.Reader, node: Node) -> Any:
    """The value at ``node``, whatever it is."""
    match node:
        case MappingNode():
            members = {name: plain_value(reader, entry.value) for name, entry in node.entries.items()}
            return kinds.INVALID if kinds.INVALID in members.values() else members
        case SequenceNode():
            items = [plain_value(reader, each) for each in node.items]
            return kinds.INVALID if kinds.INVALID in items else items
        case _:
            return reader.scalar(node, "member")


class ComputedKey(kinds.Kind):
    """The key of a record whose input computes it: there is none."""

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        return reader.wrong(node.at, "key_is_computed")

    def schema(self) -> kinds.JsonSchema:
        return kinds.Key().schema()


class Items(kinds.Kind):
    """The items of one engine. ``joins``, ``needs_ts`` and ``versions`` are what the operator requires of them.

    ``calcs``: what stands in front of the operator, by input; its rows are records of a kind of their own (``rows``).
    """

    def __init__(
        self,
        engine: str,
        joins: bool | None,
        needs_ts: bool | None,
        only_input: str | None = None,
        versions: bool | None = None,
        calcs: Mapping[str, Calc] = MappingProxyType({}),
    ) -> None:
        fixed = {} if only_input is None else {"input": only_input}
        self.record, self.others = _items(engine, joins, needs_ts, fixed, versions)
        self.engine = engine
        self.known = (*self.others, *self.record.keys())
        self.only_input = only_input
        self.rows = {name: _items(engine, joins, needs_ts, fixed, versions, calc)[0] for name, calc in calcs.items()}
        self.calcs = calcs

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        assert isinstance(node, SequenceNode)
        marks, place, first, known = reader.marks, reader.source.place, path[0], reader.known
        items: list[Any] = []
        valid = True
        for index, item in enumerate(node.items):
            marks[first, index] = place(item.at)
            read = known[index] if index < len(known) else None
            if read is None:
                read = self._item(reader, item, path)
            if read is kinds.INVALID:
                valid = False
            items.append(read)
        return tuple(items) if valid else kinds.INVALID

    def _item(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        if not isinstance(node, MappingNode):
            return reader.wrong(node.at, "wrong_kind", found=kinds.found(node), wanted=kinds.wanted_words("item"))
        if "key" not in node.entries:
            for key, kind in self.others.items():
                if key in node.entries:
                    return kind.members(reader, node, path, ((key, "…"),))
            unknown = next(iter(node.entries.items()), None)
            if unknown is not None and unknown[0] not in self.known:
                return report_unknown_key(reader, *unknown, self.known)
        input = self.only_input or peek(node, "in") or ""
        record = self.rows.get(input, self.record).members(reader, node, path, ())
        calc = self.calcs.get(input)
        if calc is None or record is kinds.INVALID:
            return record
        try:
            return computed(calc, record)
        except RowFails as failure:
            return reader.wrong_text(place_within(node, "value"), str(failure))

    def schema(self) -> kinds.JsonSchema:
        record = self.record.schema()
        if self.engine == "flink":  # an input may compute the key
            record["required"] = [key for key in record["required"] if key != "key"]
        return {"type": "array", "items": {"anyOf": [record, *(each.schema() for each in self.others.values())]}}


def _items(
    engine: str,
    joins: bool | None,
    needs_ts: bool | None,
    fixed: Values,
    versions: bool | None,
    calc: Calc | None = None,
) -> tuple[Members, dict[str, Members]]:
    """The record, of an input with ``calc`` if there is one, and every other item by the key that identifies it."""
    computes_key = calc is not None and calc.key is not None
    side: dict[str, kinds.Kind] = {"input": _input(engine, joins)} if joins is not False else {}
    side_required = ("input",) if joins else ()
    record_required = (
        *(() if needs_ts is False else ("ts",)), *(() if computes_key else ("key",)), *side_required
    )  # fmt: skip
    members: dict[str, kinds.Kind] = {
        "ts": TIMESTAMP if engine == "spark" else kinds.Rowtime(),
        "key": ComputedKey() if computes_key else kinds.Key(),
        "value": kinds.Value() if calc is None else Row(calc),
        **side,
    }
    others: dict[str, Members]
    if engine == "spark":
        others = {"batch": Struct(_batch_end, required=("batch",), batch=kinds.Choice("end"))}
    else:
        at: dict[str, kinds.Kind] = {"at": TIMESTAMP}
        channel = side | {"channel": CHANNEL} | at
        members |= channel | {"op": OP}

        def sent(build: Callable[..., Item], key: str, kind: kinds.Kind, **renamed: str) -> Struct:
            return Struct(
                build,
                {key: kind} | channel,
                required=(key, *side_required),
                renamed={"input": "in"} | renamed,
                fixed=fixed,
            )

        others = {
            "watermark": sent(Watermark, "ts", TIMESTAMP, ts="watermark"),
            "status": sent(Status, "status", kinds.Choice("idle", "active")),
            "advance": Struct(Advance, {"by": NOT_NEGATIVE} | at, renamed={"by": "advance"}),
            "checkpoint": Struct(Checkpoint, {"name": kinds.Text()} | at, renamed={"name": "checkpoint"}),
            "restore": Struct(Restore, {"name": kinds.Text()} | at, renamed={"name": "restore"}),
            "end": Struct(_end, {"end": kinds.OnlyTrue()} | at, required=("end",)),
        }

    def check(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
        if needs_ts and values["ts"] is None and (values.get("input") or reader.only_input) not in reader.rowtimes:
            reader.wrong(node.entries["ts"].value.at, "null_ts")
            return False
        return versions is None or (_op_of_version if versions else _no_op)(reader, node, values)

    record = Struct(_record, members, required=record_required, renamed={"input": "in"}, fixed=fixed, check=check)
    known = frozenset(record.keys()).union(*(each.keys() for each in others.values()), ("in", "channel", "at", "op"))
    for each in (record, *others.values()):
        each.set_siblings(known)
    return record, others


def _input(engine: str, joins: bool | None) -> kinds.Kind:
    """Which input an item is of: a side of a join, or any name where there are several operators."""
    return kinds.Text() if joins is None and engine == "flink" else kinds.Choice(*SIDES)


def _no_op(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    if "op" not in values:
        return True
    reader.wrong(node.entries["op"].at, "op_without_versions")
    return False


def _op_of_version(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    return values.get("input") == "right" or _no_op(reader, node, values)


def _record(key: str | int | bool = "", ts: int | None = None, **rest: Any) -> Record:
    return Record(key, ts, **rest)


def _end(end: bool, at: int | None = None) -> End:
    return End(at)


def _batch_end(batch: str) -> BatchEnd:
    return BatchEnd()


# --- generated streams ---------------------------------------------------------------------------------------------


class Fraction(kinds.Leaf):
    """A share of all records, from 0 to 1, in millionths."""

    wanted = "fraction"

    def convert(self, reader: kinds.Reader, node: Node, value: Any) -> Any:
        if type(value) not in (int, float) or not 0 <= value <= 1:
            return self.refused(reader, node)
        if round(value, 6) != value:
            return reader.wrong(node.at, "too_many_decimals")
        return round(value * MILLION)

    def schema(self) -> kinds.JsonSchema:
        return {"type": "number", "minimum": 0, "maximum": 1}


class Range(kinds.Kind):
    """``[lowest, highest]``, both inclusive."""

    whole = kinds.Whole()

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        if not isinstance(node, SequenceNode) or len(node.items) != 2:
            return reader.wrong(node.at, "wrong_kind", found=kinds.found(node), wanted=kinds.wanted_words("range"))
        lowest, highest = (self.whole.read(reader, item, path) for item in node.items)
        if lowest is kinds.INVALID or highest is kinds.INVALID:
            return kinds.INVALID
        if lowest > highest:
            return reader.wrong(node.at, "range_upside_down", lowest=lowest, highest=highest)
        if highest - lowest >= 2**63 - 1:
            return reader.wrong(node.at, "range_too_wide")
        return lowest, highest

    def schema(self) -> kinds.JsonSchema:
        return {"type": "array", "items": self.whole.schema(), "minItems": 2, "maxItems": 2}


def _disorder(max: int = 0) -> int:
    return max


def _late(fraction: int = 0, by: int = 0) -> tuple[int, int]:
    return fraction, by


def _generated(late: tuple[int, int] = (0, 0), borders: int = 0, **values: Any) -> model.Generated:
    return model.Generated(late_millionths=late[0], late_by=late[1], border_millionths=borders, **values)


def _times_within_64_bits(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    """Refuse times beyond 64 bits: Python and Spark would not overflow in the same way."""
    latest = reader.origin + max(values["events"] - 1, 0) * values["every"]
    earliest = reader.origin - values.get("disorder", 0) - values.get("late", (0, 0))[1]
    if latest < 2**63 and earliest >= -(2**63) and values.get("disorder", 0) < 2**63 - 1:
        return True
    reader.wrong(node.at, "generated_beyond_64_bits")
    return False


def _generator(engine: str) -> Struct:
    own: dict[str, kinds.Kind] = {"batch_every": kinds.Whole(1)} if engine == "spark" else {"end": kinds.Boolean()}
    return Struct(
        _generated,
        own,
        required=("events", "seed", "keys", "every"),
        check=_times_within_64_bits,
        events=kinds.Whole(0, GENERATED_RECORDS),
        seed=kinds.Whole(),
        keys=kinds.Whole(1),
        every=NOT_NEGATIVE,
        disorder=Struct(_disorder, required=(), max=NOT_NEGATIVE),
        late=Struct(_late, required=(), fraction=Fraction(), by=NOT_NEGATIVE),
        borders=Fraction(),
        values=Range(),
    )


class StreamKind(kinds.Kind):
    """``stream``: a list of items, ``{generate: …}``, or by Flink's rules ``{data: …}``."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.generated = Struct(lambda generate: generate, required=("generate",), generate=_generator(engine))
        self.data = Struct(lambda data: data, required=("data",), data=DataKind())

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        if reader.calcs is None:
            return kinds.INVALID  # what is wrong with the columns has been said, and their values cannot be read
        if isinstance(node, SequenceNode):
            items = Items(self.engine, reader.joins, reader.needs_ts, reader.only_input, reader.versions, reader.calcs)
            return items.read(reader, node, path)
        if isinstance(node, MappingNode) and "data" in node.entries:
            if self.engine == "spark":
                return reader.wrong(node.entries["data"].at, "data_by_sparks_rules")
            return self.data.read(reader, node, path)
        if isinstance(node, MappingNode):
            return self.generated.read(reader, node, path)
        return reader.wrong(node.at, "wrong_kind", found=kinds.found(node), wanted=kinds.wanted_words("stream"))

    def schema(self) -> kinds.JsonSchema:
        return {"anyOf": [Items(self.engine, None, False).schema(), *self._made()]}

    def _made(self) -> list[kinds.JsonSchema]:
        return [
            each.schema() for each in ((self.generated,) if self.engine == "spark" else (self.generated, self.data))
        ]
