"""The Compare page: how an address is read, what is reported about two runs, and what is refused."""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tidemark.simulator.engine.values.versions import VERSIONS
from tidemark.simulator.explore.runs import Ran, run_of
from tidemark.simulator.explore.settings import Point, point_of
from tidemark.simulator.proof.spark_twin import NoTwin
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.ids import result_id
from tidemark.simulator.words import speaking
from tidemark.ui.catalogue.walkable import shortened
from tidemark.ui.compare import desk as compare_desk
from tidemark.ui.compare.choice import Choice, ChoiceError, choice_of, configured, span_of
from tidemark.ui.compare.contents import NotSaid, contents, fired
from tidemark.ui.compare.desk import Given, given, telling
from tidemark.ui.compare.searches import fewest, lost, measures, swept
from tidemark.ui.payload.charts.compiled import compiled
from tidemark.ui.payload.charts.mounting import vega_module
from tidemark.ui.payload.charts.sweep import chart
from tidemark.ui.share.links import text_of, token_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return load(ROOT / "scenarios" / "late-but-allowed.yaml")


# --- the address ---------------------------------------------------------------------------------------------------


def test_an_address_reads_back_as_the_choice_it_was_made_from() -> None:
    choice = Choice("a", other="b", settings={"a": {"bound": 0}, "b": {"allowed-lateness": 5000}})
    assert choice_of(choice.address(), "x") == choice
    for other in (Choice("a", belief="no-minus-one"), Choice("a", flink="1.20", settings={"b": {"bound": 0}})):
        assert choice_of(other.address(), "x") == other
    assert choice_of({}, "x") == Choice("x")
    both = Choice("", own=("s", "yA"), other_own=("own", "12ab"))
    assert both.address() == {"s": "yA", "with.own": "12ab"}
    assert choice_of(both.address(), "x") == both


@pytest.mark.parametrize(
    "query", [{"belief": "<b>"}, {"b.bound": "-1"}, {"b.bound": "1e9"}, {"a.bound": "9" * 40}, {"a.bound": "٣"}]
)
def test_an_address_without_sense_is_refused(query: dict[str, str]) -> None:
    with pytest.raises(ChoiceError):
        choice_of(query, "x")


def test_a_setting_that_a_scenario_does_not_have_is_refused(scenario: Scenario) -> None:
    with pytest.raises(ChoiceError):
        configured(scenario, {"gap": 1000})


def test_a_file_or_a_link_becomes_either_side_of_the_address(scenario: Scenario) -> None:
    text = (ROOT / "scenarios" / "late-but-allowed.yaml").read_text(encoding="utf-8")
    token = token_of(text, json=False)
    file = given({"side": "b", "rest": {"s": "yA"}, "name": "mine.yaml", "text": text})
    assert file == Given("b", {"s": "yA", "with.s": token})
    link = {"side": "a", "rest": {"with.s": token}}
    assert given(link | {"link": ["s", token]}) == Given("a", {"s": token, "with.s": token})
    library = given(link | {"side": "b", "rest": {}, "link": ["scenario", "two-clocks"]})
    assert library == Given("b", {"with": "two-clocks"})
    choice = choice_of(file.address | {"s": token}, "x")
    comparison = contents(choice, scenario, scenario, {})
    assert comparison["about"] == "two scenarios, one cursor: the n-th record of both"
    assert comparison["open_other"] == {"s": token}


