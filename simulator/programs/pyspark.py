"""A Python program that runs the scenario as a Structured Streaming query of Spark.

Each micro-batch is a file, and ``availableNow`` with one file a trigger takes them in order. So the batches are the
scenario's own, whatever the speed of the machine.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, cast

from tidemark.simulator import run
from tidemark.simulator.engine.values.items import BatchEnd, Item, Record
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.limits import PROGRAM_RECORDS
from tidemark.simulator.programs.facts import Facts, NotExpressible, check_failures, facts_of, title_of
from tidemark.simulator.scenario import model  # fmt: skip
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.words import words

# A Flink scenario by Spark's rules: the micro-batches in which Spark gives the same rows, if there are any.
#
# Spark's watermark moves between micro-batches, and its filter for late records follows one batch behind. With one
# record a batch and an empty batch behind each, both have moved by the next record, as Flink's has. What is left of
# the difference is looked at, not argued: the simulator runs both, and a scenario whose rows differ has no program.

END: Final = "\x00end"
"""The key of a last record that only moves the watermark; no program prints it."""


def by_spark(facts: Facts) -> model.Scenario:
    """The scenario by Spark's rules that gives the rows of ``facts``. Raises ``NotExpressible`` if there is none."""
    scenario = facts.scenario
    if any(not isinstance(each, Record) for each in facts.items):
        raise NotExpressible("spark_watermarks")
    if any(each.channels > 1 for each in scenario.inputs):
        raise NotExpressible("spark_channels")
    if (zone := scenario.operator.session_zone) is not None:
        raise NotExpressible("spark_zone", zone=zone)
    operator = _operator(facts)
    inputs = tuple(model.InputSpec(each.name, delay=_delay(each)) for each in scenario.inputs)
    items: list[Item] = []
    for record in facts.records():
        items += [record._replace(at=None, channel=0), BatchEnd(), BatchEnd()]
    made = replace(scenario, operator=operator, inputs=inputs, stream=tuple(items), engine="spark", goals=(),
                   walkthrough=())  # fmt: skip
    if facts.ends and not operator.is_join:
        # A join has given its pairs by then.
        made = _ended(made)
    if _compared(_rows(made)) != _compared(list(facts.rows)):
        raise NotExpressible("spark_differs")
    return made


def _operator(facts: Facts) -> model.Operator:
    operator = facts.scenario.operator
    twin = operator.in_spark
    if twin is None:
        raise NotExpressible("spark_operator", operator=operator.type)
    if operator.keeps_windows:
        trigger, assigner = operator.trigger, operator.assigner
        at_end = isinstance(trigger, model.AfterEndOfWindow) and trigger.early is None and trigger.late is None
        if not (at_end or isinstance(trigger, model.EventTimeTrigger)) or operator.evictor is not None:
            raise NotExpressible("spark_trigger")
        if not isinstance(assigner, model.Tumbling | model.Sliding | model.Session):
            raise NotExpressible("spark_assigner", assigner=getattr(assigner, "type", ""))
        if isinstance(assigner, model.Sliding) and assigner.slide > assigner.size:
            raise NotExpressible("spark_slide")
        if operator.compute not in ("sum", "count", "min", "max", "avg"):
            raise NotExpressible("sql_function", function=operator.compute)
    return cast(model.Operator, twin)


def _delay(given: model.InputSpec) -> int:
    """Spark's ``withWatermark``: a window goes when its end, and not its end - 1, is at or below the watermark."""
    match given.watermark:
        case model.BoundedOutOfOrderness(bound=bound):
            return bound
        case model.MonotonousTimestamps():
            return 0
        case model.SqlWatermark(bound=bound, when=None) | model.Punctuated(bound=bound) if bound:
            return bound - 1
    raise NotExpressible("spark_strategy", input=given.name)


def _ended(scenario: model.Scenario) -> model.Scenario:
    """``scenario`` with a last record so far ahead that the watermark passes every window but its own."""
    assert isinstance(scenario.stream, tuple)
    times = [each.ts or 0 for each in scenario.stream if isinstance(each, Record)]
    (given,) = scenario.inputs
    assigner = scenario.operator.assigner
    assert isinstance(assigner, model.Tumbling | model.Sliding | model.Session)
    reach = assigner.gap if isinstance(assigner, model.Session) else assigner.size
    later = max(times, default=0) + (given.delay or 0) + 2 * reach + 86_400_000
    return replace(scenario, stream=(*scenario.stream, Record(END, later, 0, given.name), BatchEnd()))


def _rows(scenario: model.Scenario) -> list[Any]:
    rows: list[Any] = []
    run(scenario, lambda row: rows.append(row) if row["row"] in ("pane", "joined", "error") else None)
    return [row for row in rows if row.get("key") != END]


def _compared(rows: list[Any]) -> Counter[str]:
    names = ("row", "key", "start", "end", "left", "right")
    found: Counter[str] = Counter()
    for row in rows:
        value = row.get("value")
        number = float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        found[json_text({**{name: row.get(name) for name in names}, "value": number})] += 1
    return found


_TYPES: Final = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "STRING"}


