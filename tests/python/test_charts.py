"""Charts of a run and the player in a cell: what they hold, and that they are Altair's and anywidget's own."""

import sys
from typing import Any

import altair as alt
import pytest
from tidemark.simulator.words import speaking
from tidemark.ui.share.notebook import NotShownError, Shown

import tidemark

KINDS = ("plane", "lanes", "watermarks")


def run_of(name: str) -> tidemark.Run:
    """The run of a scenario of the library."""
    return tidemark.load(name).run()


def rows(chart: Any, member: str) -> list[dict[str, Any]]:
    """The rows of the layer whose rows have ``member``."""
    layers = [layer.data.values for layer in chart.layer]
    return next((values for values in layers if values and member in values[0]), [])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name",
    [
        "late-and-dropped",  # tumbling windows
        "sliding-copies",  # several tracks
        "session-bridge",  # merged windows
        "idle-channel",  # several channels
        "interval-join-keeps",  # no windows
        "nothing-says-when",  # the global window
        "a-glance-each-second",  # processing time
        "car-trace",  # dates
        "spark-one-batch-behind",  # by the item
    ],
)
def test_a_chart_is_one_of_altair(name: str, kind: str) -> None:
    chart = getattr(run_of(name), kind)()
    assert isinstance(chart, alt.LayerChart)
    chart.properties(title=name).to_dict()  # against the schema of Vega-Lite


def test_the_charts_compose_and_follow_a_theme() -> None:
    run = run_of("late-and-dropped")
    written = (run.plane() & run.lanes() | run.watermarks()).configure(font="serif").to_dict()
    assert written["config"]["font"] == "serif"
    assert "#" not in str(run.plane().to_dict()["layer"]), "colours are those of the theme"


def test_the_plane_has_the_records_by_their_fate_and_the_results() -> None:
    chart = run_of("late-and-dropped").plane()
    assert [(row["record"], row["ts"], row["fate"]) for row in rows(chart, "record")][-2:] == [
        (5, 8, "lost"), (6, 23, "in time"),
    ]  # fmt: skip
    assert [row["text"] for row in chart.layer[-1].data.values] == ["a 6", "a 9", "a 6"]
    with speaking("zh"):
        assert rows(run_of("late-and-dropped").plane(), "record")[5]["fate"] == "丢了"


def test_a_chart_shows_the_step_that_is_asked_for() -> None:
    run = run_of("late-and-dropped")
    assert len(rows(run.plane(step=30), "record")) == 4
    assert [row["status"] for row in rows(run.lanes(step=30), "status")] == ["open", "open"]
    assert max(row["watermark"] for row in rows(run.watermarks(step=30), "watermark")) == 2.999
    for kind in KINDS:
        with pytest.raises(tidemark.InputError, match="no step 83: this run has the steps 0 to 82"):
            getattr(run, kind)(step=83)


def test_the_watermarks_of_channels_stand_beside_the_operators_own() -> None:
    found = rows(run_of("idle-channel").watermarks(), "watermark")
    assert {row["of"] for row in found} == {"operator", "channel 0", "channel 1"}
    assert {row["of"] for row in rows(run_of("late-and-dropped").watermarks(), "watermark")} == {"operator"}


def test_a_sweep_has_a_row_for_each_measure() -> None:
    scenario = tidemark.load("late-and-dropped")
    chart = tidemark.sweep(scenario, "bound", ["2s", 3000])
    assert isinstance(chart, alt.Chart)
    counted = [row["y"] for row in chart.data.values if row["measure"] == "Records counted (%): in any result"]
    assert counted == [pytest.approx(600 / 7), 100]
    for setting, values, said in (
        ("gap", [], "no number gap to sweep. It has bound, allowed-lateness"),
        ("bound", ["2 sec"], "each of values is a length of time, not '2 sec'"),
        ("bound", range(25), "at most 24 values, not 25"),
        ("bound", [-1], "cannot have -1 ms as its bound"),
    ):
        with pytest.raises(tidemark.InputError, match=said):
            tidemark.sweep(scenario, setting, values)


def test_a_run_that_is_too_long_for_a_chart_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.ui.python.runs.WALK_STEPS", 82)
    with pytest.raises(tidemark.InputError, match="has 83 micro-steps, too many for a chart; the limit is 82"):
        run_of("late-and-dropped").plane()


def test_the_player_is_a_page_without_anywidget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.ui.python.player.find_spec", lambda name: None)
    shown = run_of("late-and-dropped").player(step=5, height=700)
    assert isinstance(shown, Shown)
    assert 'height="700"' in shown._repr_html_()
    with pytest.raises(NotShownError, match="no language fr"):
        run_of("late-and-dropped").player(language="fr")


def test_the_step_of_the_widget_is_a_trait() -> None:
    traitlets = pytest.importorskip("traitlets")
    pytest.importorskip("anywidget")
    player = run_of("late-and-dropped").player(step=5)
    seen: list[int] = []
    player.observe(lambda change: seen.append(change.new), "step")
    player.step = 7
    assert (player.step, seen) == (7, [7])
    with pytest.raises(ValueError, match="no step 83"):
        player.step = 83
    assert player.step == 7
    assert player.traits(sync=True)["step"].__class__ is traitlets.Int
    assert "anywidget" in sys.modules