@pytest.mark.parametrize(
    ("handed", "problem"),
    [
        ({"link": ["s", "y!"]}, "This link is damaged"),
        ({"link": ["own", "0"]}, "this server no longer has it"),
        ({"link": ["scenario", "nobody"]}, "There is no scenario nobody to compare with."),
        ({"link": "s"}, "This link is damaged"),
        ({"name": "x.yaml", "text": "scenario: 1\nname: x\noperator: {type: windo}\nstream: []\n"}, "windo"),
        ({}, "This link is damaged"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(handed: dict[str, Any], problem: str) -> None:
    refused = given({"side": "b", "rest": {"scenario": "two-clocks"}} | handed)
    assert refused is not None
    assert problem in refused.problem
    assert given({"side": "c", "rest": {}} | handed) is None
    assert given({"side": "b", "rest": {"a": 1}} | handed) is None
    assert given(None) is None


# --- what is reported ----------------------------------------------------------------------------------------------


def test_every_firing_of_both_sides_is_a_row(scenario: Scenario) -> None:
    comparison = contents(Choice("x", settings={"b": {"bound": 5000, "allowed-lateness": 0}}), scenario, scenario, {})
    rows = [(row["key"], row["place"], row["firing"], row["kind"], row["text"]) for row in comparison["rows"]]
    assert rows[:3] == [
        ("a", "[0, 5)", 0, "value", "A is 4.4 s earlier, different value"),
        ("a", "[0, 5)", 1, "left", "only in A: an update"),
        ("b", "[0, 5)", 0, "time", "same value, A is 4.4 s earlier"),
    ]
    assert comparison["summary"] == "5 of 7 results differ: 1 with a different value, 3 earlier in A, 1 only in A."
    settings = {setting["name"]: setting["sweeps"] for setting in comparison["sides"][1]["settings"]}
    assert settings == {"bound": True, "allowed-lateness": True, "size": False, "idle-timeout": False}


@pytest.mark.parametrize("choice", [Choice("x", settings={"b": {"bound": 5000}}), Choice("x", spark=3)])
def test_heading_card_and_table_count_the_same_differences(choice: Choice, scenario: Scenario) -> None:
    comparison = contents(choice, scenario, scenario, {})
    lines = sum(row["kind"] != "same" for row in comparison["rows"])
    assert comparison["differing"] == lines > 0
    assert comparison["headline"] == f"{lines} of {comparison['total']} results differ"
    assert comparison["summary"].startswith(f"{comparison['headline']}: ")
    assert sum(int(part.split()[0]) for part in comparison["summary"].split(": ")[1].split(", ")) == lines


def test_the_cursor_leads_both_sides_through_the_same_moments(scenario: Scenario) -> None:
    comparison = contents(Choice("x", settings={"b": {"bound": 5000}}), scenario, scenario, {})
    assert [place["moment"] for place in comparison["cursor"]] == [*range(0, 24, 2), 23]
    for side in (0, 1):
        steps = [place["steps"][side] for place in comparison["cursor"]]
        assert steps == sorted(set(steps))
        assert steps[-1] == comparison["sides"][side]["plane"]["steps"] - 1


def test_a_run_is_the_same_as_itself(scenario: Scenario) -> None:
    comparison = contents(Choice("x"), scenario, scenario, {})
    assert {row["kind"] for row in comparison["rows"]} == {"same"}
    assert comparison["parting"] is None


def test_a_belief_is_corrected_where_it_goes_wrong(scenario: Scenario) -> None:
    comparison = contents(Choice("x", belief="lateness-delays"), scenario, scenario, {})
    assert comparison["belief_words"]["claim"] == "Allowed lateness delays the result."
    assert comparison["parting"] == 12
    assert comparison["sides"][1]["settings"] == []


def test_a_belief_about_single_keys_has_no_picture(scenario: Scenario) -> None:
    comparison = contents(Choice("x", belief="watermark-per-key"), scenario, scenario, {})
    assert comparison["sides"][1]["plane"] is None
    assert comparison["rows"]


def test_a_belief_that_says_nothing_here_is_refused(scenario: Scenario) -> None:
    with pytest.raises(NotSaid):
        contents(Choice("x", belief="gap-on-the-clock"), scenario, scenario, {})


# --- what is requested ---------------------------------------------------------------------------------------------


def test_lost_records_come_with_what_would_have_kept_them(scenario: Scenario) -> None:
    comparison = contents(Choice("x"), scenario, scenario, {"smallest": "all"})["smallest"]
    (row,) = comparison["lost"]
    assert (row["record"], row["key"]) == (10, "b")
    assert {change["what"]: change["after"] for change in row["changes"]}["bound"] == 3001


def test_one_number_says_from_where_on_nothing_is_lost(scenario: Scenario) -> None:
    asked = {"smallest": "all"}
    settings = {"a": {"bound": 0, "allowed-lateness": 0}}
    comparison = contents(Choice("x", settings=settings), scenario, scenario, asked)["smallest"]
    assert len(comparison["lost"]) > 1
    for change in comparison["keeping_all"]:
        start = {"bound": 0, "allowed-lateness": 0}
        for value, all_kept in ((change["after"], True), (change["after"] - 1, False)):
            run = run_of(configured(scenario, {**start, change["what"]: value}))
            assert (not lost(run)) is all_kept
    assert [change["what"] for change in comparison["keeping_all"]] == ["bound", "allowed-lateness"]
    kept = contents(Choice("x", settings={"a": {"bound": 5000}}), scenario, scenario, asked)["smallest"]
    assert kept == {"lost": [], "keeping_all": []}


def test_nothing_is_searched_unless_the_reader_wants_it() -> None:
    long = load(ROOT / "scenarios" / "three-hundred.yaml")
    assert contents(Choice("x"), long, long, {})["smallest"] is None


def test_the_fewest_records_make_a_scenario(scenario: Scenario) -> None:
    found = fewest(scenario, "dropped")
    assert found is not None
    assert len(parse(found["text"]).stream) == found["left"] == 3
    assert [(row["key"], row["ts"], row["value"], row["at"]) for row in found["records"]] == [
        ("a", 11000, 3, 11400), ("b", 12600, 4, 13000), ("b", 2800, 9, 14400)
    ]  # fmt: skip
    assert text_of(found["author"]).text == found["text"]
    assert fewest(scenario, "late") == {
        **found, "shows": "late", "text": None, "left": 0, "runs": 0, "records": [], "author": None
    }  # fmt: skip
    assert fewest(scenario, "<script>") is None


def test_a_run_without_losses_is_not_searched() -> None:
    from tidemark.simulator.explore.runs import run_of

    assert lost(run_of(load(ROOT / "tests" / "golden" / "tumbling-aggregate-avg.yaml"))) == []


# --- the page ------------------------------------------------------------------------------------------------------


def page(**query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params.update(query)
    app.run()
    app.switch_page("ui/pages/compare.py").run()
    return app


def texts(app: Any) -> str:
    return " ".join(each.value for each in [*app.text, *app.markdown, *app.caption])


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"scenario": "nobody"}, "no scenario nobody"),
        ({"scenario": "late-but-allowed", "with": "nobody"}, "no scenario nobody"),
    ],
)
def test_the_page_says_what_cannot_be_compared(query: dict[str, str], message: str) -> None:
    app = page(**query)
    assert not app.exception
    assert message in texts(app)


