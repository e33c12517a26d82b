"""The wizard for tables on the Author page: what it shows of a table, and what becomes of the draft."""

import base64
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import pytest
from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.limits import TABLE_PIECE_BYTES
from tidemark.simulator.scenario import parse
from tidemark.simulator.words import section, speaking
from tidemark.ui.author.desk import reply, templates
from tidemark.ui.author.draft import draft_of
from tidemark.ui.author.edits import EditRefused, edited
from tidemark.ui.author.from_sql import SqlRefused, scenario_of_sql
from tidemark.ui.share import links

from tests.app.test_author_page import LATE, answer_to, unpacked

DRAFTS = {each.name: each.text for each in templates()}
TUMBLING = DRAFTS["tumbling-windows"]
KAFKA = """partition,timestamp,key,value,received_at
3,1714557600000,a,1,1714557600500
7,1714557601000,b,2,1714557603000
12,1714557602000,a,3,1714557602500
"""


def told(name: str, table: str, draft: str = TUMBLING, **more: Any) -> dict[str, Any]:
    command = {"name": name, "content": b64encode(table.encode()).decode(), "whole": True, **more}
    answer = answer_to(draft, command=command)
    return {**answer["told"], "text": answer.get("text", "")}


def taken(table: str, draft: str = TUMBLING, **more: Any) -> dict[str, Any]:
    choice = told("look", table, draft, given=more.pop("given", {}))["look"]["choice"]
    return told("records", table, draft, choice=choice, **more)


def test_the_wizard_shows_its_guess_with_reasons_and_the_records_to_come() -> None:
    look = told("look", "when;who;degrees\n01.02.2024 13:05;a;1,5\nlater;b;2\n02.02.2024 13:05;b;2,5\n")["look"]
    assert [(each["role"], each["time"], each["why"]) for each in look["columns"]] == [
        ("ts", "dmy", "its cells are times"),
        ("key", "", "the first text"),
        ("value", "", "a column of numbers"),
    ]
    assert look["preview"][0] == {"line": 2, "ts": "2024-02-01T13:05:00Z", "key": "a", "value": "1.5"}
    assert look["reading"]["refused"] == [{"line": 3, "why": "says later in when, which is not a time of this format"}]
    assert look["apart"]


def test_records_come_after_the_existing_ones_and_before_the_end() -> None:
    outcome = taken("ts,key,value,at\n12s,c,1,14s\n11s,c,2,13s\n")
    stream = parse(outcome["text"]).stream
    assert isinstance(stream, tuple)
    assert [item.at for item in stream if isinstance(item, Record)][-2:] == [13_000, 14_000]
    assert isinstance(stream[-1], End)
    assert (outcome["added"], outcome["left_out"]) == (2, 0)
    assert outcome["notes"] == ["The rows are sorted by arrival."]


def test_partitions_raise_the_number_of_channels_and_arrivals_today_set_the_origin() -> None:
    outcome = taken(KAFKA, DRAFTS["two-channels"], replace=True)
    scenario = parse(outcome["text"])
    assert scenario.inputs[0].channels == 3
    assert scenario.origin == 1714557600500
    assert "The partitions 3, 7, 12 become channels 0 to 2." in outcome["notes"]
    assert taken(KAFKA, replace=True)["added"] == 3


def test_what_does_not_go_with_the_draft_is_refused_whole() -> None:
    assert "replace those instead" in taken(KAFKA, DRAFTS["two-channels"])["problem"]
    assert "a number as its value" in taken("ts,key,value\n1s,a,hot\n")["problem"]
    assert "Choose the column with the event time." in taken("a,b\nx,y\n")["problem"]
    assert "at most 5000 records" in taken("ts,key,value\n" + "1s,a,1\n" * 5001)["problem"]


def begun(table: str) -> dict[str, Any]:
    choice = told("look", table, "", new=True)["look"]["choice"]
    return told("records", table, "", choice=choice, new=True)


