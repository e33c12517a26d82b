"""The row times that a profile writes as cures against a stream: each is read, and computes the repaired time."""

import json

from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import parse
from tidemark.simulator.sql import from_sql
from tidemark.spark_bridge.files.sample import Written
from tidemark.spark_bridge.profile.findings.cures import cures_of
from tidemark.spark_bridge.profile.findings.finding import Cause

from tests.flink.cures import Stream, causes, streams

TYPES = {
    "": "STRING", "bigint": "BIGINT", "int": "INT", "double": "DOUBLE", "decimal(20,6)": "DECIMAL(20, 6)",
    "timestamp": "TIMESTAMP_LTZ(3)", "timestamp_ntz": "TIMESTAMP(3)", "date": "DATE",
}  # fmt: skip
"""The column of Flink SQL for each of Spark's types; a text format has texts."""


def definition(path: tuple[str, ...], type: str) -> str:
    inner = type if len(path) == 1 else f"ROW<{definition(path[1:], type)}>"
    return f"`{path[0]}` {inner}"


def table_of(stream: Stream, cause: Cause) -> str | None:
    """CREATE TABLE with the cure of ``cause``, and a query; None for a cure that is no row time."""
    lines = cures_of([cause], 5000, stream.columns)["flink_sql"].split("\n")
    ends = next((number for number, line in enumerate(lines) if line.startswith("WATERMARK FOR")), None)
    if ends is None:
        return None
    row = stream.columns.row_time
    begins = max(number for number, line in enumerate(lines[:ends]) if line.startswith(f"{row} AS "))
    columns = dict.fromkeys(definition(each.path, TYPES[each.type]) for each in stream.columns.columns.values())
    zone = f"SET 'table.local-time-zone' = '{stream.columns.zone}';\n"
    body = ",\n".join([*columns, "\n".join(lines[begins : ends + 1]).rstrip(",; ")])
    return (
        f"{zone}CREATE TABLE events ({body});\nSELECT COUNT(*) FROM events GROUP BY TUMBLE({row}, INTERVAL '1' MINUTE)"
    )


def test_every_row_time_of_a_cure_is_read() -> None:
    """Of each sixth one: the parser of SQL is slow."""
    texts = {table_of(stream, cause) for stream in streams() for cause in causes(stream)}
    chosen = sorted(filter(None, texts))[::6]
    assert len(chosen) > 50
    for text in chosen:
        from_sql(text)


def cell_of(column: Written, text: str) -> object:
    return int(text) if column.type in ("bigint", "int") else text


def test_the_time_of_every_way_of_writing_is_computed() -> None:
    for stream in streams():
        text = table_of(stream, Cause("bound-too-small", 9, numbers={"needed": 5000}))
        assert text is not None
        ts = stream.columns.columns["ts"]
        member: object = cell_of(ts, stream.cell)
        for name in reversed(ts.path):
            member = {name: member}
        read = parse(from_sql(text, files={"": json.dumps(member).encode()})).stream
        assert isinstance(read, tuple)
        assert [each.ts for each in read if isinstance(each, Record)] == [stream.ms], stream.cell
