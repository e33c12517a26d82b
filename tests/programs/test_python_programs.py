"""Scenarios as Python programs: whole, harmless, and refused where an engine gives other rows."""

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run
from tidemark.simulator.programs import NotExpressible, printed, program
from tidemark.simulator.programs.facts import ROWS
from tidemark.simulator.programs.sql_queries import interval
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario

ROOT = Path(__file__).parents[2]
TARGETS = ("pyflink-sql", "pyspark")
FILES = sorted([*(ROOT / "scenarios").glob("*.yaml"), *(ROOT / "tests" / "golden").glob("**/*.yaml")])

WINDOW = """
scenario: 1
name: x
title: TITLE
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 1s}}}
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
stream:
  - {ts: 1s, key: KEY, value: 1}
  - {ts: 7s, key: KEY, value: 2}
  - {end: true}
"""


def scenario_of(text: str = WINDOW, **changes: str) -> Scenario:
    for name, value in {"TITLE": "x", "KEY": "a", **changes}.items():
        text = text.replace(name, json.dumps(value) if name in ("TITLE", "KEY") else value)
    return parse(text)


def rows_of(scenario: Scenario) -> Counter[str]:
    found: Counter[str] = Counter()

    def sink(row: Any) -> None:
        if row["row"] in ROWS:
            found[json.dumps(printed(row), sort_keys=True)] += 1

    run(scenario, sink)
    return found


@pytest.mark.parametrize("target", TARGETS)
def test_every_scenario_is_a_program_or_is_refused_with_the_reason(target: str) -> None:
    texts: dict[str, str] = {}
    for file in FILES:
        with suppress(NotExpressible):
            texts[file.name] = program(load(file), target)
    for name, text in texts.items():
        compile(text, name, "exec")
    assert 20 < len(texts) < len(FILES)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("evil", ['"""\nimport os\n"""', "*/ x /*", "a\\", "'''", "{x}", "\u2028"])
def test_what_a_scenario_says_stays_text(target: str, evil: str) -> None:
    text = program(scenario_of(KEY=evil), target)
    names = compile(text, "x", "exec").co_names
    assert "os" not in names if target == "pyflink-sql" else "system" not in names
    assert repr(evil) in text
    titled = replace(scenario_of(), title={"en": evil})
    compile(program(titled, target), "x", "exec")


@pytest.mark.parametrize(
    ("change", "target", "reason"),
    [
        (("size: 5s}", "size: 5s}, time: processing"), "pyflink-sql", "clock of the machine"),
        (("- {end: true}", "- {watermark: 9s}"), "pyspark", "watermarks or statuses"),
        (("  - {end: true}\n", ""), "pyflink-sql", "does not end"),
        (("size: 5s}", "size: 5s}, allowed_lateness: 1s"), "pyflink-sql", "fire once"),
        (("bound: 1s", "bound: 1s, emit: 200ms"), "pyspark", "each-record"),
        (("operator:", 'flink: "1.17"\noperator:'), "pyspark", None),
        (("ts: 1s", "ts: -1s"), "pyflink-sql", "before 1970|1970"),
        (("compute: sum", "compute: sum}, evictor: {type: count, max: 1"), "pyspark", "evictor"),
        (("type: tumbling, size: 5s", "type: session, gap: 1s"), "pyspark", None),
    ],
)
def test_what_an_engine_cannot_do_is_refused(change: tuple[str, str], target: str, reason: str | None) -> None:
    scenario = parse(WINDOW.replace("TITLE", "x").replace("KEY", "a").replace(*change))
    if reason is None:
        assert program(scenario, target)
        return
    with pytest.raises(NotExpressible, match=reason):
        program(scenario, target)


def test_spark_filters_late_records_of_a_session_before_they_merge() -> None:
    """Flink takes the record at 2.5 s into the open session; Spark drops it, so there is no such program."""
    text = WINDOW.replace("type: tumbling, size: 5s", "type: session, gap: 2s").replace("bound: 1s", "bound: 0s")
    text = text.replace("ts: 7s", "ts: 4500ms").replace("  - {end", "  - {ts: 6s, key: KEY, value: 4}\n  - {ts: 2900ms, key: KEY, value: 8}\n  - {end")  # fmt: skip  # noqa: E501
    with pytest.raises(NotExpressible, match="other rows"):
        program(scenario_of(text), "pyspark")


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "INTERVAL '0' SECOND"), (5000, "INTERVAL '5' SECOND"), (1, "INTERVAL '0.001' SECOND"),
        (100_000, "INTERVAL '0 00:01:40.000' DAY TO SECOND"), (-28_800_000, "INTERVAL -'8' HOUR"),
        (604_800_000, "INTERVAL '7' DAY"), (3_600_001, "INTERVAL '0 01:00:00.001' DAY TO SECOND"),
    ],
)  # fmt: skip
def test_intervals_keep_to_the_digits_that_flink_takes(ms: int, text: str) -> None:
    assert interval(ms) == text


