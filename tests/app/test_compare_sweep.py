"""A sweep of one number: its values, its measures and the chart; and the side B that is looked for."""

import gzip
import sys
from pathlib import Path

import pytest
from tidemark.simulator.explore.runs import Ran, run_of
from tidemark.simulator.explore.settings import Point, point_of
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Scenario
from tidemark.ui.catalogue.walkable import shortened
from tidemark.ui.compare.choice import Choice, configured
from tidemark.ui.compare.contents import contents
from tidemark.ui.compare.desk import telling
from tidemark.ui.compare.searches import measures, swept
from tidemark.ui.payload.charts.compiled import compiled
from tidemark.ui.payload.charts.mounting import vega_module
from tidemark.ui.payload.charts.sweep import chart

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return load(ROOT / "scenarios" / "late-but-allowed.yaml")


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
        kind: telling(Choice("x"), scenario, None, "y", kind) for kind in ("settings", "spark", "belief", "scenario")
    }
    assert [kinds["spark"].spark, kinds["scenario"].other] == [3, "y"]
    assert kinds["belief"].belief is not None
    assert list(kinds["settings"].settings) == ["b"]
    assert telling(Choice("x"), scenario, None, "y", "<b>") == kinds["settings"]
