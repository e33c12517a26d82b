"""Predictions in words: the question, the choices, and the reply to each wrong answer."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import section
from tidemark.ui.learning.classroom import rooms, teacher
from tidemark.ui.learning.classroom.teacher import beside, question_at, written
from tidemark.ui.learning.classroom.votes import Drag, Enter, Question, Tap, Votes
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.packing import pack

from tests.library import shipped
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


# Answers that are entered, tapped or dragged: graded from the run, and nothing about the right one is told before.

LIBRARY = Path("scenarios")

STREAM = """
scenario: 1
name: asked
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 2s}}}
operator:
  {type: window, assigner: {type: tumbling, size: 10s}, allowed_lateness: 2s, function: {call: aggregate, compute: sum}}
stream:
  - {ts: 3s, key: a, value: 4}
  - {ts: 11s, key: a, value: 1}
  - {ts: 15s, key: a, value: 1}
  - {ts: 12s, key: a, value: 1}
  - {end: true}
walkthrough:
"""


def asking(place: int, beat: str) -> tuple[Scenario, dict[str, Any]]:
    scenario = parse(f"{STREAM}  - {{at: {{item: {place}}}, {beat}}}\n")
    return scenario, payload(scenario)


def asked(place: int, beat: str) -> Question:
    scenario, run = asking(place, beat)
    question = question_at(pack(run), run["beats"][0]["step"], scenario)
    assert question is not None
    return question


@pytest.mark.parametrize(
    ("place", "beat", "way"),
    [
        (2, "predict: new-watermark", "enter"),
        (2, "predict: state-entries", "enter"),
        (2, "predict: windows-that-fire", "tap"),
        (2, "predict: windows-that-fire, answer: choose", "choose"),
        (3, "predict: fate-of-record", "choose"),
        (3, "predict: fate-of-record, answer: drag", "drag"),
        (2, "predict: next-timer", "choose"),
        (2, "ask: Why?, choices: [x, y], answer: 1", "choose"),
    ],
)
def test_the_kind_of_the_question_decides_how_it_is_answered_unless_its_beat_does(
    place: int, beat: str, way: str
) -> None:
    assert asked(place, beat).answering.name == way


@pytest.mark.parametrize(
    ("beat", "why"),
    [
        ("predict: next-timer, answer: tap", "`next-timer` is answered by `choose`"),
        ("predict: new-watermark, answer: 0", "is answered by"),
        ("predict: new-watermark, answer: guess", "or `choose`"),
        ("ask: Why?, choices: [x, y], answer: enter", "is the index of the right choice"),
        ("ask: Why?, choices: [{text: x, belief: wall-clock}, y], answer: 0", "needs no wrong belief"),
        ("ask: Why?, choices: [{text: x, belief: nonsense}, y], answer: 1", "nonsense"),
    ],
)
def test_a_way_that_the_question_does_not_have_is_refused(beat: str, why: str) -> None:
    with pytest.raises(ScenarioError, match=why):
        asking(2, beat)


def test_a_number_is_read_as_people_write_it_and_stands_for_the_belief_that_leads_to_it() -> None:
    question = asked(2, "predict: new-watermark")
    way = question.answering
    assert isinstance(way, Enter)
    assert [way.read(text) for text in ("12.999", " 12,999 ", "13")] == [12999, 12999, 13000]
    assert way.choice_of(12999) == question.answer
    assert question.beliefs[way.choice_of(13000)] == "no-minus-one"
    assert question.choices[way.choice_of(4711)] == "Another answer"
    for wrong in ("", "12.9999", "1e99", "NaN", "<b>1</b>", "9" * 30, 13, None, True, ["13"], "１３", "Infinity"):
        assert way.read(wrong) is None, wrong


def test_windows_are_tapped_in_any_order() -> None:
    question = asked(2, "predict: windows-that-fire")
    way = question.answering
    assert isinstance(way, Tap)
    texts = [window[3] for window in way.windows]
    assert texts == ["a [0, 10)", "a [10, 20)"]
    assert way.choice_of(way.read([0]) or ()) == question.answer
    assert way.read([1, 0]) == (0, 1)
    assert way.read([]) == ()
    for wrong in ([2], [-1], [0, 0], [True], ["0"], 0, None, "0", {"0": 1}, [0] * 99):
        assert way.read(wrong) is None, wrong


def test_a_record_is_dragged_until_the_run_drops_it_and_no_further() -> None:
    question = asked(3, "predict: fate-of-record, answer: drag")
    way = question.answering
    assert isinstance(way, Drag)
    # The watermark is at 12.999 when it comes. [0, 10) with 2 s of lateness is gone, so a timestamp below 10 s is lost.
    assert way.first + way.nearest * way.apart < 10_000 <= way.first + (way.nearest + 1) * way.apart
    assert [way.choice_of(place) for place in (way.nearest, way.nearest - 1, way.nearest + 1, way.origin)] == [
        0,
        1,
        2,
        2,
    ]
    assert way.places[way.origin].startswith("12")
    assert "lost" not in way.told()
    assert way.read(len(way.lost)) is None


def test_a_phone_is_told_nothing_right_before_it_is_shown() -> None:
    scenario, run = asking(2, "predict: windows-that-fire")
    beat, facts = run["beats"][0], pack(run)
    room, _ = teacher.answer_to("ask", {"step": beat["step"]}, facts, scenario)
    mine = {name: room[name] for name in ("code", "token")}
    phone = {"number": 1, "code": room["code"], "voter": "browser-000000000001"}
    told = rooms.answer_to(phone)
    assert set(told) == {
        "number", "room", "question", "stage", "vote", "first", "second", "text", "way", "windows"
    }  # fmt: skip
    assert rooms.answer_to({**phone, "question": 1, "vote": 0, "given": [1]})["refused"] == ""
    counted, _ = teacher.answer_to("pause", mine, facts, scenario)
    assert counted["given"] == [[[(1,), 1]]]
    shown, _ = teacher.answer_to("show", mine, facts, scenario)
    assert shown["right"] == (0,)
    after = rooms.answer_to({**phone, "kept": [1]})
    assert after["choices"][after["answer"]] == "a [0, 10)"
    assert after["chosen"] != after["answer"]


def test_the_belief_behind_most_wrong_answers_runs_beside_the_truth() -> None:
    scenario, run = asking(2, "predict: new-watermark")
    facts = pack(run)
    room, _ = teacher.answer_to("ask", {"step": run["beats"][0]["step"]}, facts, scenario)
    for number, given in enumerate(("15", "15", "13", "12.999")):
        sent = {"number": 1, "code": room["code"], "voter": f"browser-{number:012}", "question": 1, "vote": 0}
        assert rooms.answer_to({**sent, "given": given})["refused"] == ""
    shown, _ = teacher.answer_to("show", {name: room[name] for name in ("code", "token")}, facts, scenario)
    assert shown["belief"]["claim"] == "Nothing is subtracted from the largest timestamp."
    told = beside(scenario, "late-is-out-of-order")
    assert told["claim"].startswith("Every record that arrives out of order")
    assert told["runs"]
    assert not beside(scenario, "bound-forgotten")["runs"]
    assert [row[0] for row in told["rows"]] == ["Record #3", "Results", "Records lost"]
    assert [row[1:] for row in told["rows"]][2] == ["1", "0"]


NAMED = [
    (name, choice.belief)
    for name, scenario in shipped().items()
    for beat in scenario.walkthrough
    for choice in beat.choices
    if choice.belief is not None
]
"""Every belief that a question of the library names, with its scenario."""

NOT_RUN = [
    ("car-trace", "late-is-out-of-order"),  # it sorts records and has no windows
    ("gap-or-bound", "gap-on-the-clock"),  # its records do not say when they arrive
    ("minus-one-ms", "reaches-the-end"),  # its watermarks are written by hand
    ("slow-side-of-a-join", "fastest-channel"),  # its sides are inputs, not channels
]
"""Where a belief can only be named, since nothing in the scenario can be changed so that it becomes true."""


@pytest.mark.parametrize(("name", "belief"), dict.fromkeys(NAMED))
def test_a_belief_that_a_question_names_shows_in_its_run(name: str, belief: str) -> None:
    rows = beside(load(LIBRARY / f"{name}.yaml"), belief)["rows"]
    assert bool(rows) == ((name, belief) not in NOT_RUN)


def test_the_library_names_the_belief_behind_a_wrong_choice_wherever_there_is_one() -> None:
    named = {belief for _, belief in NAMED}
    watermark = {"no-minus-one", "bound-forgotten"}  # asked by predictions, which know them by themselves
    assert set(section("beliefs")) - named == {*watermark, "keeps-everything"}


def test_a_belief_that_parts_from_the_truth_between_two_records_says_before_which() -> None:
    rows = beside(load(LIBRARY / "the-window-waits.yaml"), "wall-clock")["rows"]
    assert rows[0][:2] == ["Before record #3", "a [0, 10) = 6"]


def test_a_tally_is_saved_with_the_question_the_votes_and_the_movement_but_without_names() -> None:
    question = Question("two 5", "=Why?", ("=x", "y"), 1, beliefs=("wall-clock", ""))
    votes = Votes(1, question, 500, 40)
    for voter, choice in (("anna", 0), ("bo", 0), ("cy", 1)):
        votes.take(voter, choice)
    votes.pause()
    votes.again()
    for voter, choice in (("anna", 1), ("bo", 0), ("cy", 1)):
        votes.take(voter, choice)
    tallies = [votes.tally()]
    assert tallies[0].belief() == "wall-clock"
    (saved,) = json.loads(written(tallies, "json"))
    assert saved == {
        "question": "two 5", "number": 1, "text": "=Why?", "way": "choose", "choices": ["=x", "y"], "right": 1,
        "beliefs": ["wall-clock", None], "votes": [[2, 1], [1, 2]], "given": [], "moved": [[1, 1], [0, 1]],
    }  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(written(tallies, "csv").decode("utf-8-sig"))))
    assert [(row["choice"], row["first_vote"], row["second_vote"], row["moved_to"]) for row in rows] == [
        ("1. =x", "2", "1", "1: 1, 2: 1"),
        ("2. y", "1", "2", "2: 1"),
    ]
    assert rows[0]["text"] == "'=Why?", "no spreadsheet computes it"
    assert "anna" not in str(saved) + str(rows)
