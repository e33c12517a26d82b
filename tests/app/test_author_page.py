"""The Author page without a browser: an edit changes its own line, and everything shown is read from the text."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tidemark.simulator.explore.differ.search import Bounds
from tidemark.simulator.scenario import parse
from tidemark.simulator.words import words
from tidemark.ui import catalogue
from tidemark.ui.author.controls import controls_of
from tidemark.ui.author.desk import first, reply, templates
from tidemark.ui.author.draft import draft_of
from tidemark.ui.author.edits import EditRefused, edited

ROOT = Path(__file__).resolve().parents[2]
KINDS = (
    "late-but-allowed", "session-grows", "window-join-border", "interval-join-keeps", "early-on-time-late",
    "spark-one-batch-behind", "three-hundred", "day-needs-an-offset", "count-in-a-window", "replayed-by-the-clock",
)  # fmt: skip
LATE = """scenario: 1
name: late
title: Late, but allowed
inputs:
  events:
    channels: 2
    watermark: {generator: bounded-out-of-orderness, bound: 2s}
operator:
  type: window
  assigner: {type: tumbling, size: 5s}  # five seconds
  allowed_lateness: 3s
  function: {call: aggregate, compute: sum}
stream:
  - {ts: 1s, key: a, value: 4, at: 1s300ms, channel: 0}
  - {ts: 3s400ms, key: a, value: 5, at: 3s600ms, channel: 0}
  - {ts: 4s700ms, key: b, value: 3, at: 4s900ms, channel: 1}
  - {ts: 6s200ms, key: a, value: 1, at: 6s400ms, channel: 0}
  - {ts: 4s300ms, key: a, value: 7, at: 7s, channel: 0}
  - {ts: 7s600ms, key: b, value: 6, at: 7s900ms, channel: 1}
  - {ts: 8s400ms, key: b, value: 2, at: 8s600ms, channel: 0}
  - {ts: 3s900ms, key: a, value: 6, at: 10s300ms, channel: 0}
  - {ts: 11s, key: a, value: 3, at: 11s400ms, channel: 0}
  - {ts: 12s600ms, key: b, value: 4, at: 13s, channel: 1}
  - {ts: 2s800ms, key: b, value: 9, at: 14s400ms, channel: 1}
  - {ts: 14s200ms, key: b, value: 5, at: 15s300ms, channel: 0}
  - {end: true, at: 17s}
goals:
  - {rows: pane, count: 7}
  - {rows: dropped, count: 1}
walkthrough:
  - at: {event: PaneFired}
    say: It fires.
    note: {en: A, zh: B}
  - at: {item: 7}
    say: Late, but allowed.
  - at: {event: LateDropped}
    say: Lost.
