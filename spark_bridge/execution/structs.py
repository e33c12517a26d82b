"""Rows with columns in Spark: their calc in front of the operator, and what is computed of the rows behind it.

What Spark has computed of the rows of a list comes to the driver, as the list itself does: the key of each row and its
JSON text. The operator's rows have numbers of rows in place of these, which are put in at the end; aggregates of
columns are computed by Spark over the rows that each result is over.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.items import DELETE, FILTERED, UPSERT, Record
from tidemark.simulator.scenario.calc import key_of_parts
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.sql.types import MOST_DIGITS, Computed, plain
from tidemark.spark_bridge.execution.rows import TYPES
from tidemark.spark_bridge.plan.batch import PLACE, Rows, Structs, written_row
from tidemark.spark_bridge.results.canonical import COLUMNS, aggregates_text, value_json

_ARROW: Final = {"string": pa.string(), "double": pa.float64(), "bigint": pa.int64()}
_SCHEMA: Final = pa.schema([(name, _ARROW[kind]) for name, kind in TYPES.items()])


@dataclass(frozen=True)
class Evaluated:
    """``scenario``: its stream has the keys and the filter of Spark, and as values the numbers of rows.

    ``texts``: what stands for a number; ``table``: the columns of the rows of the only input, with their ``number``.
    """

    scenario: Scenario
    texts: dict[int, str]
    table: DataFrame | None
    structs: Structs

    def written(self, spark: SparkSession, rows: DataFrame) -> DataFrame:
        """The operator's ``rows`` with what the numbers in them stand for."""
        found = rows.select(*COLUMNS).toArrow().to_pylist()
        function = self.scenario.operator.function
        aggregates = dict[int, str]()
        if self.structs.aggregates:
            lists = [(place, json.loads(row["value_text"])) for place, row in enumerate(found) if _is_result(row)]
            aggregates = self._aggregated(spark, lists)
        counts = function is not None and function.compute not in (None, "collect") and not self.structs.aggregates
        for place, row in enumerate(found):
            if place in aggregates:
                row["value_text"] = aggregates[place]
            elif row["value_text"] is not None and not (counts and _is_result(row)):
                row["value_text"] = value_json(self._value(json.loads(row["value_text"])))
            if row["own"] is not None:
                row["own"] = self.texts[int(row["own"])]
        return spark.createDataFrame(pa.Table.from_pylist(found, schema=_SCHEMA))

    def _value(self, value: Any) -> Any:
        """``value`` with rows in place of their numbers: a number, a list of them, a pair of records, or of lists."""
        if isinstance(value, dict):
            return {name: each if name == "ts" else self._value(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._value(each) for each in value]
        return None if value is None else json.loads(self.texts[value])

    def _aggregated(self, spark: SparkSession, lists: Sequence[tuple[int, list[int]]]) -> dict[int, str]:
        """The JSON text of all aggregates over each list of rows."""
        assert self.table is not None
        schema = pa.schema({"result": pa.int64(), "numbers": pa.list_(pa.int64())})
        results = [{"result": place, "numbers": numbers} for place, numbers in lists]
        given = spark.createDataFrame(pa.Table.from_pylist(results, schema=schema))
        each = given.select("result", F.posexplode_outer("numbers").alias(PLACE, "number"))
        named = self.structs.aggregates
        grouped = each.join(self.table, "number", "left").groupBy("result")
        found = grouped.agg(*(F.expr(of.text).alias(of.name) for of in named.values()))
        return {
            row["result"]: aggregates_text({name: plain(of.type)(row[of.name]) for name, of in named.items()})
            for row in found.toArrow().to_pylist()
        }


def _is_result(row: dict[str, Any]) -> bool:
    return row["row"] == "pane" or row["own"] is not None


def evaluated(spark: SparkSession, structs: Structs, scenario: Scenario) -> Evaluated:
    """What Spark makes of the columns of the records in ``scenario``, which is a list."""
    stream = scenario.stream
    assert isinstance(stream, tuple)
    items: list[Any] = list(stream)
    texts: dict[int, str] = {}
    table = None
    for spec, rows in zip(scenario.inputs, structs.rows, strict=True):
        places = [place for place, item in enumerate(items) if isinstance(item, Record) and item.input == spec.name]
        if rows is None:
            for place in places:
                texts[place] = value_json(items[place].value)
                items[place] = items[place]._replace(value=place)
            continue
        written = [written_row(spec, items[place]) for place in places]
        table = _calculated(read_rows(spark, rows, places, written), rows, structs.order).localCheckpoint()
        for found, given in zip(table.sort("item").toArrow().to_pylist(), written, strict=True):
            place, number = found["item"], found["number"]
            chosen = {name: plain(each.type)(found[each.name]) for name, each in rows.select.items()}
            texts[number] = value_json({**given, **chosen})
            record = items[place]
            parts = [plain(each.type)(found[each.name]) for each in rows.key]
            op = record.op if record.op == DELETE else UPSERT if found["passes"] else FILTERED
            key = key_of_parts(parts) if parts else record.key
            items[place] = record._replace(key=key, value=number, op=op)
    return Evaluated(replace(scenario, stream=tuple(items)), texts, table, structs)


def _calculated(table: DataFrame, rows: Rows, order: tuple[str, bool] | None) -> DataFrame:
    for each in rows.select.values():
        table = table.withColumn(each.name, F.expr(each.text))
    key = {each.name: F.expr(each.text) for each in rows.key}
    table = table.withColumns(key | {"passes": F.expr(rows.where)})
    if order is None:
        return table.withColumn("number", F.col("item"))
    column, largest_first = order
    # Of equal rows the first to come is the first, in both orders.
    by = F.col(column).desc_nulls_last() if largest_first else F.col(column).asc_nulls_first()
    place = F.row_number().over(Window.orderBy(by, "item")).cast("bigint")
    return table.withColumn("number", -place if largest_first else place)


def read_rows(spark: SparkSession, rows: Rows, places: Sequence[int], written: Sequence[dict[str, Any]]) -> DataFrame:
    """The columns of records as they are written, each with its place as ``item``."""
    fields, columns = [("item", pa.int64())], [pa.array(places, pa.int64())]
    for each, named in rows.columns.items():
        type, of = _arrow(named.type), named.type.of
        fields.append((named.name, type))
        columns.append(pa.array([of({each: row.get(each)}) for row in written], type))
    return spark.createDataFrame(pa.Table.from_arrays(columns, schema=pa.schema(fields)))


def _arrow(of: Computed) -> pa.DataType:
    match of.type:
        case "small":
            return pa.int8() if of.bits == 8 else pa.int16()
        case "int" | "date":
            return pa.int32()
        case "decimal":
            return pa.decimal128(of.precision or MOST_DIGITS, of.digits)
        case "double" | "float":
            return pa.float64() if of.type == "double" else pa.float32()
        case "text":
            return pa.string()
        case "boolean":
            return pa.bool_()
        case "array":
            assert of.element is not None
            return pa.list_(_arrow(of.element))
        case _:
            return pa.int64()