COLUMNS = """
scenario: 1
name: x
inputs:
  events:
    watermark: {generator: sql, bound: 1s}
    columns: {shop: STRING, item: INT, price: "DECIMAL(6, 2)", seen: TIMESTAMP(3), born: DATE, rush: BOOLEAN}
    select: {net: price * 0.9}
    where: item <> 9 AND net > 1
    key: [shop, "MOD(item, 2)"]
operator:
  type: window
  api: tvf
  assigner: {type: tumbling, size: 5s}
  function:
    call: aggregate
    compute:
      n: COUNT(*)
      kinds: COUNT(DISTINCT item)
      total: SUM(net)
      mean: AVG(price)
      rushed: COUNT(*) FILTER (WHERE rush)
      earliest: MIN(seen)
      oldest: MIN(born)
      first: FIRST_VALUE(item)
      items: LISTAGG(CAST(item AS STRING))
      prices: ARRAY_AGG(price)
stream:
  - {ts: 1s, value: {shop: a, item: 1, price: 2.50, seen: "2026-01-31 10:00:00.5", born: "1999-12-31", rush: true}}
  - {ts: 2s, value: {shop: a, item: 3, price: 10, seen: "2026-01-31 09:00:00"}}
  - {ts: 3s, value: {shop: a, item: 3, price: 9999.99, rush: false}}
  - {ts: 3s, value: {item: 2, price: 7}}
  - {ts: 4s, value: {shop: b, item: 2}}
  - {ts: 60s, value: {shop: a, item: 9, price: 3}}
  - {ts: 4s, value: {shop: a, item: 1, price: 5}}
"""


@pytest.mark.spark
def test_programs_for_spark_print_the_rows_of_their_scenarios(tmp_path: Path) -> None:
    names = ("day-needs-an-offset", "interval-join-keeps")
    scenarios = [*(load(ROOT / "scenarios" / f"{name}.yaml") for name in names), parse(COLUMNS)]
    assert len(rows_of(scenarios[-1])) == 2, "the row that the filter drops has moved the watermark"
    both = tmp_path / "both.py"
    both.write_text("\nprint('---')\n".join(program(each, "pyspark") for each in scenarios), encoding="utf-8")
    (made := tmp_path / "made").mkdir()
    (settings := tmp_path / "settings").mkdir()
    # Of a few records each, so that compiling a query to Java takes longer than running it.
    quick = ("spark.sql.codegen.wholeStage false", "spark.sql.codegen.factoryMode NO_CODEGEN")
    (settings / "spark-defaults.conf").write_text("\n".join(quick), encoding="utf-8")
    own = {**os.environ, "TMPDIR": str(made), "SPARK_CONF_DIR": str(settings)}
    command = [sys.executable, str(both)]
    done = subprocess.run(command, env=own, capture_output=True, text=True, timeout=300, check=True)
    for scenario, out in zip(scenarios, done.stdout.split("---\n"), strict=True):
        assert Counter(json.dumps(json.loads(line), sort_keys=True) for line in out.splitlines()) == rows_of(scenario)
    assert list(made.iterdir()) == [], "the files of a program go when it ends"


UPDATING = """
scenario: 1
name: x
inputs: {events: {watermark: {generator: sql, bound: 1s}}}
operator:
  type: window
  api: sql
  assigner: {type: tumbling, size: 5s}
  trigger: {type: after-end-of-window, early: {type: every-element}}
  allowed_lateness: 5s
  updates: true
  function: {call: aggregate, compute: sum}
stream:
  - {ts: 1s, key: a, value: 1}
  - {ts: 7s, key: a, value: 2}
  - {ts: 2s, key: a, value: 4}
  - {end: true}
"""


def test_windows_that_take_results_back_are_group_windows_with_their_settings() -> None:
    text = program(parse(UPDATING), "pyflink-sql")
    for name, value in (("allow-lateness", "5000 ms"), ("early-fire.enabled", "true"), ("early-fire.delay", "0 ms"),
                        ("late-fire.enabled", "true"), ("late-fire.delay", "0 ms")):  # fmt: skip
        assert f'flink.get_config().set("table.exec.emit.{name}", "{value}")' in text
    assert "GROUP BY k, TUMBLE(rt, INTERVAL '5' SECOND)" in text
    assert '"change": {RowKind.INSERT: "+I"' in text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("type: tumbling, size: 5s", "type: session, gap: 5s"), "session windows fire once"),
        (("early: {type: every-element}", "early: {type: count, max: 2}"), "this trigger"),
        (("early: {type: every-element}", "early: {type: processing-time-every, interval: 1s}"), "machine's clock"),
        (("size: 5s}", "size: 5s, offset: 1s}"), "offset"),
        (("updates: true", "updates: false"), "this trigger"),
    ],
)
def test_other_windows_that_fire_twice_are_refused(change: tuple[str, str], reason: str) -> None:
    with pytest.raises(NotExpressible, match=reason):
        program(parse(UPDATING.replace(*change)), "pyflink-sql")


def test_a_deleted_version_cannot_be_a_row_of_a_file() -> None:
    with pytest.raises(NotExpressible, match="a delete is none"):
        program(load(ROOT / "tests" / "golden" / "temporal-delete.yaml"), "pyflink-sql")


def test_a_time_that_pyflink_gives_a_microsecond_short_is_the_millisecond_it_was() -> None:
    text = program(scenario_of(), "pyflink-sql")
    names: dict[str, Any] = {"EPOCH": datetime(1970, 1, 1), "timedelta": timedelta}  # noqa: DTZ001
    exec(text[text.index("def ms(") : text.index("with flink.")], names)
    assert names["ms"](datetime(1970, 1, 1, 0, 0, 1, 999)) == 1001  # noqa: DTZ001
    assert names["ms"](None) is None


def test_a_row_that_depends_on_the_order_of_two_inputs_has_no_program() -> None:
    """The table gives two watermarks as one, and then the version may be gone before a late row comes."""
    with pytest.raises(NotExpressible, match="which of the two inputs"):
        program(load(ROOT / "tests" / "golden" / "temporal-late-left.yaml"), "pyflink-sql")