def pyspark(scenario: model.Scenario) -> str:
    """The program. Raises ``NotExpressible`` with the reason if Spark gives other rows than ``scenario`` does."""
    own = scenario.engine == "spark"
    rules = scenario if own else by_spark(facts_of(scenario))
    batches = batches_of(rules)
    if own:
        check_failures(scenario)
    records = [record for batch in batches for record in batch if record.key != END]
    operator = rules.operator
    types = _types(records, joins=operator.is_join)
    parts = [
        head(scenario, own=own), IMPORTS, listed(batches, lambda record: _row(record, joins=operator.is_join)), SESSION,
        READING.replace("SCHEMA", f'"time BIGINT, key {types[0]}, value {types[1]}"'),
        _joined(rules, own=own) if operator.is_join else _aggregated(rules, own=own),
        PRINT.replace("MODE", operator.output_mode or "append"),
    ]  # fmt: skip
    return "\n".join(parts)


def head(scenario: model.Scenario, *, own: bool) -> str:
    """What stands above a program; ``own``: the scenario runs by Spark's own rules."""
    lines = [f'"""{title_of(scenario)}', "", words("programs.pyspark.about", language="en")]
    if not own:
        lines += ["", words("programs.pyspark.batches", language="en")]
    return "\n".join([*lines, '"""', ""])


def batches_of(scenario: model.Scenario) -> list[list[Record]]:
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


def listed(batches: list[list[Record]], row: Callable[[Record], str]) -> str:
    """The records by batch, each as ``row`` writes it; of a join each batch has those of both inputs."""
    lines = [f"# {words('programs.pyspark.records', language='en')}", "BATCHES = ["]
    for batch in batches:
        rows = list(map(row, batch))
        lines.append(f"    [{', '.join(rows)}]," if len(rows) < 2 else "    [")
        if len(rows) > 1:
            lines += [*(f"        {row}," for row in rows), "    ],"]
    return "\n".join([*lines, "]", ""])


def _row(record: Record, *, joins: bool) -> str:
    row: dict[str, Any] = {"in": record.input} if joins else {}
    key = None if record.key == END else record.key
    return repr({**row, "time": record.ts, "key": key, "value": record.value})


def _aggregated(scenario: model.Scenario, *, own: bool) -> str:
    compute = scenario.operator.compute
    value = "F.count(F.lit(1))" if compute == "count" else f'F.{compute}("value")'
    # Not a WHERE: Spark would push it below the watermark, which the last record is there to move.
    text = _AGGREGATION.replace("EVENTS", events_of(scenario)).replace("WINDOW", window_of(scenario.operator.assigner))
    text = text.replace("VALUE", value)
    return text if not own else text.replace(', "timestamp": row.end - 1}', "}")


def events_of(scenario: model.Scenario) -> str:
    """The stream of the only input, with its watermark."""
    (given,) = scenario.inputs
    delayed = "" if given.delay is None else f'.withWatermark("time", "{given.delay} milliseconds")'
    return f"stream({given.name!r}, BATCHES){delayed}"


def window_of(assigner: Any) -> str:
    """The windows of an assigner. Raises ``NotExpressible``."""
    match assigner:
        case model.Tumbling(size=size, offset=offset):
            return f'F.window("time", "{size} milliseconds", "{size} milliseconds", "{offset} milliseconds")'
        case model.Sliding(size=size, slide=slide, offset=offset):
            return f'F.window("time", "{size} milliseconds", "{slide} milliseconds", "{offset} milliseconds")'
        case model.Session(gap=gap):
            return f'F.session_window("time", "{gap} milliseconds")'
        case other:
            raise NotExpressible("spark_assigner", assigner=getattr(other, "type", ""))


def _joined(scenario: model.Scenario, *, own: bool) -> str:
    delays = {each.name: each.delay for each in scenario.inputs}
    sides = "".join(
        f'{side} = named("{side}")'
        + ("" if delays[side] is None else f'.withWatermark("{side}_time", "{delays[side]} milliseconds")')
        + "\n"
        for side in ("left", "right")
    )
    interval = ""
    if (bounds := scenario.operator.bounds) is not None:
        interval = _INTERVAL.replace("LOWER", str(bounds[0])).replace("UPPER", str(bounds[1]))
    times = "" if own else ', "timestamp": max(row.left_ts, row.right_ts), "start": None, "end": None'
    return (
        _JOIN.replace("TIMES", times)
        .replace("SIDES", sides)
        .replace("INTERVAL", interval)
        .replace("POLICY", scenario.operator.watermark_policy or "")
    )


IMPORTS: Final = """\
import json
import os
import tempfile
from datetime import timedelta
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
"""

SESSION: Final = """\
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

READING: Final = '''\

def stream(name, records):
    """A streaming DataFrame that reads a file for each micro-batch; the first files are the oldest."""
    (folder / name).mkdir()
    for number, batch in enumerate(records):
        path = folder / name / f"{number:06}.json"
        path.write_text("".join(json.dumps(row) + "\\n" for row in batch))
        os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
    schema = SCHEMA
    reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    return reader.json(str(folder / name)).withColumn("time", F.timestamp_millis("time"))


'''

_AGGREGATION: Final = '''\
events = EVENTS
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

PRINT: Final = '''\
def show(batch, number):
    """Print the results of a micro-batch."""
    for row in batch.collect():
        print(json.dumps(as_json(row), ensure_ascii=False), flush=True)


writer = results.writeStream.outputMode("MODE").option("checkpointLocation", str(folder / "checkpoint"))
writer.foreachBatch(show).trigger(availableNow=True).start().awaitTermination()
'''
