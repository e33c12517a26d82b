"""The smallest stream that tells two scenarios apart: it is the smallest, it differs, and nothing is called equal."""

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from tidemark.simulator.commands import main
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.explore.beliefs import BELIEFS, tour
from tidemark.simulator.explore.differ.queries import differ_in_sql
from tidemark.simulator.explore.differ.report import lines_of, members_of, tried_lines
from tidemark.simulator.explore.differ.search import Answer, Bounds, Tried, differ
from tidemark.simulator.explore.differ.sides import Rows, by_spark, sides_of
from tidemark.simulator.explore.differ.streams import every, number_of, random_streams, space_of
from tidemark.simulator.explore.runs import compare_runs, run_of
from tidemark.simulator.explore.settings import BOUND, IDLE, LATENESS, with_operator
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Cumulative, InputSpec, Scenario, Tumbling
from tidemark.simulator.sql.translation import planned_query

from benchmarks.differing import equal_pairs, planted
from tests.library import ROOT, shipped

NO_CLOCK = Bounds(random=300, seconds=1e6)
"""Bounds that do not depend on how fast the machine is."""

SHIPPED = shipped()
LATE = SHIPPED["late-and-dropped"]


def found(left: Scenario, right: Scenario, bounds: Bounds = NO_CLOCK) -> Answer:
    answer = differ(left, right, bounds)
    assert answer.stream is not None
    return answer


@pytest.mark.parametrize(
    ("right", "records"),
    [
        (LATENESS.write(LATE, 1), 2),
        (BOUND.write(LATE, 2001), 2),
        (BOUND.write(LATE, 1999), 2),
        (with_operator(LATE, late_output="side"), 2),
        (with_operator(LATE, function=replace(LATE.operator.function, compute="max")), 2),
        (with_operator(LATE, function=replace(LATE.operator.function, compute="count")), 1),
    ],
)
def test_a_millisecond_is_seen_on_the_fewest_records(right: Scenario, records: int) -> None:
    answer = found(LATE, right)
    assert answer.records == records
    assert answer.tried.all_of >= records - 1


def test_what_is_found_differs_in_compare_and_no_item_can_be_left_out() -> None:
    for left, (_, right) in islice(planted(7, 40), 0, 40, 7):
        answer = differ(left, right, NO_CLOCK)
        if answer.stream is None or left.engine != "flink":
            continue
        runs = [run_of(each).outcome for each in (answer.left, answer.right)]
        assert compare_runs(*runs).parting is not None, right
        sides = sides_of(left, right)
        for place in range(len(answer.stream)):
            rest = answer.stream[:place] + answer.stream[place + 1 :]
            one, other = (side.rows(rest) for side in sides)
            assert one == other or None in (one, other), (left.name, rest)


def test_pairs_that_are_equal_by_construction_are_not_told_apart() -> None:
    pairs = Random(1).sample(list(equal_pairs()), 12)
    for each in SHIPPED.values():
        if each.chain is None and each.operator.api == "tvf" and isinstance(each.operator.assigner, Tumbling):
            whole, offset = each.operator.assigner.size, each.operator.assigner.offset
            pairs.append((each.name, each, with_operator(each, assigner=Cumulative(whole, whole, offset))))
    assert len(pairs) > 13
    for name, left, right in pairs:
        answer = differ(left, right, Bounds(records=1, random=40))
        assert answer.stream is None, name


def test_all_small_streams_are_tried_once() -> None:
    """Streams that differ in the names of keys are one, and so are those that differ in the numbers of channels."""
    two = replace(LATE, inputs=(replace(LATE.inputs[0], channels=2),))
    space = replace(space_of(two, two), times=(0, 5))
    streams = list(every(space, 2))
    records = [[item for item in stream if isinstance(item, Record)] for stream in streams]
    written = {tuple((item.ts, item.key, item.channel) for item in each) for each in records}
    assert len(written) == len(streams) == 2 * 2 * 2 * 2  # the second record: two times, two keys, two channels
    assert {(each[0].key, each[0].channel) for each in records} == {("a", 0)}
    assert all(isinstance(stream[-1], End) for stream in streams)
    assert number_of(space, 2) >= len(streams)


