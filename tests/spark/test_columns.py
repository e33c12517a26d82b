"""Rows with columns: Spark computes of them what Flink computes, or the bridge says which function has no twin."""

import json
import math
import re
import tomllib
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.sql import functions as F
from tidemark.simulator.programs.spark_columns import PLACE, Named, Rows, aggregate
from tidemark.simulator.programs.spark_expressions import NoTwin, Translator, spark_type
from tidemark.simulator.scenario import Scenario, parse
from tidemark.simulator.sql.aggregate_functions import compiled_aggregate
from tidemark.simulator.sql.casts import written
from tidemark.simulator.sql.expressions import compiled
from tidemark.simulator.sql.parsing import expression
from tidemark.simulator.sql.syntax import Call
from tidemark.simulator.sql.types import column, plain, type_of
from tidemark.spark_bridge import check
from tidemark.spark_bridge.plan.coverage import gaps_of
from tidemark.spark_bridge.results.canonical import aggregates_text

from tests.spark.spark_sides import MASTER

pytestmark = pytest.mark.spark

RECORDED = Path(__file__).parent.parent / "sql"
AT_ONCE = 60
"""So many expressions are one job of Spark."""


def rows_of(columns: dict[str, str], records: list[dict[str, Any]], zone: str = "UTC") -> Rows:
    """Without columns that the bridge has no type for, and those with times finer than it reads."""
    found = {}
    for name, text in columns.items():
        of = column(name, type_of(text), zone)
        try:
            spark_type(of)
            for row in records:
                of.of(row)
        except (NoTwin, ValueError):
            continue
        found[name] = Named(f"c{len(found)}", f"c{len(found)}", of)
    return Rows(found, {}, "", ())


def table_of(spark: Any, rows: Rows, records: list[dict[str, Any]]) -> Any:
    from tidemark.spark_bridge.execution.structs import read_rows

    return read_rows(spark, rows, range(len(records)), records)


def computed(table: Any, texts: dict[str, str]) -> dict[str, list[Any]]:
    """The values of each expression of Spark in the rows of ``table``, by name."""
    found: dict[str, list[Any]] = {}
    names = list(texts)
    for first in range(0, len(names), AT_ONCE):
        some = names[first : first + AT_ONCE]
        made = table.select("item", *(F.expr(texts[name]).alias(f"e{n}") for n, name in enumerate(some)))
        rows = made.sort("item").toArrow().to_pylist()
        found |= {name: [row[f"e{n}"] for row in rows] for n, name in enumerate(some)}
    return found


TABLES = tomllib.loads((RECORDED / "expressions.toml").read_text("utf-8"))["table"]


@pytest.mark.parametrize("table", TABLES, ids=lambda each: f"{len(each['values'])} in {each['zone']}")
def test_an_expression_is_what_flink_computes_or_has_no_twin(spark: Any, table: dict[str, Any]) -> None:
    zone = table["zone"]
    rows = rows_of(table["columns"], table["rows"], zone)
    known = {name: column(name, type_of(text), zone) for name, text in table["columns"].items()}
    to = Translator(known, {name: each.name for name, each in rows.columns.items()}, zone)
    texts, refused = {}, []
    for text in table["values"]:
        try:
            found = to.of(expression(text))
        except (NoTwin, KeyError) as name:
            refused.append(f"{text}: {name}")
        else:
            texts[text] = f"CAST({found.text} AS {spark_type(found.type)})" if found.type.type != "null" else found.text
    values, different = computed(table_of(spark, rows, table["rows"]), texts), []
    for text, each in values.items():
        write = written(compiled(expression(text), known, zone), zone)
        assert write is not None
        shown = ["NULL" if value is None else write(value) for value in each]
        type, _, wanted = table["values"][text].partition(": ")
        if not all(is_close(*pair, type) for pair in zip(shown, wanted.split(" | "), strict=True)):
            different.append(f"{text} = {texts[text]}: {' | '.join(shown)}, not {wanted}")
    assert different == []
    assert len(texts) > len(refused)


def is_close(one: str, two: str, type: str) -> bool:
    if one == two or type != "DOUBLE" or "NULL" in (one, two):
        return one == two
    return math.isclose(float(one), float(two), rel_tol=1e-15)


LINES = [json.loads(line) for line in (RECORDED / "aggregates.jsonl").read_text("utf-8").splitlines()]
CALLS = [line for line in LINES if "call" in line and "refused" not in line]
HUGE = 10
"""The first row whose double is huge."""


