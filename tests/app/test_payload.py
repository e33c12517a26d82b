"""The plane's rows and the lanes: everything is in its place and inside the axes, and nothing overlaps."""

import gzip
import json
import re
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run_traced, timeline
from tidemark.simulator import scenario as scenarios
from tidemark.simulator.engine.values.items import Advance, End, Record, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.limits import WALK_STEPS
from tidemark.simulator.scenario import load, model, parse
from tidemark.simulator.scenario.model import Generated
from tidemark.simulator.timeline.wording import CLOCK, TimeFormat
from tidemark.simulator.words import speaking
from tidemark.ui.catalogue.walkable import shortened, walked
from tidemark.ui.library.cards import picture
from tidemark.ui.payload.brief import brief, with_taken
from tidemark.ui.payload.charts.axes import event_time_axis
from tidemark.ui.payload.charts.lanes import lanes
from tidemark.ui.payload.charts.plane import SOURCES
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.packing import pack
from tidemark.ui.payload.sentence import sentence
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.player.bundle import ENTRIES, UI, BundleError, inline_script, script

from tests.each import for_each

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "scenarios").glob("*.yaml"))


def window_scenario(*records: Record, **more: Any) -> model.Scenario:
    operator = model.Window(
        more.pop("assigner", model.Tumbling(5000)), model.EventTimeTrigger(), model.Function("aggregate", "sum")
    )
    bounded = model.BoundedOutOfOrderness(1000)
    inputs = (model.InputSpec("events", watermark=bounded),)
    return model.Scenario("sample", operator, (*records, End()), inputs, **more)


def test_windows_without_extent_are_drawn_without_a_grid() -> None:
    """No scenario file has such windows, but an end may wrap around to its start."""
    contents = payload(window_scenario(Record("a", 1000, 1), Record("a", 3000, 1), assigner=model.Session(0)))
    assert contents["sources"]["bands"] == []


@for_each(FILES, lambda f: f.stem)
def test_every_row_lies_inside_the_axes_and_lives_within_the_run(file: Path) -> None:
    contents = payload(scenarios.load(file))
    signals = contents["signals"]
    assert set(contents["sources"]) == set(SOURCES)
    for name, rows in contents["sources"].items():
        assert [row["from_step"] for row in rows] == sorted(row["from_step"] for row in rows), name
        for row in rows:
            until = contents["steps"] if row["until_step"] is None else row["until_step"]
            assert 0 <= row["from_step"] < until <= contents["steps"], (name, row)
            for member, low, high in (("x", "x0", "x1"), ("x2", "x0", "x1"), ("y", "y0", "y1"), ("y2", "y0", "y1")):
                assert signals[low] <= row.get(member, signals[low]) <= signals[high], (name, row)


@for_each(FILES, lambda f: f.stem)
def test_every_sentence_is_complete(file: Path) -> None:
    text = "".join(part for part, _ in sentence(scenarios.load(file)))
    assert re.fullmatch(r"[A-Z][^{}]+[^.,; ]", text), text


def test_a_broken_clock_does_not_stretch_the_axis() -> None:
    year = 31_536_000_000
    records = [Record("a", ts, 1, at=ts + 100) for ts in (1000, 2000, 3000, 4000, year)]
    contents = payload(window_scenario(*records))
    assert contents["signals"]["x1"] < 60_000
    assert max(row["x"] for row in contents["sources"]["records"]) == contents["signals"]["x1"]


def test_times_at_the_edge_of_64_bits_are_drawn() -> None:
    contents = payload(window_scenario(Record("a", 0, 1), Record("a", MAX - 10_000, 2), Record("a", MIN + 10_000, 3)))
    assert json.loads(json.dumps(contents, allow_nan=False))["steps"] > 0


def test_numbers_that_a_browser_would_round_travel_as_text() -> None:
    contents = payload(window_scenario(Record(2**60, 0, 2**62)))
    text = gzip.decompress(pack(contents)).decode()
    assert f'"{2**62}"' in text
    assert f'"{2**60}"' in text


def test_overlapping_windows_have_separate_tracks() -> None:
    contents = payload(window_scenario(Record("a", 5000, 1), assigner=model.Sliding(10_000, 2000)))
    assert contents["lanes"]["rows"] == [{"key": "a", "tracks": 5}]
    assert sorted(contents["lanes"]["tracks"].values()) == [0, 1, 2, 3, 4]
    assert contents["sources"]["bands"] == []