def test_a_scenario_begins_with_a_table_and_its_windows_fit_the_records() -> None:
    scenario = parse(begun("time,key,value\n0,a,2\n30,a,1\n62,b,4\n")["text"])
    assert scenario.operator.assigner.size == 10_000
    assert scenario.operator.function.compute == "sum"
    assert (scenario.title, scenario.goals, scenario.walkthrough) == ({"en": "My records"}, (), ())
    days = parse(begun("when,who\n01.02.2024 13:05,a\n09.02.2024 13:06,b\n")["text"])
    assert days.operator.assigner.size == 7 * 86_400_000
    assert days.operator.function.compute == "count", "there is nothing to add up"
    with speaking("zh"):
        assert parse(begun("time,key\n1,a\n")["text"]).language == "zh"


STORY = """goals:
  - {rows: pane, count: 4}
  - {rows: pane, at_least: 1}
walkthrough:
  - {at: {event: PaneFired}, say: "{key} fires with {value}."}
  - {at: {event: LateDropped}, say: Lost.}
  - {at: {item: 2}, say: This record is out of order.}
  - {at: {event: PaneFired}, ask: With what?, choices: [Three, Four], answer: 0}
"""


def test_other_records_take_along_the_beats_and_goals_that_were_about_the_old_ones() -> None:
    draft = TUMBLING[: TUMBLING.index("goals:")] + STORY
    outcome = taken("ts,key,value\n1s,a,1\n2s,b,2\n", draft, replace=True)
    scenario = parse(outcome["text"])
    assert [each.at_least for each in scenario.goals] == [1]
    assert [each.say for each in scenario.walkthrough] == [{"en": "{key} fires with {value}."}]
    assert outcome["notes"] == ["The beats and goals that were about the old records are gone; undo brings them back."]
    assert parse(taken("ts,key,value\n9s,a,1\n", draft)["text"]).walkthrough == parse(draft).walkthrough


@pytest.mark.parametrize("name", DRAFTS)
def test_every_template_takes_the_same_table(name: str) -> None:
    outcome = taken("ts,key,value\n1s,a,1\n2s,b,2\n", DRAFTS[name], replace=True)
    assert outcome["added"] == 2
    assert [record.key for record in parse(outcome["text"]).stream if isinstance(record, Record)] == ["a", "b"]


def test_a_join_takes_the_input_from_a_column_or_from_one_choice() -> None:
    sides = taken("ts,key,value,side\n1s,a,1,right\n2s,b,2,left\n", DRAFTS["interval-join"], replace=True)
    assert [record.input for record in parse(sides["text"]).stream if isinstance(record, Record)] == ["right", "left"]
    one = taken("ts,key,value\n1s,a,1\n", DRAFTS["interval-join"], given={"side": "right"}, replace=True)
    assert [record.input for record in parse(one["text"]).stream if isinstance(record, Record)] == ["right"]


def test_a_large_file_is_sifted_piece_by_piece_and_only_the_wanted_rows_are_taken() -> None:
    header, rows = "ts,key,value\n", [f"{n}s,k,{n}\n" for n in range(1000)]
    choice = told("look", header + rows[0], given={"every": 400})["look"]["choice"]
    one = told("sift", header + "".join(rows[:500]), choice=choice, line=1, matched=0, taken=0)
    counts = {"matched": one["reading"]["matched"], "taken": one["reading"]["records"]}
    two = told("sift", "".join(rows[500:]), choice=choice, line=502, **counts)
    outcome = told("records", "\n".join(one["kept"] + two["kept"]), choice=choice, kept=True, replace=True)
    records = [item.value for item in parse(outcome["text"]).stream if isinstance(item, Record)]
    assert records == [0, 400, 800]


@pytest.mark.parametrize(
    "command",
    [
        {"content": "no base64!"}, {"content": 7}, {}, {"content": "A" * (TABLE_PIECE_BYTES * 2)},
        {"content": "", "choice": "x"}, {"content": "", "choice": {"columns": [{"role": []}]}},
    ],
)  # fmt: skip
def test_what_is_no_question_is_refused(command: dict[str, Any]) -> None:
    for name in ("look", "sift", "records"):
        answer = answer_to(TUMBLING, command={"name": name, **command})
        assert "Traceback" not in str(answer)
        assert "text" not in answer


