"""Rows with columns: the filter, the computed columns, the key and several aggregates of a scenario file."""

import subprocess
import sys
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import FILTERED, UPSERT, Record
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.calc import JOINT, part_of_key
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.scenario.writing import as_yaml

SCENARIO: Final = """\
scenario: 1
name: orders
inputs:
  orders:
    watermark: {generator: sql, bound: 1s}
    columns: {shop: STRING, region: STRING, price: "DECIMAL(10, 2)", qty: INT, at: TIMESTAMP(3)}
    where: price > 0 AND qty IS NOT NULL
    select: {amount: price * qty}
    key: [shop, UPPER(region)]
operator:
  type: window
  api: tvf
  assigner: {type: tumbling, size: 5s}
  function: {call: aggregate, compute: {total: SUM(amount), n: COUNT(*)}}
stream:
  - {ts: 1s, value: {shop: a, region: eu, price: "3.00", qty: 2}}
  - {ts: 2s, value: {shop: a, region: eu, price: 2.5, qty: 3}}
  - {ts: 7s, value: {shop: a, region: eu, price: 0, qty: 3}}
  - {ts: 8s, value: {shop: "1", region: eu, price: 1}}
  - {end: true}
"""


def records(text: str) -> list[Record]:
    stream = parse(text).stream
    assert isinstance(stream, tuple)
    return [each for each in stream if isinstance(each, Record)]


def problems(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as refused:
        parse(text, "s.yaml")
    return [str(each) for each in refused.value.problems]


def changed(before: str, after: str) -> str:
    assert before in SCENARIO
    return SCENARIO.replace(before, after, 1)


def test_the_reader_computes_key_and_columns_and_filters() -> None:
    first, second, third, fourth = records(SCENARIO)
    row = {"shop": "a", "region": "eu", "price": "3.00", "qty": 2}
    assert (first.key, first.op) == ("a · EU", UPSERT)
    assert {name: first.value[name] for name in row} == row
    assert float(first.value["amount"]) == 6
    assert second.value["price"] == "2.50"
    assert (third.op, fourth.op, fourth.key) == (FILTERED, FILTERED, '"1" · EU')


def test_a_filtered_record_moves_the_watermark_and_is_not_counted() -> None:
    rows: list[Any] = [row for row in run_rows(parse(SCENARIO)) if row["row"] == "pane"]
    assert [(row["key"], row["value"]["n"], row["item"]) for row in rows] == [("a · EU", 2, 2)]
    assert float(rows[0]["value"]["total"]) == 13.5


def test_a_scenario_is_written_as_it_is_read() -> None:
    scenario = parse(SCENARIO)
    again = parse(as_yaml(scenario))
    assert again == scenario
    assert digest_of(again) == digest_of(scenario)


@pytest.mark.parametrize(
    "text",
    [
        changed("price > 0", "price > 1"),
        changed("price * qty", "price + qty"),
        changed("COUNT(*)", "MAX(qty)"),
        changed("bound: 1s", "bound: 1s, when: qty > 0"),
    ],
)
def test_what_is_computed_is_part_of_what_the_engine_sees(text: str) -> None:
    assert digest_of(parse(text)) != digest_of(parse(SCENARIO))


REFUSALS: Final = [
    ("qty: INT", "qty: INTT", "6:75", "`INTT` is no type"),
    ("price > 0", "prize > 0", "7:12", "`prize > 0 AND qty IS NOT NULL`: "),
    ("price > 0", "shop > 0", "7:12", "STRING"),
    ("price > 0 AND qty IS NOT NULL", "price + 1", "7:12", "`where` needs a condition"),
    ("amount: price", "qty: price", "8:19", "there is a column `qty` already"),
    ("UPPER(region)", "UPPERR(region)", "9:17", "UPPERR"),
    ("SUM(amount)", "SUM(amont)", "14:48", "amont"),
    ("SUM(amount)", "amount", "14:48", "is no aggregate"),
    ("{total: SUM(amount), n: COUNT(*)}", "sum", "6:14", "takes a number"),
    ("{total: SUM(amount), n: COUNT(*)}", "{}", "14:40", "at least one aggregate"),
    ("qty: 2}", "qty: 2.5}", "16:63", "is no value of type INT"),
    ("qty: 2}", "qty: 4000000000}", "16:63", "is no value of type INT"),
    ("qty: 2}", "qti: 2}", "16:58", "did you mean `qty`"),
    ('"3.00"', '"3.005"', "16:50", "is no value of type DECIMAL(10, 2)"),
    ("qty: 2}", "qty: 2, at: 2020-02-30 00:00:00}", "16:70", "is no value of type TIMESTAMP(3)"),
    ("ts: 1s, value", "ts: 1s, key: b, value", "16:19", "delete this one"),
    ("price > 0", "10 / (qty - 2) > 0", "16:21", "fails for this record"),
    ("    columns:", "    channels: 2\n    #", "8:5", "goes with `columns`"),
    ("bound: 1s", "bound: 1s, when: price", "5:50", "`when` needs a condition"),
    ("bound: 1s", "bound: 1s, when: amount > 0", "5:50", "amount"),
    ("bound: 1s", "bound: 1s, when: 10 / (qty - 2) > 0", "16:21", "fails for this record"),
    ("generator: sql, bound: 1s", "generator: punctuated, bound: 1s, when: qty > 0", "5:51", "`when`"),
]


@pytest.mark.parametrize(("before", "after", "place", "said"), REFUSALS)
def test_what_is_wrong_is_said_once_and_at_its_place(before: str, after: str, place: str, said: str) -> None:
    found = problems(changed(before, after))
    assert found[0].startswith(f"s.yaml:{place}: "), found
    assert said in found[0]
    assert len(found) == (3 if "#" in after else 1)


def test_a_generated_stream_has_no_columns() -> None:
    head = SCENARIO.partition("stream:")[0]
    (found,) = problems(f"{head}stream: {{generate: {{events: 1, seed: 1, keys: 1, every: 1s}}}}\n")
    assert "no columns" in found


def test_spark_has_no_columns() -> None:
    head = changed("scenario: 1", "scenario: 1\nengine: spark")
    assert any("`columns`" in each for each in problems(head))


def test_versions_are_not_filtered() -> None:
    text = """\
scenario: 1
name: rates
inputs: {right: {columns: {rate: INT}, where: rate > 0}}
operator: {type: temporal-join}
stream: [{ts: 1, key: a, in: right, value: {rate: 1}}]
"""
    assert "versions" in problems(text)[0]


PARTS: Final = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=4), st.sampled_from(["NULL", "true", "1", "a · b", '"1"'])
)


@given(st.tuples(PARTS, PARTS), st.tuples(PARTS, PARTS))
def test_different_parts_give_different_keys(one: tuple[Any, Any], two: tuple[Any, Any]) -> None:
    typed = [[(type(part), part) for part in parts] for parts in (one, two)]
    keys = [JOINT.join(map(part_of_key, parts)) for parts in (one, two)]
    assert (keys[0] == keys[1]) == (typed[0] == typed[1])


@pytest.mark.parametrize("command", ["run", "trace", "check", "code --to flink-java", "code --to pyspark"])
def test_a_command_for_a_scenario_without_columns_needs_no_parser_of_sql(command: str) -> None:
    program = (
        "import sys; sys.modules['lark'] = None; from tidemark.simulator.commands import main; "
        f"sys.exit(main({[*command.split(), 'scenarios/late-and-dropped.yaml']}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
