"""``--keys 1/N``: some of the keys, chosen alike on both sides, and checked as exactly as all of them."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    EventTimeTrigger,
    Function,
    Generated,
    InputSpec,
    ProcessingTimeTrigger,
    Scenario,
    Session,
    Tumbling,
    Window,
)
from tidemark.spark_bridge import check
from tidemark.spark_bridge.commands import DIFFERENT, DONE, NOT_COVERED, REFUSED, main
from tidemark.spark_bridge.simulation.share import Share

from tests.spark.spark_sides import MASTER

SUM = Function("aggregate", "sum")
STREAM = Generated(3000, 7, 40, 100, disorder=4000, late_millionths=20_000, late_by=20_000, end=True)
TUMBLING = Scenario(
    "sampled",
    Window(Tumbling(5000), EventTimeTrigger(), SUM, allowed_lateness=3000),
    STREAM,
    (InputSpec("events", 2, BoundedOutOfOrderness(2000)),),
)
SESSIONS = replace(TUMBLING, operator=Window(Session(900), EventTimeTrigger(), SUM))
BY_THE_CLOCK = replace(
    TUMBLING,
    operator=Window(Tumbling(5000), ProcessingTimeTrigger(), SUM, time="processing"),
    inputs=(InputSpec("events", 2, BoundedOutOfOrderness(2000, emit=200)),),
)
LISTED = replace(TUMBLING, stream=(*(Record(key, key, 1) for key in range(60)), Record("x", 7, 2), End()))
GENERATED_KEYS = [f"k{number}" for number in range(40)]


@pytest.mark.spark
@pytest.mark.parametrize("scenario", [TUMBLING, SESSIONS, BY_THE_CLOCK, LISTED])
def test_both_sides_choose_the_same_keys(scenario: Scenario, spark: Any) -> None:
    """Natively, key by key, in order with the timers of all keys, and over a list with keys of two kinds."""
    report = check(scenario, master=MASTER, sample=5)
    assert report.equal
    keys = [*range(60), "x"] if scenario is LISTED else GENERATED_KEYS
    chosen = [key for key in keys if Share(sample=5).takes(key)]  # type: ignore[arg-type]
    assert report.sample is not None
    assert (report.sample.checked, report.sample.keys) == (len(chosen), len(keys))
    assert 0 < report.sample.events < report.events / 2
    assert report.panes


@pytest.mark.spark
def test_the_command_line_says_what_was_checked(spark: Any, tmp_path: Path) -> None:
    head = "scenario: 1\nname: mine\ninputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 2s}}}\n"
    head += "operator:\n  type: window\n  assigner: {type: tumbling, size: 5s}\n"
    head += "  function: {call: aggregate, compute: sum}\n"
    file = tmp_path / "mine.yaml"
    file.write_text(head + "stream: {generate: {events: 400, seed: 1, keys: 30, every: 100ms, end: true}}\n")

    def ran(*options: str) -> tuple[int, str, str]:
        out, err = StringIO(), StringIO()
        return main(["check", str(file), "--master", MASTER, *options], out, err), out.getvalue(), err.getvalue()

    code, out, _ = ran("--keys", "1/4", "--json")
    assert code == DONE
    keys = json.loads(out)["keys"]
    assert (keys["sample"], keys["of"]) == ("1/4", 30)
    assert 0 < keys["checked"] < 20
    code, out, _ = ran("--keys", "1/4", "--plant", "less")
    assert code == DIFFERENT
    assert f"Keys checked: {keys['checked']} of 30 (a sample of 1/4), with {keys['events']} records." in out
    code, out, err = ran("--keys", "1/1000000")
    assert (code, out) == (REFUSED, "")
    assert "none of the 30 keys is in a sample of 1/1000000" in err
    assert not (tmp_path / "spark-checks").exists()  # a sample is no result to show beside the scenario

    table = tmp_path / "rows.csv"
    rows = "\n".join(f"{1_700_000_000_000 + 900 * number},k{number % 20},{number}" for number in range(200))
    table.write_text("ts,key,value\n" + rows + "\n")
    named = ("--data", str(table), "--ts", "ts", "--key", "key", "--value", "value")
    code, out, _ = ran(*named, "--keys", "1/3", "--json")
    assert (code, json.loads(out)["keys"]["of"]) == (DONE, 20)


def test_a_sample_of_a_streaming_query_is_not_covered(tmp_path: Path) -> None:
    file = Path(__file__).parents[1] / "golden_spark" / "tumbling-append.yaml"
    err = StringIO()
    assert main(["check", str(file), "--keys", "1/2"], StringIO(), err) == NOT_COVERED
    assert "sample of the keys is for the batch engine" in err.getvalue()


@pytest.mark.parametrize("text", ["", "16", "1/0", "2/16", "1/x", "1/-3", "1/1000001", "1/1" + "0" * 30, "1/²"])
def test_what_is_no_sample_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "x.yaml", "--keys", text], StringIO(), StringIO())
    assert ended.value.code == REFUSED
    assert "is no sample of the keys; write 1/N" in capsys.readouterr().err


def test_what_is_no_planted_fault_is_refused_with_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "x.yaml", "--plant", "nothing"], StringIO(), StringIO())
    assert ended.value.code == REFUSED
    assert "`nothing` is no fault that can be planted; there are value, less, order" in capsys.readouterr().err