def test_keys_of_different_kinds_have_separate_lanes() -> None:
    contents = payload(window_scenario(*(Record(key, 0, 1) for key in (1, "1", True))))
    assert len(contents["lanes"]["rows"]) == 3


def test_lanes_sort_keys_by_their_numbers() -> None:
    rows = [{"id": k, "key": k, "start": 0, "end": 1, "from_step": 0, "until_step": None, "status": "open"}
            for k in ("k10", "k2", "k1")]  # fmt: skip
    assert [row["key"] for row in lanes({"windows": rows})["rows"]] == ["k1", "k2", "k10"]


def test_a_long_stream_is_shortened_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.ui.catalogue.walkable.WALK_STEPS", 2000)
    stream = model.Generated(events=200_000, seed=7, keys=4, every=100)
    scenario = model.Scenario("long", window_scenario().operator, stream)
    cut = shortened(scenario).stream
    assert isinstance(cut, model.Generated)
    contents = payload(scenario)
    assert 1900 < contents["steps"] <= 2000
    assert f"first {cut.events} of 200000 records" in contents["about"]


def test_a_run_within_the_limit_is_complete() -> None:
    stream = model.Generated(events=900, seed=7, keys=4, every=100)
    scenario = model.Scenario("whole", window_scenario().operator, stream)
    assert shortened(scenario) is scenario


# --- the bundle ----------------------------------------------------------------------------------------------------


def test_the_player_is_one_module_with_one_export() -> None:
    text = script()
    assert "import {" not in text
    assert re.findall(r"^export .*", text, re.MULTILINE) == ["export {"]
    assert "export {\n  mount as default\n};\n" in text
    assert "export {" not in inline_script()
    assert "innerHTML" not in text
    assert "insertAdjacentHTML" not in text


def test_every_script_of_a_page_is_an_entry() -> None:
    named = {
        each[1]
        for path in UI.rglob("*.py")
        for each in re.finditer(r"""["'](\w+\.ts)["']""", path.read_text(encoding="utf-8"))
    }
    assert {Path(each).name for each in ENTRIES} == named


@pytest.mark.parametrize(("other", "complaint"), [
    ("export const b = ;\n", r"other\.ts:1:18: Unexpected ;$"),
    ("export const c = 1;\n", r'main\.ts:1:10: No matching export in ".*other\.ts" for import "b"$'),
    (None, r'main\.ts:1:19: Could not resolve: "\./other\.ts"$'),
])  # fmt: skip
def test_modules_that_do_not_fit_are_refused(tmp_path: Path, other: str | None, complaint: str) -> None:
    (tmp_path / "main.ts").write_text('import { b } from "./other.ts";\nexport const a: number = b;\n')
    if other is not None:
        (tmp_path / "other.ts").write_text(other)
    with pytest.raises(BundleError, match=complaint):
        script(tmp_path / "main.ts")


def test_dates_are_written_only_at_midnight() -> None:
    clock = TimeStyle(TimeFormat(CLOCK, UTC, None))
    days = event_time_axis([0, 40 * 3_600_000], [], [], clock)
    assert days.labels[days.ticks.index(86_400_000.0)] == "01-02"
    assert days.labels[days.ticks.index(86_400_000.0) + 1] in ("06:00", "12:00")
    hours = event_time_axis([50 * 3_600_000, 53 * 3_600_000], [], [], clock)
    assert [" " in label for label in hours.labels] == [True] + [False] * (len(hours.labels) - 1)
    assert clock.of_day(86_400_000 + 61_000) == "00:01:01"
    assert clock.of_day(86_400_000 + 60_000) == "00:01"


