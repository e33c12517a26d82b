"""The query beside the picture: its three forms, and the clause that decides a step."""

from pathlib import Path

from tidemark.simulator import timeline
from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.event import TraceEvent
from tidemark.simulator.scenario import load
from tidemark.ui.catalogue.walkable import walked
from tidemark.ui.payload.contents import DECIDING, query

from tests.each import for_each

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(path.stem for path in (ROOT / "scenarios").glob("*.yaml"))


def of(name: str) -> dict[str, object]:
    scenario, trace = walked(load(ROOT / "scenarios" / f"{name}.yaml"))
    return query(scenario, timeline.build(scenario, trace).tables["steps"])


def lines(name: str, form: str) -> list[str]:
    return [line["text"] for line in of(name)["forms"][form]]  # type: ignore[index]


def test_the_same_windows_as_a_sentence_in_sql_and_in_the_datastream_api() -> None:
    assert lines("late-and-dropped", "sentence") == [
        "Sum per key in tumbling 10 s windows",
        "the watermark waits 2 s (bound)",
        "late records are dropped",
        "results fire on the event-time trigger",
    ]
    assert lines("late-and-dropped", "sql") == [
        "CREATE TABLE events (…,",
        "  WATERMARK FOR rt AS rt - INTERVAL '2.001' SECOND)",
        "SELECT k, window_start, window_end, SUM(v)",
        "FROM TABLE(TUMBLE(TABLE `events`, DESCRIPTOR(rt), INTERVAL '10' SECOND))",
        "GROUP BY k, window_start, window_end",
    ]
    assert lines("late-but-allowed", "datastream")[:3] == [
        "events.assignTimestampsAndWatermarks(",
        "  WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(2)))",
        "events.keyBy(event -> event.key)",
    ]
    assert "  .allowedLateness(Duration.ofSeconds(3))" in lines("late-but-allowed", "datastream")
    assert "withIdleness(Duration.ofSeconds(5))" in "".join(lines("idle-channel", "datastream"))


def test_what_sql_cannot_say_has_no_sql() -> None:
    assert "sql" not in of("late-but-allowed")["forms"]  # type: ignore[operator]
    assert list(of("spark-one-batch-behind")["forms"]) == ["sentence"]  # type: ignore[call-overload]


@for_each(NAMES)
def test_every_line_of_a_form_is_text_and_some_clause_decides(name: str) -> None:
    found = of(name)
    for form in found["forms"].values():  # type: ignore[attr-defined]
        named = {clause for line in form for clause in line["clauses"]}
        assert all(line["text"].strip() for line in form)
        assert named & {clause for clauses in found["deciding"].values() for clause in clauses}  # type: ignore[attr-defined]


def test_the_events_are_those_of_the_trace() -> None:
    known = {name for name, each in vars(events).items() if isinstance(each, type) and issubclass(each, TraceEvent)}
    assert set(DECIDING) <= known