"""
HEAD = """scenario: 1
name: small
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
"""


def text_of(name: str) -> str:
    return (ROOT / "scenarios" / f"{name}.yaml").read_text(encoding="utf-8")


def unpacked(packed: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(packed))
    return found


def answer_to(text: str, edit: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return unpacked(reply({"number": 1, "text": text, "before": text, "edit": edit, **more}))


def changed(before: str, after: str) -> list[str]:
    """The lines of ``after`` that ``before`` does not have."""
    return [line.strip() for line in after.split("\n") if line not in before.split("\n")]


# --- one edit, one line --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "typed", "line"),
    [
        ("ts", "4.2", "- {ts: 4s200ms, key: a, value: 6, at: 10s300ms, channel: 0}"),
        ("ts", "1m1s", "- {ts: 1m1s, key: a, value: 6, at: 10s300ms, channel: 0}"),
        ("value", "2.5", "- {ts: 3s900ms, key: a, value: 2.5, at: 10s300ms, channel: 0}"),
        ("key", "<b>: x", '- {ts: 3s900ms, key: "<b>: x", value: 6, at: 10s300ms, channel: 0}'),
        ("key", '"1"', '- {ts: 3s900ms, key: "1", value: 6, at: 10s300ms, channel: 0}'),
        ("channel", "1", "- {ts: 3s900ms, key: a, value: 6, at: 10s300ms, channel: 1}"),
        ("at", "", "- {ts: 3s900ms, key: a, value: 6, channel: 0}"),
    ],
)
def test_a_cell_changes_only_its_line(column: str, typed: str, line: str) -> None:
    answer = answer_to(LATE, {"kind": "cell", "item": 7, "column": column, "typed": typed})
    assert answer["refused"] == ""
    assert changed(LATE, answer["text"]) == [line]


@pytest.mark.parametrize(
    ("column", "typed", "why"),
    [
        ("ts", "soon", "This is not a time"),
        ("key", "", "cannot be empty"),
        ("channel", "7", "there is no channel 7"),
        ("value", "many", "needs a number"),
    ],
)
def test_an_invalid_cell_is_refused_and_the_text_stays(column: str, typed: str, why: str) -> None:
    answer = answer_to(LATE, {"kind": "cell", "item": 7, "column": column, "typed": typed})
    assert why in answer["refused"]
    assert answer["text"] == LATE


def test_a_dragged_record_moves_in_the_order_and_takes_its_beat_along() -> None:
    answer = answer_to(LATE, {"kind": "place", "item": 7, "at": 13_600})
    assert answer["chosen"] == 9
    assert changed(LATE, answer["text"]) == [
        "- {ts: 3s900ms, key: a, value: 6, at: 13s600ms, channel: 0}",
        "- at: {item: 9}",
    ]
    assert [(each["head"], each["lines"]) for each in answer["facts"]["changes"]["entries"]] == [
        ("1 result disappears", ["a [0, 5) = 22, late ↻1, at 10.3 s"]),
        ("1 record is now lost", ["a at 3.9 s, value 6"]),
        ("Nothing else changes", ["6 of 7 results are as before.", "Every watermark is as before."]),
    ]
    assert [goal["met"] for goal in answer["facts"]["goals"]] == [False, False]
    counts = {
        "records": 12,
        "results": 6,
        "on_time": 10,
        "missed": 0,
        "late": 0,
        "side": 0,
        "filtered": 0,
        "dropped": 2,
    }
    assert answer["facts"]["counts"] == counts


def test_a_changed_result_has_its_place_in_the_stream_where_no_clock_tells_records_apart() -> None:
    text = f"{HEAD}stream: [{{ts: 1s, key: a, value: 4}}, {{ts: 8s, key: a, value: 1}}, {{end: true}}]\n"
    answer = answer_to(text, {"kind": "cell", "item": 0, "column": "value", "typed": "5"})
    assert answer["facts"]["changes"]["entries"][0]["lines"] == ["a [0, 5) = 5, at #2, instead of 4"]


def test_unchanged_results_are_all_counted_and_a_moved_watermark_is_reported() -> None:
    text = HEAD + (
        "inputs: {events: {watermark: {generator: monotonous}}}\n"
        "stream:\n  - {ts: 1s, key: a, value: 1, at: 1s}\n  - {ts: 6s, key: a, value: 1, at: 6s}\n"
        "  - {end: true, at: 9s}\n"
    )
    later = text.replace("ts: 6s, key: a", "ts: 7s, key: a")
    same = text.replace("name: small", "name: smaller")
    for other, problem in (
        (later, ("The watermark moves differently", ["Same results: all 2."])),
        (same, ("Nothing changes", ["Same results: all 2.", "Every watermark is as before."])),
    ):
        entry = answer_to(other, before=text)["facts"]["changes"]["entries"][-1]
        assert (entry["head"], entry["lines"]) == problem


@pytest.mark.parametrize(
    ("name", "item", "predicate"),
    [("late-but-harmless", 5, "9.999 <= 10.999"), ("late-but-allowed", 10, "7.999 <= 8.999"),
     ("spark-one-batch-behind", 7, "10.000 <= 10.500")],
)  # fmt: skip
def test_a_lost_record_has_the_rule_of_its_window(name: str, item: int, predicate: str) -> None:
    records = answer_to(text_of(name))["facts"]["records"]
    because = {each["item"]: each["because"] for each in records}
    assert because[item]["predicate"] == predicate
    assert all(because[each["item"]] is None for each in records if each["fate"] not in ("dropped", "side"))


def test_a_lost_record_in_a_gap_of_sliding_windows_has_no_windows_rule() -> None:
    gaps = HEAD.replace("{type: tumbling, size: 5s}", "{type: sliding, size: 1s, slide: 5s}")
    stream = "stream:\n  - {ts: 9s, key: a, value: 1}\n  - {ts: 3s, key: a, value: 1}\n"
    answer = answer_to(gaps + "inputs: {events: {watermark: {generator: monotonous}}}\n" + stream)
    lost = next(each for each in answer["facts"]["records"] if each["item"] == 1)
    assert (lost["fate"], lost["because"]) == ("dropped", None)


def test_seconds_since_1970_without_a_unit_are_pointed_out() -> None:
    text = HEAD + "stream:\n  - {ts: 1714557600, key: a, value: 1}\n  - {end: true}\n"
    assert any("1714557600" in each["head"] for each in answer_to(text, hints=True)["hints"])
    instant = text.replace("1714557600", "1714557600000")
    assert not any("1970" in each["head"] for each in answer_to(instant, hints=True)["hints"])


def test_a_record_that_is_set_aside_is_not_lost() -> None:
    put_aside = next(each.text for each in templates() if each.name == "late-to-the-side")
    facts = answer_to(put_aside)["facts"]
    assert (facts["counts"]["side"], facts["counts"]["dropped"]) == (1, 0)
    assert any("1 to the side output, 0 lost" in each["more"] for each in facts["checks"])


def test_records_are_added_to_and_removed_from_an_empty_list() -> None:
    text = HEAD + "stream: []\n"
    one = answer_to(text, {"kind": "add", "after": -1})
    two = answer_to(one["text"], {"kind": "add", "after": one["chosen"]})
    assert two["text"] == HEAD + "stream:\n  - {ts: 1s, key: a, value: 1}\n  - {ts: 2s, key: a, value: 1}\n"
    assert (
        answer_to(two["text"], {"kind": "remove", "item": 0})["text"]
        == HEAD + "stream:\n  - {ts: 2s, key: a, value: 1}\n"
    )


def test_other_items_are_inserted_at_a_sensible_place() -> None:
    for what, line in (("watermark", "- {watermark: 6s200ms}"), ("checkpoint", "- {checkpoint: c1}")):
        new, chosen = edited(draft_of(LATE), {"kind": "add", "after": 3, "what": what})
        assert chosen == 4
        assert changed(LATE, new.text) == [line, "- at: {item: 8}"]
    with pytest.raises(EditRefused, match="no checkpoint `c1` is taken"):
        edited(draft_of(LATE), {"kind": "add", "after": 3, "what": "restore"})


def test_a_generator_is_replaced_by_the_records_that_it_makes() -> None:
    few, _ = edited(draft_of(text_of("three-hundred")), {"kind": "control", "name": "events", "value": "20"})
    answer = answer_to(few.text, {"kind": "list"})
    assert answer["facts"]["changes"]["entries"][0]["head"] == "Nothing changes"
    assert len(answer["facts"]["stream"]["rows"]) == 21


@pytest.mark.parametrize("name", KINDS)
def test_every_control_of_the_sentence_writes_what_it_then_shows(name: str) -> None:
    text = text_of(name)
    scenario = parse(text)
    tried = {"span": ["7 s"], "whole": ["5"], "share": ["3 %"], "text": ["gap"]}
    for control in controls_of(scenario).values():
        values = [value for value, _ in control.choices] or tried.get(control.kind, [])
        for value in values:
            try:
                now = edited(draft_of(text), {"kind": "control", "name": control.name, "value": value})[0].scenario
            except EditRefused:
                continue
            assert now is not None
            assert controls_of(now)[control.name].value == value


def test_a_beat_is_inserted_at_the_step_and_changed_in_one_language() -> None:
    new = {"kind": "beat", "number": None, "step": 40, "fields": {"say": "Now {watermark}: look", "note": ""}}
    answer = answer_to(LATE, new)
    assert changed(LATE, answer["text"]) == [
        "- at: {event: WatermarkCombined, occurrence: 2}",
        'say: "Now {watermark}: look"',
    ]
    beat = answer["facts"]["story"]["beats"][-1]
    assert (beat["kind"], beat["step"], beat["say"]) == ("say", 40, "Now {watermark}: look")
    edited_note = answer_to(LATE, {"kind": "beat", "number": 0, "fields": {"say": "It fires.", "note": "C"}})["text"]
    assert changed(LATE, edited_note) == ["note: {en: C, zh: B, translated_from: {zh: A}}"]


def test_a_question_names_beliefs_and_what_it_is_tied_to() -> None:
    choices = [{"text": "5", "reply": "", "belief": ""}, {"text": "6", "reply": "No.", "belief": "end-inclusive"}]
    fields = {"ask": "Which?", "choices": choices, "answer": 0, "because": "", "note": ""}
    answer = answer_to(LATE, {"kind": "beat", "number": None, "step": 40, "anchor": "step", "fields": fields})
    beat = answer["facts"]["story"]["beats"][-1]
    assert (beat["place"], beat["choices"]) == ("step 40", choices)
    assert ["end-inclusive", words("beliefs.end-inclusive.claim")] in answer["facts"]["story"]["beliefs"]
    number = beat["number"]
    tied = {"kind": "beat", "number": number, "step": 40, "move": True, "anchor": "item", "fields": fields}
    assert answer_to(answer["text"], tied)["facts"]["story"]["beats"][-1]["place"] == "record 3 (a) arrives"
    first = answer_to(LATE)["facts"]["story"]["beats"][0]
    assert first["place"] == "the first time a window fires"
    assert ["LateDropped", "a record is dropped"] in answer["facts"]["goal_choices"]
    choices[1]["belief"] = "the-moon"
    assert answer_to(LATE, {**tied, "number": None})["refused"] == words("author.cells.no_choice")


def test_how_a_class_answers_stays_until_another_prediction_is_chosen() -> None:
    def beat_of(answer: dict[str, Any], **fields: str) -> tuple[dict[str, Any], dict[str, Any]]:
        number = answer["facts"]["story"]["beats"][-1]["number"]
        said = answer_to(answer["text"], {"kind": "beat", "number": number, "fields": fields})
        return said, said["facts"]["story"]["beats"][-1]

    fields = {"predict": "windows-that-fire", "way": "choose"}
    begun = answer_to(LATE, {"kind": "beat", "number": None, "step": 40, "fields": fields})
    kept, beat = beat_of(begun, predict="windows-that-fire", note="Wait.")
    assert (beat["way"], begun["facts"]["story"]["ways"]["next-timer"][0][0]) == ("choose", "choose")
    assert beat_of(kept, predict="new-watermark", way="tap")[1]["way"] == ""


@pytest.mark.parametrize("what", ["watermark", "error", "PaneFired"])
def test_a_goal_counts_any_kind_of_row_or_event(what: str) -> None:
    answer = answer_to(LATE, {"kind": "goal", "what": what, "how": "at_most", "number": 99})
    assert answer["facts"]["goals"][-1]["met"]
    assert what in [value for value, _ in answer["facts"]["goal_choices"]]
    assert answer_to(LATE, {"kind": "goal", "what": "batch", "how": "count", "number": 1})["refused"]


def test_the_texts_before_and_after_the_steps_are_written_changed_and_removed() -> None:
    answer = answer_to(
        LATE, {"kind": "texts", "texts": {"look_for": "The red line: it moves", "takeaway": "It waits."}}
    )
    assert changed(LATE, answer["text"]) == ['look_for: "The red line: it moves"', "takeaway: It waits."]
    assert answer["facts"]["story"]["texts"]["takeaway"] == "It waits."
    again = answer_to(answer["text"], {"kind": "texts", "texts": {"look_for": "", "takeaway": "It waits."}})
    assert changed(LATE, again["text"]) == ["takeaway: It waits."]
    assert answer_to(LATE, {"kind": "texts", "texts": {"name": "other"}})["refused"]
    assert answer_to(LATE, {"kind": "texts", "texts": {"title": " "}})["refused"]


# --- what is wrong -------------------------------------------------------------------------------------------------


def test_an_error_in_the_story_leaves_the_run_sound() -> None:
    answer = answer_to(LATE.replace("event: LateDropped", "event: LateDroped"))
    assert answer["sound"]
    assert [(each["line"], each["column"]) for each in answer["problems"]] == [(36, 17)]
    assert answer["facts"]["checks"][0]["mark"] == "error"
    assert [goal["met"] for goal in answer["facts"]["goals"]] == [True, True]


def test_an_error_in_the_run_is_reported_at_its_line() -> None:
    answer = answer_to(LATE.replace("type: window", "type: windo"))
    assert not answer["sound"]
    assert "facts" not in answer
    assert answer["problems"][0]["line"] == 9
    refused = answer_to(answer["text"], {"kind": "add", "after": 0})
    assert refused["refused"].startswith("Fix the text first")


@pytest.mark.parametrize(
    "text",
    ["", "\x00", "name: \ud800", "- a\n", "{" * 5000, "x" * 600_000, HEAD, HEAD + "stream: {generate: {}}\n"],
)
def test_any_text_gets_an_answer(text: str) -> None:
    answer = answer_to(text)
    assert not answer["sound"]
    assert answer["problems"]


def test_the_first_steps_of_an_endless_stream_are_shown() -> None:
    stream = "stream: {generate: {events: 1000000000, seed: 7, keys: 4, every: 100ms, end: true}}\n"
    answer = answer_to(HEAD + stream)
    assert "a long run" in answer["facts"]["cut"]
    assert answer["facts"]["plane"]["steps"] <= 4_000
    assert "too long" in answer_to(HEAD + stream, {"kind": "freeze"})["refused"]
    assert answer_to(HEAD + stream, hints=True)["hints"] == []


@pytest.mark.parametrize(
    "edit",
    [
        {}, {"kind": "x"}, {"kind": "cell"}, {"kind": "cell", "item": 99, "column": "ts", "typed": "1"},
        {"kind": "cell", "item": 0, "column": "__class__", "typed": "1"}, {"kind": "move", "item": 0, "to": 99},
        {"kind": "control", "name": "bound", "value": {}}, {"kind": "member", "name": "stream", "value": "x"},
        {"kind": "beat", "number": 99, "fields": {}}, {"kind": "drop", "list": "stream", "number": 0},
    ],
)  # fmt: skip
def test_an_edit_without_sense_changes_nothing(edit: dict[str, Any]) -> None:
    answer = answer_to(LATE, edit)
    assert answer["refused"]
    assert answer["text"] == LATE


# --- the page ------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("late-but-allowed", "two-clocks"):
        (tmp_path / f"{name}.yaml").write_text(text_of(name), encoding="utf-8")
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)


@pytest.mark.usefixtures("small_library")
def test_the_first_message_lists_every_template_and_scenario() -> None:
    base = unpacked(first(None))
    assert base["templates"][0]["name"] == "tumbling-windows"
    assert {each["name"] for each in base["library"]} == {"late-but-allowed", "two-clocks"}


@pytest.mark.usefixtures("small_library")
def test_a_copy_of_the_library_gets_a_name_of_its_own() -> None:
    answer = answer_to("", command={"name": "fork", "scenario": "two-clocks"})
    assert "\nname: two-clocks-2\n" in answer["text"]
    assert answer_to("", command={"name": "fork", "scenario": "../x"})["told"]["problem"]


@pytest.mark.usefixtures("small_library")
def test_the_page_opens_the_scenario_of_the_address_or_says_why_not() -> None:
    for query in ({"scenario": "two-clocks"}, {"scenario": "<b>"}, {"s": "y!"}):
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        app.query_params.update(query)
        app.switch_page("ui/pages/author.py").run()
        assert not app.exception


@pytest.mark.parametrize(
    ("file", "content"),
    [("mine.json", '{"scenario": 1,'), ("mine.json", '{"scenario": 1, "name": "mine"}'), ("mine.yaml", "scenario: [")],
)
def test_a_file_that_is_no_scenario_is_opened_and_marked(file: str, content: str) -> None:
    answer = unpacked(reply({"number": 1, "text": "", "command": {"name": "upload", "file": file, "content": content}}))
    assert (answer["told"], answer["text"], answer["sound"]) == ({}, content, False)
    assert [each["line"] for each in answer["problems"]]


def test_a_draft_and_its_earlier_text_are_told_apart_by_the_smallest_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.ui.share.difference.BOUNDS", Bounds(records=1, random=100, seconds=1e6))

    def told(text: str, before: str) -> dict[str, Any]:
        found: dict[str, Any] = answer_to(text, command={"name": "matters", "before": before})["told"]
        return found

    shorter = LATE.replace("allowed_lateness: 3s", "allowed_lateness: 1s")
    found = told(shorter, LATE)["found"]
    assert found["lead"] == "They differ on 3 records:"
    assert set(found["address"]) == {"s", "with.s"}
    assert told(LATE.replace("value: 4", "value: 5"), LATE) == {
        "found": {"tried": ["Both have the same settings, so no stream tells them apart."]}
    }
    assert told(LATE, "stream: [")["problem"] == "Both texts must run to be compared."