def test_nobody_waits_for_a_timeout_of_years() -> None:
    years = IDLE.write(LATE, 10**11)
    assert space_of(LATE, years).clock[-1] < LATE.origin + 1_000_000
    assert differ(LATE, years, Bounds(records=1, random=20, seconds=1e6)).stream is None


def test_the_same_seed_draws_the_same_streams() -> None:
    space = space_of(LATE, LATE)
    one, other = (list(random_streams(space, 3, 20)) for _ in range(2))
    assert one == other != list(random_streams(space, 4, 20))


def test_the_answer_says_what_was_tried_and_never_that_they_are_equal() -> None:
    answer = differ(LATE, LATE, Bounds(records=2, random=50, seconds=1e6))
    assert answer.stream is None
    assert (answer.tried.all_of, answer.tried.random) == (2, 50)
    assert answer.tried.streams == sum(len(list(every(space_of(LATE, LATE), size))) for size in (1, 2))
    hurried = differ(LATE, LATE, Bounds(seconds=0))
    assert (hurried.tried.all_of, hurried.tried.streams) == (0, 0)


def test_rules_of_spark_are_held_against_those_of_flink() -> None:
    answer = found(LATE, by_spark(LATE))
    assert answer.records == 2
    with pytest.raises(ScenarioError, match="no triggers"):
        by_spark(SHIPPED["early-on-time-late"])


def test_inputs_are_matched_by_their_places() -> None:
    renamed = replace(LATE, inputs=(replace(LATE.inputs[0], name="clicks"),), stream=())
    assert differ(LATE, renamed, Bounds(records=1, random=20)).stream is None
    assert found(LATE, BOUND.write(renamed, 0)).records == 2


def test_what_has_no_stream_in_common_is_refused() -> None:
    join, columns = SHIPPED["interval-join-keeps"], InputSpec("events", columns=(("n", "INT"),))
    for other, says in ((join, "2 inputs"), (replace(LATE, inputs=(columns,)), "n INT")):
        with pytest.raises(ScenarioError, match=says):
            differ(LATE, other)
    with pytest.raises(ScenarioError, match="--operator"):
        differ(SHIPPED["is-the-bound-paid-twice"], LATE)