@pytest.mark.parametrize("place", ["window", "rows"])
def test_an_aggregate_is_what_flink_computes_or_has_no_twin(spark: Any, place: str) -> None:
    records = [line["row"] for line in LINES if "row" in line]
    rows = rows_of(LINES[0]["columns"], records)
    known = {name: column(name, type_of(text)) for name, text in LINES[0]["columns"].items()}
    to = Translator(known, {name: each.name for name, each in rows.columns.items()}, "UTC")
    hours = groupby(range(len(records)), key=lambda number: records[number]["ts"][:13])
    lists = [list(each) for _, each in hours]
    if place == "rows":
        lists = [list(range(max(0, number - 2), number + 1)) for number in range(len(records))]
    each = spark.createDataFrame(
        [(n, numbers) for n, numbers in enumerate(lists)], "item BIGINT, numbers ARRAY<BIGINT>"
    )
    each = each.select("item", F.posexplode("numbers").alias(PLACE, "number"))
    grouped = each.join(table_of(spark, rows, records).withColumnRenamed("item", "number"), "number").groupBy("item")
    texts, types = {}, {}
    for line in CALLS:
        if line["place"] == place:
            call = expression(line["call"])
            assert isinstance(call, Call)
            type = compiled_aggregate(call, known, "UTC").type
            try:
                texts[line["call"]] = aggregate(call, to, type, frame=place == "rows")
            except NoTwin:
                continue
            types[line["call"]] = type
    found = grouped.agg(*(F.expr(text).alias(f"a{n}") for n, text in enumerate(texts.values()))).sort("item")
    values = found.toArrow().to_pylist()
    wanted = {line["call"]: line["results"] for line in CALLS if line["place"] == place}
    different = []
    for n, call in enumerate(texts):
        ours = [plain(types[call])(row[f"a{n}"]) for row in values]
        # What a frame of doubles keeps of a huge number that has left it is not in its rows any more.
        most = HUGE if place == "rows" and types[call].type == "double" else len(lists)
        if aggregates_text({"is": ours[:most]}) != aggregates_text({"is": wanted[call][:most]}):
            different.append(f"{call} = {texts[call]}: {ours}, not {wanted[call]}")
    assert different == []
    assert len(texts) > 50


# The whole check

HEAD = """
scenario: 1
name: columns
inputs:
  orders:
    watermark: {generator: sql, bound: 2s}
    columns: {shop: STRING, region: STRING, price: "DECIMAL(10, 2)", qty: INT, f: DOUBLE, t: TIMESTAMP(3)}
    where: price > 0 AND (qty IS NULL OR qty <> 99)
    select:
      amount: price * qty
      size: CASE WHEN price >= 5 THEN 'big' ELSE LOWER(region) END
      minute_of: "DATE_FORMAT(t, 'HH:mm')"
"""
COMPUTE = """
  function:
    call: aggregate
    compute:
      n: COUNT(*)
      total: SUM(amount)
      d: COUNT(DISTINCT region)
      avg: AVG(f)
      few: SUM(qty) FILTER (WHERE f > 0)
      hi: MAX(size)
      times: "LISTAGG(minute_of, '|')"
"""
KEYS = "    key: [shop, UPPER(region)]"
OPERATORS = {
    "hop": (KEYS, "type: window, api: tvf, assigner: {type: sliding, size: 6s, slide: 2s}", COMPUTE),
    "session": (KEYS, "type: window, api: tvf, assigner: {type: session, gap: 2s}", COMPUTE),
    "over": (KEYS, "type: over, frame: {rows: 2}", COMPUTE),
    "last": ("    key: [size]", "type: deduplicate, keep: last", ""),
    "top-n": (KEYS, "type: window-top-n, assigner: {type: tumbling, size: 6s}, n: 2, order: desc, by: amount", ""),
}


def scenario_of(name: str) -> Scenario:
    key, operator, function = OPERATORS[name]
    dice, at, items = Random(7), 1000, []
    for number in range(60):
        at += dice.randint(0, 900)
        value = {
            "shop": dice.choice(["a", "1", "NULL", None]), "region": dice.choice(["eu", "US", None]),
            "price": dice.choice([0, 1, "7.25", 19.99]), "qty": dice.choice([1, 2, None, 99]),
            "f": dice.choice([0.1, 0.2, 1e3, -7.5, None]), "t": f"2026-01-31 1{number % 3}:0{number % 7}:00",
        }  # fmt: skip
        ts = max(0, at - dice.choice([0, 300, 1500, 2500, 6000]))
        items.append(f"  - {{ts: {ts}ms, at: {at}ms, value: {json.dumps(value)}}}")
    lines = "\n".join(f"  {each}" for each in re.split(r", (?=[a-z_]+: )(?![^{]*\})", operator))
    end = "  - {end: true, at: 90s}"
    return parse("\n".join([HEAD.strip(), key, "operator:", lines + function.rstrip(), "stream:", *items, end]))


@pytest.mark.parametrize("name", OPERATORS)
def test_both_sides_have_the_same_rows(name: str, java: None) -> None:
    report = check(scenario_of(name), master=MASTER)
    assert report.equal, report.differences[:3]
    assert report.panes > 10


@pytest.mark.parametrize(
    ("select", "name"), [("POWER(qty, 2)", "POWER"), ("INITCAP(shop)", "INITCAP"), ("DATE_FORMAT(t, 'EEE')", "EEE")]
)
def test_a_function_that_has_no_twin_is_refused_by_its_name(select: str, name: str) -> None:
    scenario = scenario_of("hop")
    other = replace(scenario.inputs[0], select=(*scenario.inputs[0].select, ("other", select)))
    (gap,) = gaps_of(replace(scenario, inputs=(other,)))
    assert gap.name == "columns"
    assert name in gap.reason