@pytest.mark.parametrize(
    ("query", "message", "left"),
    [
        ({"belief": "nonsense"}, "no belief called nonsense", {}),
        ({"b.bound": "banana", "a.bound": "0"}, "Not a length of time: b.bound=banana.", {"a.bound": "0"}),
        ({"spark": "0"}, "A micro-batch has 1 record or more, not 0.", {}),
        ({"b.gap": "1"}, "no such setting here: gap", {}),
        ({"belief": "gap-on-the-clock"}, "says nothing about this scenario", {}),
        ({"flink": "1.9"}, f"Flink 1.9 is not a version that Tidemark knows. It knows {', '.join(VERSIONS)}.", {}),
    ],
)
def test_invalid_parts_of_the_address_are_dropped_and_the_rest_is_compared(
    query: dict[str, str], message: str, left: dict[str, str]
) -> None:
    app = page(scenario="late-but-allowed", **query)
    (shown,) = [each.proto for each in app.get("bidi_component") if each.proto.component_name == "tidemark_compare"]
    comparison = json.loads(gzip.decompress(shown.bytes))
    assert comparison["address"] == {"scenario": "late-but-allowed", **left}
    assert len(comparison["refused"]) == 1
    assert message in comparison["refused"][0]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[Choice]:
    """The choices that the page has compared."""
    found: list[Choice] = []

    def spied(choice: Choice, *rest: Any) -> dict[str, Any]:
        found.append(choice)
        return contents(choice, *rest)

    compare_desk._compared.clear()
    monkeypatch.setattr("tidemark.ui.compare.desk.contents", spied)
    return found


def test_the_page_opens_with_two_runs_that_differ(compared: list[Choice], scenario: Scenario) -> None:
    assert not page().exception
    (choice,) = compared
    left, right = (contents(choice, scenario, scenario, {})["rows"][0][side] for side in ("left", "right"))
    assert (left["value"], right["value"]) == (16, 22)


@pytest.mark.parametrize("query", [{"with": "two-clocks"}, {"spark": "3"}, {"b.bound": "0"}, {"flink": "1.18"}])
def test_the_page_compares_what_the_address_says(query: dict[str, str], compared: list[Choice]) -> None:
    assert not page(**query).exception
    assert [choice.address() for choice in compared] == [{"scenario": "late-but-allowed", **query}]


def test_a_library_without_those_settings_opens_too(
    compared: list[Choice], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "tests" / "golden" / "tumbling-aggregate-avg.yaml").read_text(encoding="utf-8")
    copy = text.replace("name: tumbling-aggregate-avg", "name: late-but-allowed")
    (tmp_path / "late-but-allowed.yaml").write_text(copy, encoding="utf-8")
    monkeypatch.setattr("tidemark.ui.catalogue.FOLDER", tmp_path)
    assert not page().exception
    assert [choice.address() for choice in compared] == [
        {"scenario": "late-but-allowed", "belief": "late-is-out-of-order"}
    ]