def test_the_command_prints_the_records_and_the_rule(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["differ", "late-and-dropped", "--set", "operator.allowed_lateness=5s"]
    assert main([*arguments, "--out", str(tmp_path)]) == 1
    text = capsys.readouterr().out
    assert text.startswith("They differ on 2 records:")
    assert "`operator.allowed_lateness`: 0 s in A, 5 s in B." in text
    assert "A: Record #1 is dropped: key a, 0.0 s, value 2. Its window [0, 10) has ended" in text
    assert "each late record fires it" in text
    left, right = (load(tmp_path / f"{name}.yaml") for name in ("a", "b"))
    assert left.stream == right.stream
    assert compare_runs(run_of(left).outcome, run_of(right).outcome).parting is not None
    assert main([*arguments, "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["differ"], said["records"], said["smallest"]) == (True, 2, True)


@pytest.mark.parametrize(
    ("scenario", "change", "says"),
    [
        ("late-and-dropped", "inputs.events.watermark.bound=2001ms", [
            "  - {ts: 12s, key: a, value: 2}",
            "`inputs.events.watermark.bound`: 2 s in A, 2.001 s in B.",
            "A: Window [0, 10) of key a fires: result 2. The watermark is at 9.999, so the end",
            "B: Window [0, 10) of key a fires only when the watermark reaches 9.999, and the watermark is at 9.998. "
            "It is the largest timestamp seen, 12.000, minus the bound of 2.001 s",
        ]),
        ("count-in-a-window", "operator.trigger={type: count, max: 3}", [
            "`operator.trigger`: purging in A, count in B.",
            "B: Not yet: window [0, 5) of key a stays open. 2 of 3 records have arrived. (2 < 3)",
        ]),
        ("early-on-time-late", "operator.trigger.early.interval=1s1ms", [
            "A: At 1.001 s by the clock: Window [0, 5) of key a fires early: result 2.",
            "B: At 1.002 s by the clock: Window [0, 5) of key a fires early: result 2.",
        ]),
        ("filtered-but-moves-the-watermark", "inputs.orders.where=price > 1", [
            "B: Record #0 is filtered: key a · EU, 0.0 s,",
        ]),
        ("an-hour-that-comes-twice", "operator.session_zone=UTC", [
            "  - {ts: 2026-10-25T01:50:00Z, key: a, value: 2}",
        ]),
        ("every-step-or-nothing", "operator.assigner.max_size=12s", [
            "A: No such row.",
            "B: Window [0, 8) of key a fires",
        ]),
        ("late-and-dropped", "engine=spark", [
            "Flink’s watermark had already passed when the record arrived, so Flink did not accept it.",
            "A: Record #1 is too late for window [0, 10) of key a.",
            "B: Window [0, 10) of key a emits its result: 2.",
        ]),
    ],
    ids=("watermark", "trigger", "clock", "filter", "zone", "absent", "spark"),
)  # fmt: skip
def test_the_answer_says_why_a_row_is_on_one_side_only(
    scenario: str, change: str, says: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["differ", scenario, "--set", change]) == 1
    lines = capsys.readouterr().out.splitlines()
    for each in says:
        assert any(line.startswith(each) for line in lines), lines


def test_pairs_of_an_interval_join_are_the_same_in_both_engines() -> None:
    join = SHIPPED["interval-join-keeps"]
    answer = found(join, by_spark(join))
    assert [answer.only_left.total(), answer.only_right.total()] == [1, 0]


def test_the_command_finds_nothing_or_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(ROOT / "scenarios" / "late-and-dropped.yaml")
    assert main(["differ", file, file, "--records", "1", "--seconds", "0.2"]) == 0
    assert "may still tell them apart" in capsys.readouterr().out
    for change, says in (
        ("operator.nothing=1", f"{file}: --set operator.nothing=1: there is no key `nothing` here"),
        ("operator", "PATH=VALUE"),
        ("=5", "a name is missing before `=`"),
        ("stream.x=1", "place"),
    ):
        assert main(["differ", file, "--set", change]) == 2
        assert says in capsys.readouterr().err
    for arguments, says in (
        ([file], "name two scenarios"),
        ([file, "-"], "standard input"),
        ([file, file, file], "name two scenarios"),
        ([file, file, "--records", "0"], "a whole number from 1, not `0`"),
        ([file, file, "--seconds", "-1"], "seconds above 0, not `-1`"),
        ([file, file, "--seconds", "nan"], "seconds above 0, not `nan`"),
        ([file, file, "--belief", "end-inclusive"], "leave out the second scenario"),
    ):
        with pytest.raises(SystemExit):
            main(["differ", *arguments])
        assert says in capsys.readouterr().err


def test_the_command_shows_where_a_belief_goes_wrong(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["differ", "late-and-dropped", "--belief", "end-inclusive", "--records", "1"]
    assert main([*arguments, "--out", str(tmp_path)]) == 1
    text = capsys.readouterr().out
    assert "They differ on" in text
    assert "B: A record exactly at the end of a window belongs to it." in text
    assert [each.name for each in tmp_path.iterdir()] == ["a.yaml"]
    assert tour(run_of(load(tmp_path / "a.yaml")), next(each for each in BELIEFS if each.name == "end-inclusive")).shows
    assert main(["differ", "late-and-dropped", "--belief", "x"]) == 2
    assert "not one of the beliefs: no-minus-one" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*arguments, "--set", "operator.allowed_lateness=0s"])


def test_a_belief_about_nothing_in_the_scenario_is_not_searched(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["differ", "late-and-dropped", "--belief", "gap-on-the-clock", "--seconds", "1e6"]) == 2
    said = capsys.readouterr().err
    assert "gap-on-the-clock is not about anything in this scenario" in said
    assert "end-inclusive" in said
    assert "fastest-channel" not in said, "there is one channel"


def test_rules_between_versions_are_named_where_no_stream_shows_them() -> None:
    idle = IDLE.write(replace(BOUND.write(SHIPPED["a-window-by-the-numbers"], 5000), flink="1.18"), 60_000)
    tried = Tried(times=1, kinds=1, channels=1)
    several = replace(idle, inputs=(replace(idle.inputs[0], channels=2),))
    for scenario, says in ((idle, "only on several channels"), (several, "may show on other streams")):
        nothing = Answer(None, scenario, replace(scenario, flink="2.3"), Rows(), Rows(), tried)
        *_, last = lines_of(nothing)
        assert says in last
        assert "since Flink 1.19, a SQL source is idle if no record arrived" in last
        assert members_of(nothing)["may_show"] == ["idleness_counts_records"]
    same = Answer(None, idle, idle, Rows(), Rows(), tried)
    assert list(lines_of(same)) == list(tried_lines(tried, 0))


def test_one_query_takes_what_a_scenario_takes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.sql"
    first = "SELECT shop, price, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY ts) AS n FROM sales)"
    file.write_text(f"{query().split(';', 1)[0]};\n{first} WHERE n = 1;\n", encoding="utf-8")
    assert main(["differ", str(file), "--flink", "1.18", "--flink", "2.3", "--out", str(tmp_path)]) == 1
    assert "a deduplication that keeps the first row waits for the watermark" in capsys.readouterr().out
    assert [load(tmp_path / f"{name}.yaml").flink for name in "ab"] == ["1.18", "2.3"]
    file.write_text(query(), encoding="utf-8")
    assert main(["differ", str(file), "--set", "operator.function.compute=count"]) == 1
    assert "`operator.function.compute`: sum in A, count in B." in capsys.readouterr().out
    file.write_text(query() + query().split(";", 1)[1], encoding="utf-8")
    assert main(["differ", str(file), "--flink", "1.18"]) == 2
    assert "has several queries" in capsys.readouterr().err


TABLE = """CREATE TABLE sales (shop STRING, price INT, qty INT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '{bound}' SECOND);
SELECT shop, SUM(price) AS total, window_end FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '10' SECOND))
{where} GROUP BY shop, window_start, window_end {having};
"""


def query(where: str = "", having: str = "", bound: int = 5) -> str:
    return TABLE.format(where=where, having=having, bound=bound)


@pytest.mark.parametrize(
    ("left", "right", "rows"),
    [
        (query("WHERE qty > 31"), query("WHERE qty >= 31"), 1),
        (query(), query(having="HAVING SUM(price) > 7"), 1),
        (query(bound=5), query(bound=4), 2),
    ],
    ids=("where", "having", "watermark"),
)
def test_queries_are_told_apart_by_all_that_they_say(left: str, right: str, rows: int) -> None:
    answer = differ_in_sql(planned_query(left), planned_query(right), Bounds(random=100, seconds=1e6))
    assert answer.rows is not None
    assert len(answer.rows) == rows
    assert answer.only_left != answer.only_right


def test_the_command_compares_queries_with_queries_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = [tmp_path / "a.sql", tmp_path / "b.sql", tmp_path / "c.sql"]
    other = query().replace("qty INT", "amount INT")
    for file, text in zip(files, (query(), query(having="HAVING SUM(price) > 7"), other), strict=True):
        file.write_text(text, encoding="utf-8")
    first, second, third = map(str, files)
    out = tmp_path / "out"
    assert main(["differ", first, second, "--out", str(out)]) == 1
    assert '"price":' in capsys.readouterr().out
    results = []
    for name in ("a.sql", "b.sql"):
        main(["sql", str(out / name), "--records", f"sales={out / 'rows.jsonl'}"])
        results.append(capsys.readouterr().out)
    assert results[0] != results[1]
    assert main(["differ", first, first, "--seconds", "0.2"]) == 0
    empty, tables, two, renamed = (str(tmp_path / f"{name}.sql") for name in ("empty", "tables", "two", "renamed"))
    table, select = query().split(";", 1)[0] + ";\n", query().split(";", 1)[1]
    for file, text in (
        (empty, ""), (tables, table), (two, query() + select), (renamed, query().replace("AS total", "AS amount")),
    ):  # fmt: skip
        Path(file).write_text(text, encoding="utf-8")
    for arguments, says in (
        ([first, third], "amount INT"),
        ([first, "late-and-dropped"], "from-sql"),
        ([empty, first], f"{empty}:1:1: there is no query"),
        ([first, tables], f"{tables}:1:1: there is no query"),
        ([first, two], "has several queries"),
        ([first, renamed], "has other columns in SELECT, so every row would differ: shop, amount, window_end"),
    ):
        assert main(["differ", *arguments]) == 2
        assert says in capsys.readouterr().err
