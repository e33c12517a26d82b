"""The wizard for tables on the Author page: what it shows of a table, and what becomes of the draft."""

from base64 import b64encode
from typing import Any

import pytest
from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.limits import TABLE_PIECE_BYTES
from tidemark.simulator.scenario import parse
from tidemark.ui.author.desk import templates

from tests.app.test_author_page import answer_to

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
