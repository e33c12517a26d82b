"""``stream: {data: …}``: a table in a file beside the scenario. It is looked through while the scenario is read."""

from typing import Any, Final

from tidemark.simulator.scenario.data.cells import UNITS
from tidemark.simulator.scenario.data.described import Columns, DataError
from tidemark.simulator.scenario.data.opening import needs_spark, place_of
from tidemark.simulator.scenario.data.stream import Data
from tidemark.simulator.scenario.data.survey import survey
from tidemark.simulator.scenario.format.kinds import (
    INVALID,
    Boolean,
    Choice,
    JsonSchema,
    Kind,
    Leaf,
    Path,
    Reader,
    Text,
    found,
)
from tidemark.simulator.scenario.format.structs import Struct, Values
from tidemark.simulator.scenario.reading.nodes import MappingNode, Node, SequenceNode

NAME: Final = Text()


class NameOrPair(Kind):
    """The name of a column, or those of a column of dates and of one of times of day."""

    def read(self, reader: Reader, node: Node, path: Path) -> Any:
        if not isinstance(node, SequenceNode):
            return NAME.read(reader, node, path)
        names = [NAME.read(reader, each, (*path, place)) for place, each in enumerate(node.items)]
        if len(names) != 2:
            return reader.wrong(node.at, "data_no_pair")
        return INVALID if INVALID in names else ",".join(names)

    def schema(self) -> JsonSchema:
        pair = {"type": "array", "items": NAME.schema(), "minItems": 2, "maxItems": 2}
        return {"anyOf": [NAME.schema(), pair]}


class ZoneOfTimes(Leaf):
    """The zone of times that are written without one: a name of the IANA's, or an offset such as ``+08:00``."""

    wanted = "zone"

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        from tidemark.simulator.scenario.tables.zones import (
            zone_of,  # it imports what edits scenarios, and that this module
        )

        if not isinstance(value, str):
            return self.refused(reader, node)
        return value if zone_of(value) is not None else reader.wrong(node.at, "unknown_zone", found=found(node))

    def schema(self) -> JsonSchema:
        return {"type": "string"}


def _described(path: str, end: bool = False, **columns: Any) -> tuple[str, bool, Columns]:
    return path, end, Columns(**columns)


class DataKind(Kind):
    """The value of ``data``."""

    def __init__(self) -> None:
        self.struct = Struct(
            _described,
            required=("path", "ts"),
            path=NAME,
            ts=NameOrPair(),
            ts_unit=Choice(*UNITS),
            zone=ZoneOfTimes(),
            at=NAME,
            key=NAME,
            value=NAME,
            channel=NAME,
            end=Boolean(),
        )

    def read(self, reader: Reader, node: Node, path: Path) -> Any:
        read = self.struct.read(reader, node, path)
        if read is INVALID:
            return INVALID
        name, end, columns = read
        if reader.folder is None:
            return reader.wrong(node.at, "data_elsewhere")
        if reader.joins:
            return reader.wrong(node.at, "data_for_join")
        assert isinstance(node, MappingNode)
        place = node.entries["path"].value.at
        try:
            file = place_of(reader.folder, name)
            seen = None if needs_spark(name) else survey(file, columns)
        except DataError as error:
            if error.line is None:
                return reader.wrong(place, error.word, **error.fields)
            return reader.wrong(place, "data_line", file=name, line=error.line, what=error.text)
        return Data(name, columns, end, reader.only_input or "events", seen, str(reader.folder))

    def schema(self) -> JsonSchema:
        return self.struct.schema()


def from_first_arrival(reader: Reader, values: Values) -> None:
    """The clock of a stream with arrival times starts at the first of them, unless the file has an ``origin``.

    Else it would tick from 1970 to the first record.
    """
    stream = values.get("stream")
    if isinstance(stream, Data) and stream.found is not None and stream.found.at and "origin" not in values:
        reader.origin = values["origin"] = stream.found.at[0]