# Rows of a spreadsheet, pasted into the table of the Author page.

TEXT = next(each.text for each in templates() if each.name == "tumbling-windows")


def pasted(text: str, column: str = "at") -> list[str]:
    """The lines that are new, each with the number of its item."""
    new = edited(draft_of(TEXT), {"kind": "paste", "after": 2, "column": column, "text": text})[0].text
    items = [line.strip() for line in new.splitlines() if line.startswith(("  - {ts", "  - {end"))]
    return [f"{number} {line[2:]}" for number, line in enumerate(items) if f"  {line}" not in TEXT.splitlines()]


def test_rows_go_where_they_arrive_and_decimal_commas_are_read() -> None:
    assert pasted("9.5\tc\t4\t7\n4,5\td\t3,5\t8\n") == [
        "3 {ts: 3s500ms, key: d, value: 8, at: 4s500ms}",
        "6 {ts: 4s, key: c, value: 7, at: 9s500ms}",
    ]


def test_rows_without_arrivals_go_after_the_chosen_row() -> None:
    rows = "c\t4\t7\nd\t5\t8\n"
    assert pasted(rows, "key") == ["3 {ts: 4s, key: c, value: 7}", "4 {ts: 5s, key: d, value: 8}"]


def test_a_first_row_may_name_the_columns() -> None:
    assert pasted("city\ttime\tid\tvalue\n\t4\tx\t1\n") == ["3 {ts: 4s, key: x, value: 1}"]


@pytest.mark.parametrize("suffix", ["", "_s"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_names_that_the_table_itself_shows_name_its_columns(language: str, suffix: str) -> None:
    names = section("author.table.columns", language=language)
    head = "\t".join(names[name] for name in (f"ts{suffix}", f"at{suffix}", "key", "value"))
    assert pasted(f"{head}\n4\t9.5\tx\t1\n") == ["5 {ts: 4s, key: x, value: 1, at: 9s500ms}"]


def test_beats_stay_with_their_items() -> None:
    text = TEXT + "  - at: {item: 3}\n    say: Here.\n"
    new = edited(draft_of(text), {"kind": "paste", "after": 0, "column": "key", "text": "c\t4\t7\nd\t5\t8"})[0].text
    assert "{item: 5}" in new


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("c\t4\t7\nd\tsoon\t7", "Row 2: This is not a time."),
        ("c\t4\t7\t8\t9", "more columns than the table"),
        ("c\t\t7", "Row 1 has no time."),
        ("c\t4\thot", "needs a number as its value"),
        ("c\t4\t7\n" * 501, "At most 500 rows"),
        ("city\ttime\tid\nRome\t4\tx", "no column “city”"),
        ("time\tid\tchannel\n4\tx\t1", "no column “channel”"),
    ],
)
def test_what_cannot_be_pasted_is_refused_whole(text: str, problem: str) -> None:
    with pytest.raises(EditRefused, match=problem):
        pasted(text, "key")


# A draft from SQL: files of records as people have them, and what the page says of them.

ORDERS = """
CREATE TABLE `订单` (`门店` STRING, `金额` INT, `时间` TIMESTAMP(3), WATERMARK FOR `时间` AS `时间`);
SELECT `门店`, SUM(`金额`) FROM `订单` GROUP BY `门店`, TUMBLE(`时间`, INTERVAL '10' SECOND);
"""
ROWS = "门店;金额;时间\r\n上海;1;2026-01-01 00:00:01\r\n北京;2;2026-01-01 00:00:02\r\n"
PAIR = """
CREATE TABLE o (k STRING, v INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt);
CREATE TABLE s (k STRING, v INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt);
SELECT o.v, s.v FROM o, s WHERE o.k = s.k AND s.rt BETWEEN o.rt AND o.rt + INTERVAL '4' SECOND;
"""
PAIR_ROWS = b"k,v,rt\na,1,2026-01-01 00:00:01\n"


