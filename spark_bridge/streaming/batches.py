"""The stream of a scenario as micro-batches: tables, and files of which the query reads one in each trigger.

A file for every batch and input, an empty batch and an empty side too, so that both sources of a join step together.
The names and modification times of the files rise, and Spark takes them in that order.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from tidemark.simulator.engine.values.items import BatchEnd, Record
from tidemark.simulator.scenario.model import Generated, Scenario, SparkWindow
from tidemark.simulator.scenario.stream import items
from tidemark.spark_bridge.canonical import key_text, value_of

WHOLE: Final = "whole"
DOUBLE: Final = "double"
TEXT: Final = "text"
"""The type of the value column: BIGINT, DOUBLE, or any values as JSON, which are only carried along."""

_TYPES: Final = {WHOLE: pa.int64(), DOUBLE: pa.float64(), TEXT: pa.string()}
_FIRST_CHANGE: Final = 1_000_000_000
"""The modification time of the first file, in seconds since the epoch; each further one is a second later."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The records of one micro-batch, and the stream index of the item that ends it, which an error row carries."""

    records: tuple[Record, ...]
    last_item: int


def chunks(scenario: Scenario) -> Iterator[Chunk]:
    """The micro-batches that have data, empty ones included, in order."""
    listed = not isinstance(scenario.stream, Generated)
    records: list[Record] = []
    item = last = 0
    for each in items(scenario):
        if isinstance(each, Record):
            records.append(each)
            last = item
            item += 1
        elif isinstance(each, BatchEnd):
            if listed:  # the ends of generated batches are no items
                last = item
                item += 1
            yield Chunk(tuple(records), last)
            records = []
    if records:  # the batch ends with the stream, after its last item
        yield Chunk(tuple(records), item)


def number_of_chunks(scenario: Scenario) -> int:
    """How many micro-batches have data, without making any record of a generated stream."""
    stream = scenario.stream
    if isinstance(stream, Generated):
        return -(-stream.events // (stream.batch_every or max(stream.events, 1)))
    ends = [place for place, item in enumerate(stream) if isinstance(item, BatchEnd)]
    return len(ends) + (bool(stream) and (not ends or ends[-1] < len(stream) - 1))


def column_of(scenario: Scenario) -> str:
    """The type of the value column: one double makes them all doubles."""
    operator, stream = scenario.operator, scenario.stream
    if not isinstance(operator, SparkWindow) or operator.function.compute == "count":
        return TEXT
    if isinstance(stream, Generated):
        return WHOLE
    has_double = any(isinstance(item, Record) and isinstance(item.value, float) for item in stream)
    return DOUBLE if has_double else WHOLE


def schema_of(column: str) -> pa.Schema:
    """``time`` is the timestamp (ms; Spark reads it as its own microseconds), ``key`` is JSON."""
    return pa.schema([("time", pa.int64()), ("key", pa.string()), ("value", _TYPES[column])])


def tables_of(chunk: Chunk, inputs: Iterable[str], column: str) -> dict[str, pa.Table]:
    """The records of the micro-batch for each input, in ``schema_of``; one without any has a table without rows."""
    schema = schema_of(column)
    tables = {}
    for name in inputs:
        records = [record for record in chunk.records if record.input == name]
        columns = [
            [record.ts for record in records],
            [key_text(record.key) for record in records],
            [_value(record.value, column) for record in records],
        ]
        arrays = [pa.array(values, type=field.type) for values, field in zip(columns, schema, strict=True)]
        tables[name] = pa.Table.from_arrays(arrays, schema=schema)
    return tables


def write(chunk: Chunk, number: int, inputs: dict[str, Path], column: str) -> None:
    """Write micro-batch ``number`` into the folder of each input; a file appears whole or not at all."""
    for name, table in tables_of(chunk, inputs, column).items():
        path, unfinished = inputs[name] / f"{number:09}.parquet", inputs[name] / f"_{number:09}"
        pq.write_table(table, unfinished)
        os.utime(unfinished, (_FIRST_CHANGE + number,) * 2)
        unfinished.rename(path)


def _value(value: Any, column: str) -> Any:
    if column == WHOLE:
        return value
    if column == DOUBLE:
        return float(value)
    text, number = value_of(value)
    return repr(number) if text is None else text
