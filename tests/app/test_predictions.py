"""Predictions in words: the question, the choices, and the reply to each wrong answer."""

from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.scenario import load, parse
from tidemark.ui.payload.contents import payload

from tidemark import simulator

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def contents() -> dict[str, Any]:
    return payload(load(ROOT / "scenarios" / "late-but-allowed.yaml"), predict=True)


def of_kind(contents: dict[str, Any], kind: str) -> dict[str, Any]:
    return next(each for each in contents["predictions"] if each["kind"] == kind)


def test_the_question_names_the_next_item_and_the_answer_comes_from_the_run(contents: dict[str, Any]) -> None:
    question = of_kind(contents, "new-watermark")
    assert question["text"] == "Record #3 arrives: key a, 6.2 s, value 1. What is the watermark afterwards?"
    assert question["choices"][question["answer"]] == "2.699"
    assert question["because"].startswith("The watermark moves from 1.399 to 2.699.")


def test_the_reply_to_a_wrong_answer_names_the_mistake_and_the_rule(contents: dict[str, Any]) -> None:
    question = of_kind(contents, "new-watermark")
    reply = question["replies"][question["choices"].index("2.700")]
    assert "The watermark is the largest timestamp minus the bound." in reply
    assert "It is one millisecond lower" in reply
    assert reply.startswith("For 2.700, channel 1 would need a timestamp of 4.701. Its largest so far is 4.700.")
    assert question["replies"][question["answer"]] == ""


def test_every_wrong_prediction_says_what_it_would_have_needed(contents: dict[str, Any]) -> None:
    fired, fate = of_kind(contents, "windows-that-fire"), of_kind(contents, "fate-of-record")
    assert "b [0, 5) is due: the watermark, 5.599, has reached its last instant, 4.999." in fired["replies"]
    dropped = fate["replies"][fate["choices"].index("It is too late and is dropped")]
    assert dropped.startswith("It would only be lost with a watermark of 7.999 or more. The watermark was 5.599.")
    for question in contents["predictions"]:
        assert [index for index, reply in enumerate(question["replies"]) if not reply] == [question["answer"]]


def test_windows_are_named_in_order(contents: dict[str, Any]) -> None:
    question = of_kind(contents, "windows-that-fire")
    assert question["choices"][question["answer"]] == "a [0, 5) and b [0, 5)"


def test_the_picture_shows_the_answer_only_after_the_item(contents: dict[str, Any]) -> None:
    firsts = contents["items"]
    for question in contents["predictions"]:
        assert question["step"] in firsts
        told = contents["tables"]["steps"][question["before"]]["event"]
        assert told == "RecordArrived" if "Record #" in question["text"] else question["before"] == question["step"] - 1
        assert question["until"] + 1 in firsts or question["until"] == contents["steps"] - 1


def test_a_scenario_without_a_question_to_suggest_has_none() -> None:
    text = "scenario: 1\nname: one\noperator: {type: process, function: {call: event-sort}}\n"
    assert payload(parse(text + "stream: [{ts: 1, key: a, value: 1}]"), predict=True)["predictions"] == []


def test_an_authors_prediction_is_a_beat() -> None:
    text = (ROOT / "scenarios" / "minus-one-ms.yaml").read_text(encoding="utf-8")
    head = text.partition("walkthrough:")[0]
    scenario = parse(f"{head}walkthrough:\n  - {{at: {{item: 2}}, predict: windows-that-fire}}\n")
    (beat,) = payload(scenario)["beats"]
    assert beat["kind"] == "windows-that-fire"
    fired = [row for row in simulator.run_rows(scenario) if row["row"] == "pane" and row["item"] == 2]
    assert (beat["choices"][beat["answer"]] == "none") == (not fired)


def test_names_from_a_scenario_stay_plain_text() -> None:
    text = "scenario: 1\nname: x\ninputs: {events: {watermark: {generator: monotonous}}}\n"
    text += "operator: {type: window, assigner: {type: tumbling, size: 5}, function: {call: aggregate, compute: sum}}\n"
    text += 'stream: [{ts: 1, key: "{key}<b>", value: 1}, {ts: 9, key: a, value: 1}]'
    expected = payload(parse(text), predict=True)["predictions"]
    assert any("{key}<b>" in choice for question in expected for choice in question["choices"])


