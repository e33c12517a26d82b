"""The advice of a Why card, put into the stream: it fires the window where that is said, and nothing less does."""

from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import timeline
from tidemark.simulator.engine.trace.events import PaneFired, RowRanked, TriggerEvaluated
from tidemark.simulator.engine.values.items import End
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.conditions import conditions, partners
from tidemark.simulator.timeline.ids import window_id
from tidemark.ui.author.tryout import fires, tryout
from tidemark.ui.share import links

from tidemark import simulator

SCENARIOS = Path(__file__).parents[2] / "scenarios"
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
    for row in waits[LIBRARY.index(path) % 3 :][:1]:  # in turn the first one, the second, or the third
        after = trace.steps[row["from_step"]].item
        channels = [(each.name, channel) for each in scenario.inputs for channel in range(each.channels)]
        marks = [{"what": "watermark", "ts": row["needs"], "input": i, "channel": c} for i, c in channels]
        late = {"what": "record", "ts": windows[row["of"]]["start"], "key": windows[row["of"]]["key"]}
        for items in (marks, [late | {"input": channels[0][0], "channel": 0}], [{"what": "end"}]):
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
