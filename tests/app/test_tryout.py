"""A try-out of the player: one edit, the changed scenario beside the original, and what that changes in one line."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import timeline
from tidemark.simulator.engine.trace.events import PaneFired, RowRanked, TriggerEvaluated
from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.explore.runs import run_of
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario, Session, Window
from tidemark.simulator.timeline.conditions import conditions, partners
from tidemark.simulator.timeline.ids import window_id
from tidemark.simulator.words import speaking
from tidemark.ui.author.controls import controls_of
from tidemark.ui.author.draft import draft_of, hints_of, run_of_draft
from tidemark.ui.author.tryout import fires, tryout
from tidemark.ui.payload.drawn import numbers
from tidemark.ui.share import links
from tidemark.ui.share.answers import remedies

from tests.each import for_each
from tidemark import simulator

GONE = """
scenario: 1
name: gone
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: count}}
stream:
  - {ts: 1s, key: a}
  - {watermark: 1s}
  - {ts: 2s, key: a}
  - {ts: 3s, key: a}
  - {end: true}
"""

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def _tried(name: str, edit: dict[str, Any], text: str | None = None, step: int = 0) -> tuple[dict[str, Any], bytes]:
    path = SCENARIOS / f"{name}.yaml"
    return tryout({"text": text, "edit": edit, "step": step}, path.read_text(encoding="utf-8"), load(path), ())


def _bound(value: str) -> dict[str, Any]:
    return {"kind": "control", "name": "bound", "value": value}


def test_one_line_says_what_a_longer_bound_does() -> None:
    said, body = _tried("late-and-dropped", _bound("2501ms"))
    assert (said["what"], said["line"]) == (
        "Bound: 2 s → 2.501 s.",
        "[0, 10) of a is now 13 instead of 6; one record less is lost.",
    )
    assert body
    with speaking("zh"):
        assert (
            _tried("late-and-dropped", _bound("2501ms"))[0]["line"]
            == "键 a 的 [0, 10) 现在给出 13，原来是 6；少丢了一条记录。"
        )


def test_a_moved_record_leaves_a_ghost_and_the_next_edit_goes_on_from_there() -> None:
    said, _ = _tried("late-and-dropped", {"kind": "place", "item": 5, "at": 11_000})
    assert said["ghost"]["records"] == [[8000, 14000, "events"]]
    assert said["what"] == "One record moved."
    more, _ = _tried("late-and-dropped", _bound("1s"), said["text"])
    assert more["what"] == "Bound: 2 s → 1 s, one record moved."
    back, _ = _tried("late-and-dropped", _bound("2s"), _tried("late-and-dropped", _bound("3s"))[0]["text"])
    assert back["what"] == "As in the original again."


def test_a_record_of_a_join_is_moved_to_the_other_side() -> None:
    said, _ = _tried("interval-join-keeps", {"kind": "place", "item": 0, "in": "right"})
    assert said["what"] == "One record moved."
    assert said["ghost"]["records"][0][2] == "left"
    refused, _ = _tried("interval-join-keeps", {"kind": "place", "item": 0, "in": "middle"})
    assert list(refused) == ["problem"]


def test_what_the_author_says_of_the_original_is_left_out() -> None:
    said, _ = _tried("late-and-dropped", _bound("9s"))
    kind, token = said["address"]
    assert kind == "s"
    opened = links.of_link(token).entry.scenario
    assert opened is not None
    assert not opened.walkthrough
    assert not opened.goals
    assert not opened.teaches


def _drafted(said: dict[str, Any]) -> Scenario:
    opened = links.of_link(said["draft"]["address"][1]).entry.scenario
    assert opened is not None
    return opened


def test_a_draft_keeps_what_still_holds_and_says_what_it_leaves_out() -> None:
    said, _ = _tried("late-and-dropped", _bound("2501ms"))
    assert said["draft"]["left_out"] == (
        "The draft leaves out beats (5 of 5), goals (1 of 1), what to look for, the takeaway: "
        "this run no longer supports them."
    )
    draft = _drafted(said)
    assert (draft.walkthrough, draft.goals, draft.look_for, draft.takeaway) == ((), (), None, None)
    assert draft.teaches == ("late-data", "watermark", "tumbling-window")
    # The last record comes later in its window: nothing before it changes, nor any result.
    said, _ = _tried("late-and-dropped", {"kind": "place", "item": 6, "ts": 24_000})
    assert said["draft"]["left_out"] == ""
    draft = _drafted(said)
    original = load(SCENARIOS / "late-and-dropped.yaml")
    assert (len(draft.walkthrough), len(draft.goals)) == (len(original.walkthrough), len(original.goals))
    assert draft.takeaway == original.takeaway


def test_beats_at_items_go_along_with_what_is_put_in_before_them() -> None:
    name = "late-and-dropped"
    record = {"what": "record", "input": "events", "channel": 0, "ts": 5_000}
    said, _ = _tried(name, {"kind": "insert", "after": 1, "items": [record]})
    assert said["draft"]["address"] != said["address"]
    assert links.of_link(said["draft"]["address"][1]).entry.problem == ""


def test_the_title_of_the_original_promises_nothing_in_a_copy() -> None:
    path = SCENARIOS / "late-and-dropped.yaml"
    text = path.read_text(encoding="utf-8").replace("bound: 2s", "bound: 9s")
    for title, warned in ((text, False), (text.replace("Late and dropped", "Late and lost"), True)):
        draft = draft_of(title)
        assert draft.scenario is not None
        lines = [each["line"] for each in hints_of(draft, run_of_draft(title, draft.scenario))]
        assert (4 in lines) is warned


def test_the_same_moment_is_shown() -> None:
    said, _ = _tried("late-and-dropped", _bound("1s"), step=10**6)
    last, _ = _tried("late-and-dropped", _bound("1s"), step=0)
    assert said["step"] > last["step"]


def test_a_step_is_shown_at_the_same_item_and_the_end_at_the_end() -> None:
    scenario = parse(GONE.replace("  - {end: true}\n", ""))
    source = GONE.replace("  - {end: true}\n", "")
    record = {"what": "record", "input": "events", "channel": 0, "ts": 4_000, "key": "a"}
    edit = {"kind": "insert", "after": len(scenario.stream) - 1, "items": [record]}
    past = run_of(scenario)
    for each in past.trace:
        said, _ = tryout({"edit": edit, "step": each.step}, source, scenario, ())
        changed = run_of(parse(said["text"]))
        is_last = each.step == len(past.trace) - 1
        assert changed.trace.steps[said["step"]].item == (len(scenario.stream) if is_last else each.item)
        if not is_last:
            assert said["step"] == each.step, "nothing before it has changed"


def test_a_moment_that_is_gone_shows_the_one_before_and_not_the_end() -> None:
    """A watermark stands between the first two records; when the first one is moved to the end, nothing does."""
    scenario = parse(GONE)
    run = run_of(scenario)
    step = next(each.step for each in run.trace if each.item == 1)
    said, _ = tryout({"edit": {"kind": "place", "item": 0, "to": 3}, "step": step}, GONE, scenario, ())
    changed = run_of(parse(said["text"]))
    assert changed.trace.steps[said["step"]].item == 1, "the second record, which has taken the place of the first"


@pytest.mark.parametrize(
    "edit", [_bound("soon"), _bound("-1s"), {"kind": "place", "item": 99, "ts": 1}, {"kind": "?"}, {}, None, "x"]
)
def test_an_edit_that_makes_no_sense_is_refused_in_words(edit: Any) -> None:
    said, body = _tried("late-and-dropped", edit)
    assert said["problem"]
    assert body == b""


@for_each(sorted(SCENARIOS.glob("*.yaml")), lambda path: path.stem)
def test_each_number_of_the_sentence_is_a_control(path: Path) -> None:
    scenario: Scenario = load(path)
    controls = controls_of(scenario)
    for each in numbers(scenario):
        assert controls[each["name"]].value == each["value"]


# The advice of a Why card, put into the stream: it fires the window where that is said, and nothing less does.

LIBRARY = sorted(SCENARIOS.glob("*.yaml"))


def _ask(path: Path, window: str, after: int, *items: dict[str, Any]) -> dict[str, Any]:
    edit = {"kind": "insert", "after": after, "items": list(items)}
    return fires({"text": None, "edit": edit, "window": window}, path.read_text(encoding="utf-8"))


def _fired(address: list[str], window: str, first: int, last: int) -> bool:
    """Whether ``window`` fires in the scenario of that address while items ``first`` to ``last`` are on.

    By its trigger or, where a table function has none, by its first row.
    """
    scenario = links.of_link(address[1]).entry.scenario
    assert scenario is not None
    _, trace = simulator.run_traced(scenario)
    return any(
        first <= step.item <= last
        and isinstance(step.event, TriggerEvaluated | PaneFired | RowRanked)
        and getattr(step.event, "fires", True)
        and window_id(step.event.key, step.event.window) == window
        for step in trace
    )


RECORD = {"what": "record", "input": "events", "channel": 0}


def test_the_record_that_brings_the_watermark_fires_the_window_and_1_ms_less_does_not() -> None:
    path = SCENARIOS / "late-and-dropped.yaml"
    ts = 12_000
    _, trace = simulator.run_traced(load(path))
    facts = timeline.build(load(path), trace)
    waiting = next(row for row in facts.tables["windows"] if row["status"] == "open" and row["end"] == 10_000)
    window, after = waiting["id"], trace.steps[waiting["from_step"]].item
    said = _ask(path, window, after, RECORD | {"ts": ts})
    assert _fired(said["address"], window, after + 1, after + 1)
    assert _ask(path, window, after, RECORD | {"ts": ts - 1}) == {"problem": "This would not fire the window."}
    edit = {"kind": "insert", "after": after, "items": [RECORD | {"ts": ts}]}
    asked = {"text": None, "edit": edit, "step": 0, "window": window}
    shown, _ = tryout(asked, path.read_text(encoding="utf-8"), load(path), ())
    assert shown["what"] == "One item added to the stream."
    assert shown["address"] == said["address"]
    changed = links.of_link(said["address"][1]).entry.scenario
    assert changed is not None
    event = simulator.run_traced(changed)[1].steps[shown["step"]].event
    assert isinstance(event, PaneFired)
    assert window_id(event.key, event.window) == window


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_whatever_is_offered_fires_the_window_while_it_is_processed(path: Path) -> None:
    scenario: Scenario = load(path)
    if scenario.engine == "spark" or not isinstance(scenario.stream, tuple):
        return
    _, trace = simulator.run_traced(scenario)
    facts = timeline.build(scenario, trace)
    windows = {row["id"]: row for row in facts.tables["windows"]}
    waits = [row for row in conditions(facts) if row["kind"] == "watermark" and row["phase"] == "waiting"]
    waits = [each for each in waits if each["needs"] < 2**62 and each["of"] in windows]
    turn = LIBRARY.index(path)
    for row in waits[turn % 3 :][:1]:  # in turn the first one, the second, or the third
        after = trace.steps[row["from_step"]].item
        channels = [(each.name, channel) for each in scenario.inputs for channel in range(each.channels)]
        marks = [{"what": "watermark", "ts": row["needs"], "input": i, "channel": c} for i, c in channels]
        late = {"what": "record", "ts": windows[row["of"]]["start"], "key": windows[row["of"]]["key"]}
        others = ([late | {"input": channels[0][0], "channel": 0}], [{"what": "end"}])
        for items in (marks, others[turn // 3 % 2]):
            said = _ask(path, row["of"], after, *items)
            if "address" in said:
                assert _fired(said["address"], row["of"], after + 1, after + len(items))
            else:
                assert said["problem"]


def _standing(name: str, table: str) -> tuple[Path, dict[str, Any], int]:
    """The file, a fact of ``table`` that holds for a while, and the last item of that while."""
    path = SCENARIOS / f"{name}.yaml"
    _, trace = simulator.run_traced(load(path))
    facts = timeline.build(load(path), trace)
    row = next(row for row in facts.by_name()[table] if trace.steps[row["from_step"]].item < _until(row, trace) - 1)
    return path, row, trace.steps[row["from_step"]].item


def _until(row: dict[str, Any], trace: Any) -> int:
    return int(trace.steps[-1 if row["until_step"] is None else row["until_step"]].item)


def _effect(path: Path, subject: str, after: int, effect: str, *items: dict[str, Any], step: int = 0) -> dict[str, Any]:
    edit = {"kind": "insert", "after": after, "items": list(items)}
    asked = {"text": None, "edit": edit, "window": subject, "effect": effect, "step": step}
    return fires(asked, path.read_text(encoding="utf-8"))


def test_as_many_records_as_a_count_lacks_fire_the_window_and_one_less_does_not(tmp_path: Path) -> None:
    path = SCENARIOS / "count-in-a-window.yaml"
    text = path.read_text(encoding="utf-8").replace("max: 2", "max: 3").split("goals:")[0]
    path = tmp_path / path.name
    path.write_text(text, encoding="utf-8")
    _, trace = simulator.run_traced(load(path))
    facts = timeline.build(load(path), trace)
    counts = (row for row in conditions(facts) if row["kind"] == "count")
    row = next(row for row in counts if trace.steps[row["from_step"]].item < _until(row, trace))
    window = next(each for each in facts.tables["windows"] if each["id"] == row["of"])
    after, missing = trace.steps[row["from_step"]].item, row["needs"] - row["has"]
    record = RECORD | {"ts": window["start"], "key": window["key"]}
    meeting = record | {"what": "records", "kind": "count", "needs": row["needs"], "has": row["has"]}
    assert "address" in _effect(path, row["of"], after, "fires", meeting)
    assert "address" in _effect(path, row["of"], after, "fires", *[record] * missing)
    assert missing > 1
    assert "problem" in _effect(path, row["of"], after, "fires", *[record] * (missing - 1))
    many = _effect(path, row["of"], after, "fires", meeting | {"needs": 10**12})
    assert many == {"problem": "That is more than 10 items: edit a copy to add them."}


def test_a_record_whose_value_rises_far_enough_fires_and_a_smaller_one_does_not() -> None:
    path = SCENARIOS / "only-if-it-moves.yaml"
    _, trace = simulator.run_traced(load(path))
    facts = timeline.build(load(path), trace)
    row = next(row for row in conditions(facts) if row["kind"] == "delta" and row["has"] is not None)
    window = next(each for each in facts.tables["windows"] if each["id"] == row["of"])
    after, above = trace.steps[row["from_step"]].item, row["needs"] + row["has"]
    record = {"what": "record", "input": load(path).inputs[0].name, "channel": 0, "key": window["key"], "ts": None}
    meeting = record | {"what": "records", "kind": "delta", "needs": row["needs"], "has": row["has"]}
    assert "address" in _effect(path, row["of"], after, "fires", meeting)
    assert _effect(path, row["of"], after, "fires", record | {"value": above}) == {
        "problem": "This would not fire the window."
    }


def test_a_watermark_releases_a_record_from_the_queue_and_1_ms_less_does_not() -> None:
    path, row, after = _standing("car-trace", "queue")
    spec = load(path).inputs[0]
    ts = row["ts"] + spec.watermark.ahead
    records = [{"what": "record", "input": spec.name, "channel": channel} for channel in range(spec.channels)]
    assert "address" in _effect(path, row["id"], after, "leaves", *(each | {"ts": ts} for each in records))
    less = _effect(path, row["id"], after, "leaves", *(each | {"ts": ts - 1} for each in records))
    assert less == {"problem": "This would not release the record."}


def test_a_buffered_record_is_matched_within_its_range_and_not_beyond() -> None:
    path, row, after = _standing("interval-join-keeps", "buffers")
    bounds = load(path).operator.bounds
    assert bounds is not None
    _, high = partners(bounds, row["side"], row["ts"])  # type: ignore[arg-type]
    other = "right" if row["side"] == "left" else "left"
    record = {"what": "record", "input": other, "channel": 0, "key": row["key"]}
    assert "address" in _effect(path, row["id"], after, "matches", record | {"ts": high})
    assert _effect(path, row["id"], after, "matches", record | {"ts": high + 1}) == {
        "problem": "This would not match the record."
    }
    assert "problem" in _effect(path, row["id"], after, "no such effect", record | {"ts": high})


def test_what_happens_by_itself_before_the_next_item_is_said_with_its_step() -> None:
    path = SCENARIOS / "late-and-dropped.yaml"
    _, trace = simulator.run_traced(load(path))
    fired = next(step for step in trace if isinstance(step.event, PaneFired))
    assert isinstance(fired.event, PaneFired)
    window = window_id(fired.event.key, fired.event.window)
    said = _effect(path, window, fired.item, "fires", RECORD | {"ts": 30_000}, step=fired.step - 1)
    assert said == {"problem": f"No need to add anything: it happens at step {fired.step}."}


@pytest.mark.parametrize(
    "items",
    [[], None, [{}], [{"what": "?"}], [{"what": "records"}], [{"what": "record"}], ["end"], [{"what": "end"}] * 11],
)
def test_what_is_no_item_is_refused_in_words(items: Any) -> None:
    path = SCENARIOS / "late-and-dropped.yaml"
    edit = {"kind": "insert", "after": 0, "items": items}
    assert fires({"text": None, "edit": edit, "window": "x"}, path.read_text(encoding="utf-8"))["problem"]
    assert "problem" in fires({}, path.read_text(encoding="utf-8"))


def test_nothing_is_put_in_after_the_end_of_input() -> None:
    streams = ((path, load(path).stream) for path in LIBRARY)
    path, last = next(
        (path, len(stream) - 1) for path, stream in streams if isinstance(stream, tuple) and isinstance(stream[-1], End)
    )
    assert "problem" in _ask(path, "x", last, {"what": "end"})


# What would have kept a lost record, as the server finds it for the player where the facts do not say it.


def test_sessions_are_searched() -> None:
    scenario = load(SCENARIOS / "late-and-dropped.yaml")
    assert isinstance(scenario.operator, Window)
    sessions = replace(scenario, operator=replace(scenario.operator, assigner=Session(1000)))
    asked = {"item": 5, "settings": ["bound", "allowed-lateness"]}
    assert remedies(sessions, asked) == {
        "remedies": [
            {"what": "bound", "before": 2000, "after": 3501},
            {"what": "allowed-lateness", "before": 0, "after": 1501},
        ]
    }


def test_only_what_is_asked_for_is_answered() -> None:
    scenario = load(SCENARIOS / "late-and-dropped.yaml")
    found = remedies(scenario, {"item": 5, "settings": ["bound"]})
    assert [each["what"] for each in found["remedies"]] == ["bound"]
    assert "problem" in remedies(scenario, {"item": "5", "settings": None})


def test_a_long_run_is_not_searched() -> None:
    scenario = load(SCENARIOS / "late-and-dropped.yaml")
    long = replace(scenario, stream=tuple(Record("a", 1000 * number, 1) for number in range(1000)))
    assert "problem" in remedies(long, {"item": 5, "settings": ["bound"]})
