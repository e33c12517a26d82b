"""A file with several operators: what each of them gets, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.commands import main
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Record, Status, Watermark
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Origin, Scenario
from tidemark.simulator.scenario.writing import as_yaml

TENS = "{type: window, assigner: {type: tumbling, size: 10s}, function: {call: aggregate, compute: count}}"
CASCADE = f"""
scenario: 1
name: cascade
inputs:
  clicks: {{watermark: {{generator: bounded-out-of-orderness, bound: 2s}}}}
operators:
  tens: {TENS}
  thirties:
    type: window
    assigner: {{type: tumbling, size: 30s}}
    function: {{call: aggregate, compute: sum}}
stream:
  - {{ts: 1s, key: a}}
  - {{ts: 8s, key: a}}
  - {{ts: 13s, key: a}}
  - {{ts: 9s, key: a}}
  - {{ts: 33s, key: a}}
  - {{end: true}}
"""


def of(scenario: Scenario, name: str) -> Scenario:
    assert scenario.chain is not None
    return scenario.chain.part(name)


def stream_of(scenario: Scenario) -> list[Any]:
    """Each item in short: a record as (time, value), a watermark or a status as it is."""
    assert isinstance(scenario.stream, tuple)
    found: list[Any] = []
    for item in scenario.stream:
        match item:
            case Record():
                found.append((item.ts, item.value))
            case Watermark():
                found.append(item.ts)
            case Status():
                found.append(item.status)
            case _:
                found.append(type(item).__name__)
    return found


def values_of(scenario: Scenario) -> list[Any]:
    return [row["value"] for row in run_rows(scenario) if row["row"] == "pane"]


def test_results_are_records_before_the_watermark_that_fired_them() -> None:
    assert stream_of(parse(CASCADE)) == [-1001, 5999, (9999, 2), 10999, (19999, 1), 30999, (39999, 1), "End"]


def test_the_last_operator_is_shown_and_the_others_are_beside_it() -> None:
    shown = parse(CASCADE)
    assert (shown.name, values_of(shown)) == ("cascade", [3, 1])
    assert (of(shown, "tens").name, values_of(of(shown, "tens"))) == ("cascade.tens", [2, 1, 1])
    assert shown.chain is not None
    assert shown.chain.of_shown.origins == (None, None, Origin("tens", 0), None, Origin("tens", 1), None,
                                            Origin("tens", 2), None)  # fmt: skip
    assert shown.chain.of_shown.seqs == (0, 1, 2, 2, 4, 4, 5, 5)


def test_one_operator_can_be_written_by_itself() -> None:
    for name in ("tens", "thirties"):
        alone = parse(as_yaml(of(parse(CASCADE), name)))
        assert run_rows(alone) == run_rows(of(parse(CASCADE), name))


UNION = f"""
scenario: 1
name: union
inputs:
  a: {{watermark: {{generator: bounded-out-of-orderness, bound: 2s}}}}
  b: {{watermark: {{generator: bounded-out-of-orderness, bound: 5s, idle_timeout: 4s}}}}
operators:
  both:
    from: [a, b]
    {TENS[1:-1].replace(", assigner", chr(10) + "    assigner").replace(", function", chr(10) + "    function")}
stream:
  - {{in: b, ts: 2s, key: a, at: 2s}}
  - {{in: a, ts: 7s, key: a, at: 3s}}
  - {{in: a, ts: 14s, key: a}}
  - {{advance: 10s}}
  - {{in: a, ts: 15s, key: a}}
  - {{end: true}}
"""


def test_inputs_with_different_strategies_are_united_with_their_watermarks() -> None:
    found = parse(UNION)
    assert [each.channels for each in found.inputs] == [2]
    assert stream_of(found)[:6] == [(2000, None), -3001, (7000, None), 4999, (14000, None), 11999]
    assert "idle" in stream_of(found)
    fired = next(row for row in run_rows(found) if row["row"] == "pane")
    assert (fired["value"], fired["watermark"]) == (2, 11999)
    assert fired["at"] < 13_000


COLUMNS = """
scenario: 1
name: columns
inputs:
  orders:
    watermark: {generator: sql, bound: 1s}
    columns: {shop: STRING, region: STRING, price: INT}
    key: [shop, region]
operators:
  sums:
    type: window
    api: tvf
    assigner: {type: tumbling, size: 5s}
    function: {call: aggregate, compute: {total: SUM(price)}}
  regions:
    from: {of: sums, columns: {region: STRING, total: INT, window_end: TIMESTAMP(3)}, where: total > 1, key: [region]}
    type: window
    api: tvf
    assigner: {type: tumbling, size: 20s}
    function: {call: aggregate, compute: {total: SUM(total), last: MAX(window_end)}}
stream:
  - {ts: 1s, value: {shop: a, region: eu, price: 3}}
  - {ts: 7s, value: {shop: b, region: eu, price: 2}}
  - {ts: 8s, value: {shop: a, region: eu, price: 1}}
  - {end: true}
"""


def test_a_result_has_the_columns_of_its_key_its_value_and_its_window() -> None:
    assert values_of(parse(COLUMNS)) == [{"total": 5, "last": "1970-01-01 00:00:10"}]


@pytest.mark.parametrize(
    ("right", "wrong", "place"),
    [
        ("    type: window\n", "    typ: window\n", "8:5"),
        ("operators:", "operator: {}\noperators:", "5:1"),
        ("  thirties:", "  clicks:", "7:3"),
        ("  thirties:\n", "  thirties:\n    from: twenties\n", "8:11"),
        ("  thirties:\n", "  thirties:\n    from: {left: tens}\n", "8:12"),
        ("stream:\n", "stream:\n  - {checkpoint: a}\n", "12:5"),
        ("stream:\n", "stream:\n  - {in: orders, ts: 1s, key: a}\n", "12:10"),
        ("stream:", "shown: twenties\nstream:", "11:8"),
        ("name: cascade", "name: cascade\nengine: spark", "3:9"),
        ("compute: sum", "compute: collect", None),
    ],
)
def test_what_is_wrong_is_said_at_its_place(right: str, wrong: str, place: str | None) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse(CASCADE.lstrip().replace(right, wrong))
    assert place is None or f":{place}: " in str(caught.value)


def test_commands_take_one_operator_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cascade.yaml"
    file.write_text(CASCADE, encoding="utf-8")

    def said(*arguments: str) -> tuple[int, str, str]:
        return (main([arguments[0], str(file), *arguments[1:]]), *capsys.readouterr())

    code, rows, _ = said("run", "--operator", "tens", "--rows", "pane")
    assert (code, [json.loads(line)["value"] for line in rows.splitlines()]) == (0, [2, 1, 1])
    assert said("trace", "--operator", "tens")[0] == 0
    code, _, problem = said("run", "--operator", "twenties")
    assert (code, "`tens`, `thirties`" in problem) == (2, True)
    assert said("code", "--to", "flink-java")[0] == 3
    assert said("code", "--to", "flink-java", "--operator", "thirties")[0] == 0
    file.write_text(COLUMNS, encoding="utf-8")
    code, _, problem = said("code", "--to", "pyflink-sql", "--operator", "regions")
    assert (code, f"{file}: operator regions, over the stream that reaches it: not expressible" in problem) == (3, True)