def of(sql: str, **files: bytes) -> str:
    records: list[dict[str, Any]] = [
        {"file": f"{name}.csv", "content": base64.b64encode(data).decode()} for name, data in files.items()
    ]
    return scenario_of_sql({"sql": sql, "records": records})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_a_file_is_read_in_its_own_encoding(encoding: str) -> None:
    stream = parse(of(ORDERS, any=ROWS.encode(encoding))).stream
    assert isinstance(stream, tuple)
    assert [(each.key, each.value) for each in stream if isinstance(each, Record)] == [("上海", 1), ("北京", 2)]


@pytest.mark.parametrize("names", [("o",), ("o", "shipments"), ("o", "s", "more")])
def test_files_that_are_not_named_like_the_tables_are_asked_for(names: tuple[str, ...]) -> None:
    with pytest.raises(EditRefused) as refused:
        of(PAIR, **dict.fromkeys(names, PAIR_ROWS))
    assert str(refused.value) == (
        "Choose one file for each of these tables and name it like its table, as in o.csv: o, s"
    )


def test_a_line_that_is_refused_is_named_with_its_file() -> None:
    with pytest.raises(SqlRefused, match=r"^s\.csv:3: `x` is no whole number"):
        of(PAIR, o=PAIR_ROWS, s=PAIR_ROWS + b"b,x,2026-01-01 00:00:02\n")


def test_what_is_no_base64_is_refused() -> None:
    with pytest.raises(EditRefused):
        scenario_of_sql({"sql": PAIR, "records": [{"file": "o.csv", "content": "k,v\n"}]})


# A link to a draft: it leaves out the beats that the draft's run contradicts, and says which.

NEVER_LATE = LATE.replace(
    "{ts: 2s800ms, key: b, value: 9, at: 14s400ms", "{ts: 12s800ms, key: b, value: 9, at: 14s400ms"
)


def link_of(text: str) -> Mapping[str, Any]:
    told: Mapping[str, Any] = unpacked(reply({"number": 1, "text": text, "command": {"name": "link"}}))["told"]
    return told


def opened(told: Mapping[str, Any]) -> list[str]:
    """What the beats say in the scenario that the address opens."""
    name, token = told["address"]
    assert name == "s"
    scenario = links.of_link(token).entry.scenario
    assert scenario is not None
    return [each.say["en"] for each in scenario.walkthrough if each.say]


def test_a_draft_whose_beats_fit_the_run_is_shared_as_it_is() -> None:
    told = link_of(LATE)
    assert (told["lost"], told["carried"]) == ([], LATE)
    assert opened(told) == ["It fires.", "Late, but allowed.", "Lost."]


def test_a_beat_at_a_loss_that_no_longer_happens_is_left_out_and_named() -> None:
    told = link_of(NEVER_LATE)
    assert told["lost"] == [2]
    assert told["carried"] == NEVER_LATE.replace("  - at: {event: LateDropped}\n    say: Lost.\n", "")
    assert opened(told) == ["It fires.", "Late, but allowed."]


def test_a_beat_whose_text_names_what_its_step_does_not_have_is_left_out() -> None:
    told = link_of(LATE.replace("say: It fires.", "say: It fires for {bounds}."))
    assert told["lost"] == [0]
    assert opened(told) == ["Late, but allowed.", "Lost."]


def test_the_walkthrough_goes_with_its_last_beat() -> None:
    told = link_of(LATE[: LATE.index("  - at: {event: PaneFired}")] + "  - {at: {step: 9999}, say: Never.}\n")
    assert told["lost"] == [0]
    assert parse(told["carried"]).walkthrough == ()


def test_a_template_with_another_bound_is_shared() -> None:
    sessions = next(each.text for each in templates() if each.name == "session-windows")
    draft = answer_to(sessions, {"kind": "control", "name": "bound", "value": "2s"})["text"]
    told = link_of(draft)
    assert told["lost"] != []


@pytest.mark.parametrize("text", [LATE.replace("size: 5s", "size: soon"), LATE.replace("say: Lost.", "sey: Lost.")])
def test_what_does_not_run_or_is_not_written_right_is_refused_as_before(text: str) -> None:
    assert "your draft:" in link_of(text)["problem"]