def test_a_scenario_alone_is_compared_with_something_that_differs(compared: list[Choice]) -> None:
    assert not page(scenario="late-and-dropped").exception
    (choice,) = compared
    found = contents(choice, *[load(ROOT / "scenarios" / "late-and-dropped.yaml")] * 2, {})
    assert found["differing"] > 0
    assert found["address"] == {
        "scenario": "late-and-dropped",
        **{f"b.{n}": str(v) for n, v in choice.settings["b"].items()},
    }


def test_a_copy_is_compared_with_its_original(compared: list[Choice], scenario: Scenario) -> None:
    text = (ROOT / "scenarios" / "late-but-allowed.yaml").read_text(encoding="utf-8")
    copy = text.replace("name: late-but-allowed", "name: late-but-allowed-2").replace("bound: 2s", "bound: 1s")
    token = token_of(copy, json=False)
    assert not page(s=token).exception
    assert [choice.address() for choice in compared] == [{"s": token, "with": "late-but-allowed"}]


def test_what_runs_by_sparks_own_rules_is_named_and_not_compared() -> None:
    assert "runs by Spark’s own rules" in texts(page(scenario="spark-one-batch-behind"))


# --- Spark's rules -------------------------------------------------------------------------------------------------


def test_sparks_rules_are_compared_with_flinks_with_reasons(scenario: Scenario) -> None:
    comparison = contents(Choice("x", spark=3), scenario, scenario, {})
    first = comparison["rows"][0]
    assert (first["left"]["value"], first["right"]["value"], first["kind"]) == (16, 22, "time")
    assert any("batch 2" in reason for reason in first["reasons"])
    assert first["text"] == "ends with the same value (22), at a different place in the stream"
    assert all(row["reasons"] for row in comparison["rows"] if row["kind"] != "same" and row["firing"] == 0)
    assert comparison["sides"][1]["batch"]["value"] == 3
    assert len(comparison["left_out"].split("; ")) == 3
    with speaking("zh"):
        assert len(contents(Choice("x", spark=3), scenario, scenario, {})["left_out"].split("；")) == 3


def test_a_batch_ends_at_its_own_moment(scenario: Scenario) -> None:
    comparison = contents(Choice("x", spark=3), scenario, scenario, {})
    moments = [place["moment"] for place in comparison["cursor"]]
    assert [moment for moment in moments if moment % 2] == [5, 11, 17, 23]
    assert {row["right"]["moment"] for row in comparison["rows"] if row["right"]} <= set(moments)


def test_a_batch_may_end_with_a_status_that_changes_nothing() -> None:
    text = """
scenario: 1
name: ends-with-a-status
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 0}}}
operator: {type: window, api: tvf, assigner: {type: session, gap: 100}, function: {call: aggregate, compute: sum}}
stream: [{ts: 0, key: a, value: 0}, {ts: 100, key: b, value: 0}, {status: active}]
"""
    ended = parse(text, "ends-with-a-status.yaml")
    comparison = contents(Choice("x", spark=3), ended, ended, {})
    assert {row["right"]["item"] for row in comparison["rows"] if row["right"]} == {2}


def test_the_page_says_what_spark_cannot_do() -> None:
    counted = load(ROOT / "tests" / "golden" / "count-trigger-lateness.yaml")
    with pytest.raises(NoTwin):
        contents(Choice("x", spark=3), counted, counted, {})


@pytest.mark.parametrize("size", ["0", "-3", "x", "9" * 30])
def test_a_micro_batch_of_no_size_is_refused(size: str) -> None:
    with pytest.raises(ChoiceError):
        choice_of({"spark": size}, "x")


# --- what would have fired a window --------------------------------------------------------------------------------


def test_the_smallest_change_that_fires_a_window_earlier_does_so_and_less_does_not(scenario: Scenario) -> None:
    comparison = contents(Choice(scenario.name), scenario, scenario, {"fires": f"0 {scenario.name}"})
    window = comparison["windows"][0]
    assert (window["key"], window["start"], window["end"], window["by"]) == ("a", 0, 5000, 5)
    (change,) = comparison["fires"]["changes"]
    assert (change["what"], change["before"], change["after"]) == ("bound", 2000, 1200)
    for bound, item in ((1200, 5), (1201, 6)):
        run = run_of(configured(scenario, {"bound": bound}))
        first = run.results[result_id({"row": "pane", **window})][0]
        assert first.row["item"] == item


