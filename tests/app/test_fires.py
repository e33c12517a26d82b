"""The advice of a Why card, put into the stream: it fires the window where that is said, and nothing less does."""

from pathlib import Path
from typing import Any

import pytest

import simulator
from simulator import timeline
from simulator.scenario import load
from simulator.scenario.model import Scenario
from simulator.timeline.conditions import conditions
from simulator.timeline.ids import window_id
from simulator.trace.events import PaneFired, TriggerEvaluated
from simulator.values.items import End
from ui.author.fires import fires
from ui.author.tryout import tryout
from ui.share import own

SCENARIOS = Path(__file__).parents[2] / "scenarios"
LIBRARY = sorted(SCENARIOS.glob("*.yaml"))


def _ask(path: Path, window: str, after: int, *items: dict[str, Any]) -> dict[str, Any]:
    edit = {"kind": "insert", "after": after, "items": list(items)}
    return fires({"text": None, "edit": edit, "window": window}, path.read_text(encoding="utf-8"))


def _fired(address: list[str], window: str, first: int, last: int) -> bool:
    """Whether the trigger fires ``window`` in the scenario of that address while items ``first`` to ``last`` are on."""
    scenario = own.of_link(address[1]).entry.scenario
    assert scenario is not None
    _, trace = simulator.run_traced(scenario)
    return any(
        first <= step.item <= last
        and isinstance(step.event, TriggerEvaluated)
        and step.event.fires
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
    changed = own.of_link(said["address"][1]).entry.scenario
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
    waits = [row for row in conditions(facts, trace) if row["kind"] == "watermark" and row["phase"] == "waiting"]
    for row in [each for each in waits if each["needs"] < 2**62 and each["of"] in windows][:3]:
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


@pytest.mark.parametrize(
    "items", [[], None, [{}], [{"what": "?"}], [{"what": "record"}], ["end"], [{"what": "end"}] * 11]
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