def test_a_wrong_answer_leads_to_its_belief_where_it_can_be_run(contents: dict[str, Any]) -> None:
    questions = contents["predictions"]
    for question in questions:
        assert len(question["beliefs"]) == len(question["choices"])
        assert question["beliefs"][question["answer"]] == ""
        for belief, wrong in zip(question["beliefs"], question["replies"], strict=True):
            assert not belief or wrong
    assert any(belief for question in questions for belief in question["beliefs"])


def test_a_sort_does_not_mention_windows() -> None:
    text = (ROOT / "scenarios" / "car-trace.yaml").read_text(encoding="utf-8").partition("walkthrough:")[0]
    (fate,) = payload(parse(f"{text}walkthrough:\n  - {{at: {{item: 3}}, predict: fate-of-record}}\n"))["beats"]
    assert sorted(fate["choices"]) == ["It is in time and counts", "It is too late and is dropped"]


def test_a_belief_that_cannot_be_run_has_no_way_to_compare() -> None:
    scenario = load(ROOT / "scenarios" / "restart-forgets-the-watermark.yaml")
    questions = payload(scenario, predict=True)["predictions"]
    assert questions
    assert not any(belief for question in questions for belief in question["beliefs"])


def test_there_is_no_question_where_the_author_has_one() -> None:
    contents = payload(load(ROOT / "scenarios" / "idle-channel.yaml"), predict=True)
    steps = [beat["step"] for beat in contents["beats"] if beat["choices"]]
    for question in contents["predictions"]:
        assert not any(question["step"] <= step <= question["until"] for step in steps)


def test_a_record_of_fields_is_asked_about_by_its_fields() -> None:
    texts = [each["text"] for each in payload(load(ROOT / "scenarios" / "car-trace.yaml"), predict=True)["predictions"]]
    assert "Record #1 arrives: key car-7, 06:15:28, speed 68, fuel 3.9. What is the watermark afterwards?" in texts


@pytest.mark.parametrize(
    ("operator", "expected", "right"),
    [
        ("window-join", "Which windows produce a pair?", "b [0, 5)"),
        ("co-group", "Which windows produce a group?", "a [0, 5) and b [0, 5)"),
    ],
)
def test_the_question_about_a_join_is_which_windows_send_rows(operator: str, expected: str, right: str) -> None:
    more = ", join: full" if operator == "co-group" else ""
    shown = payload(parse(f"""
scenario: 1
name: one-sided
operator: {{type: {operator}, assigner: {{type: tumbling, size: 5s}}{more}}}
stream:
  - {{in: left, ts: 1s, key: a, value: 1}}
  - {{in: left, ts: 2s, key: b, value: 2}}
  - {{in: right, ts: 3s, key: b, value: 20}}
  - {{end: true}}
"""), predict=True)  # fmt: skip
    question = of_kind(shown, "windows-that-fire")
    assert question["text"].endswith(expected)
    assert question["choices"][question["answer"]] == right


def test_the_picture_has_the_record_that_a_question_asks_about() -> None:
    shown = payload(
        parse("""
scenario: 1
name: one-dropped
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: reduce, compute: sum}}
stream:
  - {watermark: 4999, at: 1s}
  - {ts: 1s, key: a, value: 8, at: 2s}
walkthrough:
  - {at: {event: RecordArrived}, ask: 'Is {ts} late?', choices: [Yes it is, No], answer: 0}
  - {at: {event: LateDropped}, ask: 'What becomes of {ts}?', choices: [Dropped, Counted], answer: 0}
"""),
        predict=True,
    )
    records = shown["tables"]["records"]
    for question in shown["beats"]:
        at = question["before"]
        (fate,) = [row["fate"] for row in records if row["from_step"] <= at < (row["until_step"] or shown["steps"])]
        assert fate == "arrived", "neither still to come nor dropped"


def test_a_wrong_choice_without_a_reply_points_to_the_watermark_that_the_reader_sees() -> None:
    shown = payload(
        parse("""
scenario: 1
name: one-dropped
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: reduce, compute: sum}}
stream:
  - {watermark: 4999}
  - {ts: 1s, key: a, value: 8}
walkthrough:
  - at: {event: LateDropped}
    ask: Why?
    choices: [Late, {text: Lost, reply: 'It came with {ts}.'}, Full]
    answer: 0
""")
    )
    (beat,) = shown["beats"]
    replies = [reply.replace("\N{NO-BREAK SPACE}s", " s") for reply in beat["replies"]]
    assert replies == ["", "It came with 1 s.", "Look at the numbers again: the watermark is 4.999 s here."]
    assert replies != beat["replies"], "no line ends between a number and its unit"