def test_a_window_of_another_scenario_is_not_searched(scenario: Scenario) -> None:
    run = run_of(scenario)
    for request in ("0 another", f"99 {scenario.name}", "", "x"):
        assert fired(run, request) is None


# The sides of a comparison: numbers as they are typed, lengths of windows, what a belief leaves out, the beats.


@pytest.mark.parametrize(
    ("typed", "ms"),
    [
        ("5000", 5000),
        ("0.5 s", 500),
        ("1,5s", 1500),
        ("250 ms", 250),
        ("1m30s", 90_000),
        ("0.0005 s", None),
        ("s", None),
    ],
)
def test_a_number_is_read_as_it_is_typed(typed: str, ms: int | None) -> None:
    assert span_of(typed) == ms


def test_lengths_of_windows_are_set_as_far_as_they_go_together() -> None:
    sliding = load(ROOT / "scenarios" / "sliding-copies.yaml")
    changed: Any = configured(sliding, {"size": 20_000, "slide": 500}).operator
    assert (changed.assigner.size, changed.assigner.slide) == (20_000, 500)
    growing = load(ROOT / "scenarios" / "the-day-so-far.yaml")
    with pytest.raises(ChoiceError, match="step=7s"):
        configured(growing, {"step": 7000})
    offered = contents(Choice("x"), growing, growing, {})["sides"][1]["settings"]
    for setting in offered:
        for choice in setting["choices"] if not setting["sweeps"] else []:
            assert configured(growing, {setting["name"]: choice["value"]})


def test_records_that_a_belief_leaves_out_are_seen_as_dropped(scenario: Scenario) -> None:
    comparison = contents(Choice("x", belief="late-is-out-of-order"), scenario, scenario, {})
    planes = [side["plane"] for side in comparison["sides"]]
    steps = {place["moment"]: place["steps"] for place in comparison["cursor"]}

    def seen(side: int, moment: int, source: str) -> set[tuple[float, float, str]]:
        rows = planes[side]["sources"][source]
        alive = [
            row for row in rows
            if row["from_step"] <= steps[moment][side] < (row["until_step"] or planes[side]["steps"])
        ]  # fmt: skip
        return {(row.get("x", 0), row["y"], row.get("fate", "")) for row in alive}

    # The record of moment 8 is late, but Flink takes it; moment 20 brings the record that Flink drops as well.
    truth, believed = (seen(side, 8, "records") for side in (0, 1))
    assert {place[:2] for place in truth} == {place[:2] for place in believed}
    assert believed - truth == {(4300, 7000, "dropped")}
    assert [fate for *_, fate in sorted(seen(1, 22, "records"))].count("dropped") == 3
    assert all(seen(0, moment, "now") == seen(1, moment, "now") for moment in steps)
    assert [steps[moment][1] for moment in sorted(steps)] == sorted({step for _, step in steps.values()})
    assert planes[1]["parts"][0]["signals"] == planes[0]["parts"][0]["signals"]


def test_the_beats_of_side_a_lead_a_presentation_while_its_numbers_are_those_of_its_file(scenario: Scenario) -> None:
    told = contents(Choice("x", settings={"b": {"size": 10_000}}), scenario, scenario, {})["beats"]
    assert [beat["step"] for beat in told] == sorted(beat["step"] for beat in told)
    assert told[0]["text"]
    assert any(beat["because"] for beat in told)
    assert contents(Choice("x", settings={"a": {"bound": 0}}), scenario, scenario, {})["beats"] == []


# A sweep of one number: its values, its measures and the chart; and the side B that is looked for.


def test_a_sweep_has_a_point_for_each_value_of_a_known_setting(scenario: Scenario) -> None:
    found = swept(scenario, "bound")
    assert found is not None
    assert 2000 in found["values"]
    assert found["now"] == 2000
    assert found["exact"]
    assert swept(scenario, "gap") is None


def test_a_sweep_varies_side_b_where_its_settings_can_vary(scenario: Scenario) -> None:
    settings = {"a": {"bound": 0, "allowed-lateness": 5000}, "b": {"bound": 4321, "allowed-lateness": 0}}
    comparison = contents(Choice("x", settings=settings), scenario, scenario, {"sweep": "bound"})
    assert comparison["sweep"] == swept(
        configured(scenario, settings["b"]), "bound", beside=configured(scenario, settings["a"])
    )
    (complete, *_) = comparison["sweep"]["measures"]
    (dot,) = [row for row in complete["lines"] if row["value"] == 4.321 and row["second"]]
    point = point_of(run_of(configured(scenario, settings["b"])), 4321)
    assert dot["y"] == 100 * point.counted / point.records


