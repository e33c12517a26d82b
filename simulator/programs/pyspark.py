"""A Python program that runs the scenario as a Structured Streaming query of Spark.

Each micro-batch is a file, and ``availableNow`` with one file a trigger takes them in order. So the batches are the
scenario's own, whatever the speed of the machine.
"""

from typing import Any, Final

from tidemark.simulator.limits import PROGRAM_RECORDS
from tidemark.simulator.programs.facts import NotExpressible, check_failures, facts_of, title_of
from tidemark.simulator.programs.spark_rules import END, by_spark
from tidemark.simulator.scenario.model import Scenario, Session, Sliding, SparkJoin, SparkWindow, Tumbling
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.values.items import BatchEnd, Record
from tidemark.simulator.words import words

_TYPES: Final = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "STRING"}


def pyspark(scenario: Scenario) -> str:
    """The program. Raises ``NotExpressible`` with the reason if Spark gives other rows than ``scenario`` does."""
    own = scenario.engine == "spark"
    rules = scenario if own else by_spark(facts_of(scenario))
    batches = _batches(rules)
    if own:
        check_failures(scenario)
    records = [record for batch in batches for record in batch if record.key != END]
    head = [f'"""{title_of(scenario)}', "", words("programs.pyspark.about", language="en")]
    if not own:
        head += ["", words("programs.pyspark.batches", language="en")]
    operator = rules.operator
    assert isinstance(operator, SparkWindow | SparkJoin)
    types = _types(records, joins=isinstance(operator, SparkJoin))
    parts = [
        "\n".join([*head, '"""', ""]), _IMPORTS, _listed(rules, batches), _SESSION,
        _READING.replace("KEY_TYPE", types[0]).replace("VALUE_TYPE", types[1]),
        _joined(rules, operator, own=own) if isinstance(operator, SparkJoin) else _aggregated(rules, operator, own=own),
        _PRINT.replace("MODE", operator.output_mode if isinstance(operator, SparkWindow) else "append"),
    ]  # fmt: skip
    return "\n".join(parts)


def _batches(scenario: Scenario) -> list[list[Record]]:
    found: list[list[Record]] = [[]]
    count = 0
    for each in items(scenario):
        if isinstance(each, BatchEnd):
            found.append([])
        elif isinstance(each, Record):
            found[-1].append(each)
            count += 1
        if count > PROGRAM_RECORDS:
            raise NotExpressible("long", limit=PROGRAM_RECORDS)
    return found if found[-1] else found[:-1]


def _types(records: list[Record], *, joins: bool) -> tuple[str, str]:
    keys = {type(each.key) for each in records}
    if len(keys) > 1:
        raise NotExpressible("keys")
    values = {type(each.value) for each in records}
    if values == {int, float}:
        values = {float}
    key = _TYPES[next(iter(keys), str)]
    if joins:
        return key, "STRING"
    if not values <= {int, float}:
        # Only COUNT takes any value, and it does not look at them.
        return key, "STRING"
    return key, _TYPES[next(iter(values), int)]


def _listed(scenario: Scenario, batches: list[list[Record]]) -> str:
    """The records by batch; of a join each batch has those of both inputs."""
    joins = isinstance(scenario.operator, SparkJoin)
    lines = [f"# {words('programs.pyspark.records', language='en')}", "BATCHES = ["]
    for batch in batches:
        rows = [_row(each, joins=joins) for each in batch]
        lines.append(f"    [{', '.join(rows)}]," if len(rows) < 2 else "    [")
        if len(rows) > 1:
            lines += [*(f"        {row}," for row in rows), "    ],"]
    return "\n".join([*lines, "]", ""])


def _row(record: Record, *, joins: bool) -> str:
    row: dict[str, Any] = {"in": record.input} if joins else {}
    key = None if record.key == END else record.key
    return repr({**row, "time": record.ts, "key": key, "value": record.value})


def _aggregated(scenario: Scenario, operator: SparkWindow, *, own: bool) -> str:
    match operator.assigner:
        case Tumbling(size=size, offset=offset):
            window = f'F.window("time", "{size} milliseconds", "{size} milliseconds", "{offset} milliseconds")'
        case Sliding(size=size, slide=slide, offset=offset):
            window = f'F.window("time", "{size} milliseconds", "{slide} milliseconds", "{offset} milliseconds")'
        case Session(gap=gap):
            window = f'F.session_window("time", "{gap} milliseconds")'
        case other:
            raise NotExpressible("spark_assigner", assigner=other.type)
    compute = operator.function.compute
    value = "F.count(F.lit(1))" if compute == "count" else f'F.{compute}("value")'
    (given,) = scenario.inputs
    delayed = "" if given.delay is None else f'.withWatermark("time", "{given.delay} milliseconds")'
    # Not a WHERE: Spark would push it below the watermark, which the last record is there to move.
    text = _AGGREGATION.replace("NAME", repr(given.name)).replace("DELAYED", delayed).replace("WINDOW", window)
    text = text.replace("VALUE", value)
    return text if not own else text.replace(', "timestamp": row.end - 1}', "}")