@pytest.mark.parametrize(
    ("lower", "upper", "exclusive", "expected"),
    [
        (0, 10_000, (False, True), "from 0 s to less than 10 s after it"),
        (-3000, -1000, (False, False), "from 3 s to 1 s before it, both ends included"),
        (-3000, -1000, (True, True), "from less than 3 s to more than 1 s before it"),
        (-2000, 1000, (True, False), "from less than 2 s before to 1 s after it"),
    ],
)
def test_the_sentence_about_an_interval_has_its_side_and_its_ends(
    lower: int, upper: int, exclusive: tuple[bool, bool], expected: str
) -> None:
    operator = model.IntervalJoin(lower, upper, *exclusive)
    inputs = (model.InputSpec("left"), model.InputSpec("right"))
    text = "".join(text for text, _ in sentence(model.Scenario("one", operator, (), inputs)))
    assert text.startswith(f"A right record matches a left record with the same key {expected};")


def test_the_sentence_about_early_and_late_results_says_how_often_they_fire() -> None:
    text = "".join(text for text, _ in sentence(scenarios.load(ROOT / "scenarios" / "early-on-time-late.yaml")))
    assert text.endswith("results fire at the end of the window, early every 1 s (clock), late at every record")


def _at(rows: list[dict[str, Any]], step: int) -> list[dict[str, Any]]:
    return [r for r in rows if r["from_step"] <= step and (r["until_step"] is None or step < r["until_step"])]


def test_a_record_behind_the_watermark_shows_that_it_is_on_time_all_the_same() -> None:
    contents = payload(scenarios.load(ROOT / "scenarios" / "session-bridge.yaml"))
    last = _at(contents["sources"]["records"], contents["steps"] - 1)
    assert {row["id"]: row["fate"] for row in last if row["fate"] != "on-time"} == {"record:4": "behind"}
    assert contents["legend"]["plane"][:2] == ["on-time", "behind"]
    # By Spark's rules a batch judges by the watermark of the batch before.
    spark = payload(scenarios.load(ROOT / "scenarios" / "spark-one-batch-behind.yaml"))
    assert "behind" not in spark["legend"]["plane"]


def test_a_restore_ends_the_line_before_it() -> None:
    contents = payload(scenarios.load(ROOT / "scenarios" / "restart-forgets-the-watermark.yaml"))
    sources = contents["sources"]
    restored = next(f["from_step"] for f in contents["tables"]["watermark"] if f["value"] is None and f["from_step"])
    assert {row["ended"] for row in _at(sources["segments"], restored - 1)} == {False}
    assert {row["ended"] for row in _at(sources["segments"], restored)} == {True}
    assert _at(sources["behind"], restored) == []
    assert [row["text"] for row in _at(sources["mark"], restored)] == ["no watermark yet"]
    last = contents["steps"] - 1
    assert {row["ended"] for row in _at(sources["segments"], last)} == {True, False}


def test_a_watermark_left_of_the_axis_is_an_arrow_at_its_edge() -> None:
    contents = payload(scenarios.load(ROOT / "scenarios" / "two-clocks.yaml"))
    low = contents["parts"][0]["signals"]["x0"]
    outside = [f for f in contents["tables"]["watermark"] if f["value"] is not None and f["value"] < low]
    assert outside
    for fact in outside:
        step = fact["from_step"]
        assert _at(contents["sources"]["segments"], step) == []
        assert _at(contents["sources"]["behind"], step) == []
        (mark,) = _at(contents["sources"]["mark"], step)
        assert (mark["x"], mark["moved"], mark["text"][0]) == (low, False, "◀")


def test_a_key_of_a_temporal_join_has_a_lane_for_its_versions_and_one_for_rows() -> None:
    stream = (Record("a", 1, 1, "right"), Record("b", 2, 1, "left"), End())
    sides = (model.InputSpec("left"), model.InputSpec("right"))
    contents = payload(model.Scenario("versions", model.TemporalJoin("left"), stream, sides))
    assert contents["lanes"]["rows"] == [{"key": "a", "tracks": 2}, {"key": "b", "tracks": 2}]


def test_a_result_that_a_deduplication_takes_back_has_a_mark_of_its_own() -> None:
    stream = (Record("a", 1, 1), Record("a", 2, 2))
    contents = payload(model.Scenario("last", model.Deduplicate("last"), stream))
    assert [row["look"] for row in contents["sources"]["emitted"]] == ["solid", "minus", "solid"]


# The player's payload for a scenario by Spark's rules.

OF_SPARK = Path(__file__).parents[1] / "golden_spark"