def test_a_dot_that_is_moved_takes_few_runs(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    """The curve is the same. Its place is one value more, and changes beside it are looked for from there."""
    values: list[int] = []

    def counted(scenario: Scenario) -> Ran:
        values.append(scenario.inputs[0].watermark.bound)
        return run_of(scenario)

    monkeypatch.setattr("tidemark.simulator.explore.settings.run_of", counted)
    lateness = {"allowed-lateness": 1234}  # a sweep that no other test has asked for
    swept(configured(scenario, {"bound": 1100} | lateness), "bound")
    assert len(values) > 30
    values.clear()
    swept(configured(scenario, {"bound": 1300} | lateness), "bound")
    assert values[0] == 1300
    assert len(values) < 8


def test_the_chart_of_a_sweep_is_valid_and_has_no_rows() -> None:
    """By the Vega-Lite schema, which Altair includes; the app does not spend the time on this check."""
    assert chart().to_dict(validate=True)["layer"]
    spec = compiled()
    empty = {data["name"] for data in spec["data"] if "source" not in data and "values" not in data}
    assert empty == {"now", "lines", "alone"}
    assert {signal["name"] for signal in spec["signals"]} >= {"x0", "x1", "least", "most"}


def test_what_makes_the_chart_never_comes_into_the_memory_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidemark.ui.server.cache.BUILD", tmp_path)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert compiled()["signals"]
    assert b"changeset" in gzip.decompress(vega_module())
    assert len(list(tmp_path.iterdir())) == 2, "the next server finds both"


def test_every_measure_has_its_own_numbers_and_a_gap_where_there_is_none() -> None:
    points = [
        Point(0, 4, 2, 3, 1, None, 1.5),
        Point(1, 4, 2, 3, 1, 250.0, 1.5, True),
        Point(2, 4, 4, 4, 1, 500.0, 2, True),
    ]
    complete, latency, state = measures(points)
    assert [row["y"] for row in complete["lines"]] == [50, 50, 100, 75, 75, 100]
    assert [row["y"] for row in latency["lines"]] == [0.25, 0.5]
    assert (complete["most"], latency["most"], state["most"]) == (100, 0.5, 2)
    assert [each["alone"] for each in (complete, latency, state)] == [[], [], []]
    assert [each["name"] for each in measures(points[:1])] == ["complete", "state"]


def test_an_axis_reaches_below_0_where_windows_fire_before_their_end() -> None:
    points = [Point(0, 4, 2, 3, 1, -250.0, 1.5), Point(1, 4, 2, 3, 1, -125.0, 1.5, True)]
    _, latency, state = measures(points)
    assert (latency["least"], latency["most"]) == (-0.25, 0)
    assert (state["least"], state["most"]) == (0, 1.5)


def test_a_sweep_of_a_long_run_tries_few_values_and_claims_nothing_between() -> None:
    found = swept(load(ROOT / "scenarios" / "three-hundred.yaml"), "bound")
    assert found is not None
    assert not found["exact"]
    assert [len(each["lines"]) for each in found["measures"]] == [0, 0, 0]
    assert [len(each["alone"]) for each in found["measures"]] == [count * len(found["values"]) for count in (2, 1, 1)]


def test_every_scenario_of_the_library_has_a_side_b_that_differs() -> None:
    without = []
    for path in sorted((ROOT / "scenarios").glob("*.yaml")):
        each = load(path)
        if each.engine == "flink" and telling(Choice(each.name), shortened(each), None, "x") == Choice(each.name):
            without.append(each.name)
    assert without == []


def test_the_kind_that_an_address_names_is_tried_first(scenario: Scenario) -> None:
    kinds = {
        kind: telling(Choice("x"), scenario, None, "y", kind)
        for kind in ("settings", "spark", "belief", "version", "scenario")
    }
    assert kinds["version"].flink == VERSIONS[0], "no rule shows here, so the oldest is as good as any"
    assert [kinds["spark"].spark, kinds["scenario"].other] == [3, "y"]
    assert kinds["belief"].belief is not None
    assert list(kinds["settings"].settings) == ["b"]
    assert telling(Choice("x"), scenario, None, "y", "<b>") == kinds["settings"]