def _joined(scenario: Scenario, operator: SparkJoin, *, own: bool) -> str:
    delays = {each.name: each.delay for each in scenario.inputs}
    sides = "".join(
        f'{side} = named("{side}")'
        + ("" if delays[side] is None else f'.withWatermark("{side}_time", "{delays[side]} milliseconds")')
        + "\n"
        for side in ("left", "right")
    )
    interval = ""
    if operator.lower is not None and operator.upper is not None:
        interval = _INTERVAL.replace("LOWER", str(operator.lower)).replace("UPPER", str(operator.upper))
    times = "" if own else ', "timestamp": max(row.left_ts, row.right_ts), "start": None, "end": None'
    return (
        _JOIN.replace("TIMES", times)
        .replace("SIDES", sides)
        .replace("INTERVAL", interval)
        .replace("POLICY", operator.watermark_policy)
    )


_IMPORTS: Final = """\
import json
import os
import tempfile
from datetime import timedelta
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
"""

_SESSION: Final = """\
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.sql.shuffle.partitions", "1")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
files = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # it goes when the program ends
folder = Path(files.name)
"""

_READING: Final = '''\

def stream(name, records):
    """A streaming DataFrame that reads a file for each micro-batch; the first files are the oldest."""
    (folder / name).mkdir()
    for number, batch in enumerate(records):
        path = folder / name / f"{number:06}.json"
        path.write_text("".join(json.dumps(row) + "\\n" for row in batch))
        os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
    schema = "time BIGINT, key KEY_TYPE, value VALUE_TYPE"
    reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    return reader.json(str(folder / name)).withColumn("time", F.timestamp_millis("time"))


'''

_AGGREGATION: Final = '''\
events = stream(NAME, BATCHES)DELAYED
results = (
    events.groupBy("key", WINDOW.alias("window"))
    .agg(VALUE.alias("value"))
    .select("key", F.unix_millis("window.start").alias("start"), F.unix_millis("window.end").alias("end"), "value")
)


def as_json(row):
    """A result as it is printed."""
    window = {"start": row.start, "end": row.end}
    return {"row": "pane", "key": row.key, **window, "value": row.value, "timestamp": row.end - 1}


'''

_JOIN: Final = '''\
spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "POLICY")


def named(side):
    """One side, whose columns begin with its name; values are kept as JSON texts."""
    rows = [[{**row, "value": json.dumps(row["value"])} for row in batch if row["in"] == side] for batch in BATCHES]
    events = stream(side, rows)
    return events.select(*(F.col(name).alias(f"{side}_{name}") for name in ("time", "key", "value")))


SIDES
condition = F.col("left_key") == F.col("right_key")
INTERVAL
results = left.join(right, condition, "inner").select(
    F.col("left_key").alias("key"),
    F.unix_millis("left_time").alias("left_ts"), "left_value",
    F.unix_millis("right_time").alias("right_ts"), "right_value",
)


def as_json(row):
    """A result as it is printed."""
    left = {"ts": row.left_ts, "value": json.loads(row.left_value)}
    right = {"ts": row.right_ts, "value": json.loads(row.right_value)}
    return {"row": "joined", "key": row.key, "left": left, "right": rightTIMES}


'''

_INTERVAL: Final = """\
condition &= F.col("right_time") >= F.col("left_time") + F.lit(timedelta(milliseconds=LOWER))
condition &= F.col("right_time") <= F.col("left_time") + F.lit(timedelta(milliseconds=UPPER))
"""

_PRINT: Final = '''\
def show(batch, number):
    """Print the results of a micro-batch."""
    for row in batch.collect():
        print(json.dumps(as_json(row), ensure_ascii=False), flush=True)


writer = results.writeStream.outputMode("MODE").option("checkpointLocation", str(folder / "checkpoint"))
writer.foreachBatch(show).trigger(availableNow=True).start().awaitTermination()
'''