LONG = """
scenario: 1
name: long
engine: spark
inputs: {events: {watermark: {delay: 2s}}}
operator: {type: window, assigner: {type: sliding, size: 10s, slide: 1s}, function: {call: aggregate, compute: sum}}
stream:
  generate: {events: 50000, batch_every: 500, seed: 1, keys: 4, every: 100ms}
"""


def of(name: str) -> dict[str, Any]:
    return payload(load(OF_SPARK / f"{name}.yaml"))


@for_each(sorted(OF_SPARK.glob("*.yaml")), lambda file: file.stem)
def test_every_batch_has_its_line_and_now_never_goes_back(file: Path) -> None:
    contents = of(file.stem)
    sources = contents["sources"]
    assert len(sources["stops"]) == len({row["id"] for row in contents["tables"]["batches"]})
    places = [row["y"] for row in sources["now"]]
    assert places == sorted(places), "a batch processes earlier records and stays where it was cut"


def test_the_line_of_a_batch_without_an_ending_item_is_below_its_last_record() -> None:
    sources = of("generated-batches")["sources"]
    assert [row["y"] for row in sources["stops"]][:3] == [6.5, 13.5, 20.5]


def test_results_of_a_join_are_placed_where_their_batch_was_cut() -> None:
    contents = of("join-bounds")
    cut_off = {row["number"]: row["arrival"] for row in contents["tables"]["batches"]}
    joined = [fact for fact in contents["tables"]["outputs"] if fact["row"]["row"] == "joined"]
    assert joined
    assert all(fact["arrival"] == cut_off[fact["row"]["batch"]] for fact in joined)


def test_a_long_run_is_cut_between_batches() -> None:
    scenario, trace = walked(parse(LONG))
    assert isinstance(scenario.stream, Generated)
    assert 0 < scenario.stream.events < 50_000
    assert scenario.stream.events % 500 == 0
    assert len(trace) < 2 * WALK_STEPS


# The brief configuration: it names the trigger only if that is not simply the end of the window.

HEAD = "scenario: 1\nname: any\noperator: {{type: window, function: {{call: aggregate, compute: sum}}, {more}}}\n"
TUMBLING = "assigner: {type: tumbling, size: 5s}"
GLOBAL = "assigner: {type: global}"
EVERY = "{type: processing-time-every, interval: 1s}"
COUNT = "{type: count, max: 3}"


def pieces(more: str, language: str = "en") -> list[str]:
    """The pieces between the watermark and the computation; values are in asterisks."""
    scenario = parse(HEAD.format(more=more) + "stream:\n  - {ts: 1s, key: a, value: 1}\n  - {end: true}\n")
    with speaking(language):
        pieces = brief(scenario)
    return ["".join(f"*{text}*" if value else text for text, value in piece) for piece in pieces[2:-1]]


@pytest.mark.parametrize(
    ("more", "english", "chinese"),
    [
        (TUMBLING, [], []),
        (f"{TUMBLING}, trigger: {{type: event-time}}", [], []),
        (f"{TUMBLING}, time: processing", [], []),
        (f"{TUMBLING}, api: sql", [], []),
        (f"{TUMBLING}, time: processing, trigger: {COUNT}", ["fires every *3* records"], ["每 *3* 条触发"]),
        (f"{TUMBLING}, trigger: {{type: count, max: 1}}", ["fires at every record"], ["每条记录都触发"]),
        (f"{TUMBLING}, trigger: {{type: continuous-event-time, interval: 2s}}",
         ["fires every *2 s* (event time)"], ["按事件时间每 *2 s* 触发"]),
        (f"{TUMBLING}, trigger: {{type: purging, inner: {COUNT}}}",
         ["fires every *3* records, then purges"], ["每 *3* 条触发，随后清空"]),
        (f"{TUMBLING}, trigger: {{type: processing-timeout, inner: {COUNT}, timeout: 2s}}",
         ["fires every *3* records, or after *2 s*"], ["每 *3* 条触发，或等到 *2 s*"]),
        (f"{TUMBLING}, trigger: {{type: delta, threshold: 5}}",
         ["fires on a rise above *5*"], ["升幅超过 *5* 时触发"]),
        (GLOBAL, ["never fires"], ["从不触发"]),
        (f"{TUMBLING}, api: sql, trigger: {{type: after-end-of-window, early: {EVERY}}}",
         ["early *every 1 s (clock)*"], ["提前：*按时钟每 1 s 一次*"]),
        (f"{TUMBLING}, api: sql, allowed_lateness: 5s, trigger: "
         f"{{type: after-end-of-window, early: {EVERY}, late: {{type: every-element}}}}",
         ["lateness *5 s*", "early *every 1 s (clock)*", "late *at every record*"],
         ["允许延迟 *5 s*", "提前：*按时钟每 1 s 一次*", "迟到：*每条记录一次*"]),
    ],
)  # fmt: skip
def test_the_trigger_is_named_unless_it_is_the_default(more: str, english: list[str], chinese: list[str]) -> None:
    assert pieces(more) == english
    assert pieces(more, "zh") == chinese


@pytest.mark.parametrize(("rows", "said"), [(1, "over 1 row before"), (2, "over *2* rows before")])
def test_one_row_before_is_no_plural(rows: int, said: str) -> None:
    over = f"{{type: over, frame: {{rows: {rows}}}, function: {{call: aggregate, compute: sum}}}}"
    text = HEAD.format(more=TUMBLING)
    scenario = parse(text[: text.index("operator:")] + f"operator: {over}\nstream: []\n")
    assert said in ["".join(f"*{text}*" if value else text for text, value in piece) for piece in brief(scenario)]


# Largest timestamp minus all deductions is a channel's watermark; a timestamp not yet sent has no deductions.

LIBRARY = Path(__file__).resolve().parents[2] / "scenarios"
BOUNDED = ["late-but-allowed", "idle-channel", "periodic-watermark", "two-clocks", "car-trace"]


def channels(name: str) -> list[dict[str, Any]]:
    scenario = load(LIBRARY / f"{name}.yaml")
    rows = timeline.build(scenario, run_traced(scenario)[1]).tables["channels"]
    return [with_taken(row, scenario) for row in rows]


@pytest.mark.parametrize("name", BOUNDED)
def test_the_deductions_lead_to_the_watermark(name: str) -> None:
    rows = channels(name)
    assert any(row["taken"] for row in rows)
    for row in rows:
        if row["taken"]:
            assert row["max_timestamp"] - sum(row["taken"]) == row["watermark"], row


def test_a_timestamp_that_was_not_sent_has_no_deductions() -> None:
    sums = [(row["max_timestamp"], row["watermark"], row["taken"]) for row in channels("late-but-allowed")]
    assert (6200, 4199, [2000, 1]) in sums
    assert (6200, 1399, []) in sums
    assert (None, None, None) in sums


# Early, on-time and late results have three distinct shapes on the plane, the scrubber and a small picture.


@pytest.fixture(scope="module")
def contents() -> dict[str, Any]:
    """One window that fires early, on time and late."""
    trigger = model.AfterEndOfWindow(model.ProcessingTimeEvery(1000), model.EveryElement())
    operator = model.Window(
        model.Tumbling(5000), trigger, model.Function("aggregate", "sum"), api="sql", allowed_lateness=5000
    )
    stream = (
        Record("a", 1000, 1, at=0), Advance(1500), Record("a", 2000, 2), Watermark(4999), Record("a", 3000, 4), End()
    )  # fmt: skip
    return payload(model.Scenario("three", operator, stream))


def test_each_timing_has_its_own_look_on_the_plane(contents: dict[str, Any]) -> None:
    boxes = contents["sources"]["boxes"]
    assert [(box["look"], box["text"]) for box in boxes] == [("early", "a 1"), ("solid", "a 3"), ("late", "a 7 ↻2")]


def test_the_scrubber_marks_each_timing_as_a_firing_to_jump_to(contents: dict[str, Any]) -> None:
    firings = [mark for mark in contents["marks"] if mark["kind"] in ("early", "fired", "update")]
    assert [mark["kind"] for mark in firings] == ["early", "fired", "update"]
    assert contents["jumps"]["firing"] == [mark["step"] for mark in firings]


def test_the_legend_and_the_small_picture_distinguish_them_too(contents: dict[str, Any]) -> None:
    assert [kind for kind in contents["legend"]["plane"] if kind in ("early", "fired", "update")] == [
        "fired", "early", "update",
    ]  # fmt: skip
    assert [look for _, _, look in picture(contents)["results"]] == ["early", "solid", "late"]
