"""What scripts and notebooks use: the public names, their examples, DataFrames in and out, and bad input."""

import doctest
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tidemark.simulator.limits import SCENARIO_ITEMS
from tidemark.ui.extras import needs

import tidemark

ROOT = Path(__file__).parents[2]


def documented() -> list[tuple[str, Any]]:
    """Every public name, and every public member of the classes among them."""
    found: list[tuple[str, Any]] = []
    for name in tidemark.PUBLIC:
        thing = getattr(tidemark, name)
        found.append((name, thing))
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            members = inspect.classify_class_attrs(thing)
            found += [(f"{name}.{each.name}", each.object) for each in members
                      if each.defining_class is thing and each.name[0] != "_" and each.kind != "data"]  # fmt: skip
    return found


@pytest.mark.parametrize(("name", "thing"), documented(), ids=[name for name, _ in documented()])
def test_the_example_of_the_docstring_is_true(name: str, thing: Any) -> None:
    if name == "ScenarioError":
        return
    text = inspect.getdoc(thing) or ""
    assert ">>> " in text, "a public name has an example"
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(test, out=said.append)
    assert said == []


def test_the_stub_names_what_is_public() -> None:
    stub = (ROOT / "tidemark" / "__init__.pyi").read_text(encoding="utf-8")
    lines = re.findall(r"^from tidemark\.([\w.]+) import (\w+) as \2$", stub, re.MULTILINE)
    assert {name: module for module, name in lines} == tidemark.PUBLIC
    assert set(dir(tidemark)) == {*tidemark.PUBLIC, "spark", "__version__"}
    with pytest.raises(AttributeError, match="has no attribute 'lod'"):
        tidemark.lod  # noqa: B018


def test_the_import_and_a_run_take_no_library() -> None:
    """A core installation has none of them, and ``import tidemark`` loads nothing of ours either."""
    script = (
        "import sys; before = set(sys.modules); import tidemark\n"
        "print(sorted(each for each in set(sys.modules) - before if each.startswith('tidemark.')))\n"
        "for each in ('pandas', 'numpy', 'altair', 'streamlit', 'pyspark', 'anywidget'): sys.modules[each] = None\n"
        "run = tidemark.load('late-and-dropped').run(); print(len(run.rows), run.why(5).fate)\n"
        "try: run.to_pandas()\n"
        "except tidemark.MissingExtra as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "[]", "10 dropped", f'pandas is not installed. Install it with: pip install "{ROOT}[notebook]"'
    ]  # fmt: skip


def test_a_scenario_is_read_from_a_file_a_text_a_dictionary_and_by_its_name(tmp_path: Path) -> None:
    text = (ROOT / "scenarios" / "late-and-dropped.yaml").read_text(encoding="utf-8")
    rows = tidemark.load("late-and-dropped").run().rows
    file = tmp_path / "late-and-dropped.yaml"
    file.write_text(text, encoding="utf-8")
    for source in (file, str(file), text, tidemark.load(file).text()):
        assert tidemark.load(source).run().rows == rows
    with pytest.raises(tidemark.ScenarioError, match=r"no such file.* did you mean `late-and-dropped`"):
        tidemark.load("late-an-dropped")
    with pytest.raises(tidemark.ScenarioError, match=r"scenario.yaml:2:1"):
        tidemark.load("scenario: 1\nnaem: x\n")
    with pytest.raises(tidemark.InputError, match="cannot be written as JSON"):
        tidemark.load({"scenario": {1, 2}})


def test_times_are_datetimes_or_numbers_and_keys_categories() -> None:
    run = tidemark.load("late-and-dropped").run()
    found, numbers = run.to_pandas(), run.to_pandas(times="ms")
    assert str(found["ts"].dtype) == str(found["end"].dtype) == "datetime64[ms]"
    assert str(found["key"].dtype) == "category"
    assert str(numbers["end"].dtype) == "Int64"
    assert found["end"].dropna().tolist()[0] == pd.Timestamp(10, unit="s")
    assert numbers["ts"].max() == 2**63 - 1, "the watermark at the end of the input"
    assert found["ts"].max() == pd.Timestamp("1970-01-01 00:00:20.999")
    assert len(found) == len(run.rows)


def test_keys_that_python_takes_for_equal_stay_apart() -> None:
    events = [{"ts": 1000, "key": key, "value": 1} for key in (1, True, "1")]
    scenario = tidemark.load("late-and-dropped").text().partition("stream:")[0]
    run = tidemark.load(scenario + "stream: " + str([*events, {"end": True}]).replace("True", "true") + "\n").run()
    assert run.to_pandas(rows="pane")["key"].tolist() == ["1", "True", "'1'"]


ZONED = pd.to_datetime(["2026-01-01 01:00:00+01:00", "2026-01-01 01:00:05+01:00"])


@pytest.mark.parametrize(
    "times",
    [
        pd.to_datetime(["2026-01-01 00:00:00", "2026-01-01 00:00:05"]),
        ZONED,
        ZONED.tz_convert("Asia/Shanghai").as_unit("ns"),
        pd.Series([1_767_225_600_000, 1_767_225_605_000]),
        pd.Series([1_767_225_600_000.0, 1_767_225_605_000.0]),
    ],
    ids=["naive", "zone", "nanoseconds", "numbers", "doubles"],
)
def test_times_of_any_kind_are_the_same_instants(times: Any) -> None:
    run = tidemark.scenario(pd.DataFrame({"ts": times, "n": [1, 2]}), "ts", value="n", window="tumbling 1m").run()
    assert [(row["start"], row["value"]) for row in run.rows if row["row"] == "pane"] == [(1_767_225_600_000, 3)]


def test_arrival_and_partition_are_the_order_and_the_channels() -> None:
    frame = pd.DataFrame({"ts": [1000, 9000, 20_000], "at": [30_000, 10_000, 20_000], "p": ["x", "y", "y"]})
    run = tidemark.scenario(frame, "ts", arrival="at", partition="p", watermark="0s").run()
    stream = run.scenario.model.stream
    assert [(each.ts, each.channel) for each in stream[:-1]] == [(9000, 1), (20_000, 1), (1000, 0)]
    assert not run.to_pandas(rows="dropped").size, "channel x holds the watermark back"


@pytest.mark.parametrize("window", ["tumbling 10s", "sliding 10s 5s", "session 5s", "cumulative 10s 5s"])
def test_each_kind_of_window_runs(window: str) -> None:
    frame = pd.DataFrame({"ts": [1000, 4000], "n": [1, 2]})
    run = tidemark.scenario(frame, "ts", value="n", window=window).run()
    assert max(row["value"] for row in run.rows if row["row"] == "pane") == 3


def of(**columns: Any) -> Callable[[], Any]:
    """A call with a DataFrame of these columns; ``ts`` is the time, ``n`` the value, ``k`` the key, where given."""

    def call() -> Any:
        frame = pd.DataFrame(columns)
        names = {"key": "k", "value": "n"}
        return tidemark.scenario(frame, "ts", **{role: name for role, name in names.items() if name in columns})

    return call


HOUR = timezone(timedelta(hours=1))
NOW = datetime(2026, 1, 1, tzinfo=UTC)

BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "no column": (lambda: tidemark.scenario(pd.DataFrame({"time": [1]}), "ts"), "no column ts. Its columns are time"),
    "two columns": (
        lambda: tidemark.scenario(pd.DataFrame([[1, 2]], columns=["ts", "ts"]), "ts"),
        "2 columns called ts",
    ),
    "zones": (of(ts=pd.Series([NOW, NOW.astimezone(HOUR)], dtype=object)), r"mixes time zones: UTC, UTC\+01:00"),
    "texts": (of(ts=["2026-01-01"]), "holds no times"),
    "fractions": (of(ts=[1.5]), "holds no times"),
    "truths": (of(ts=[True]), "holds no times"),
    "NaT": (of(ts=pd.to_datetime(["2026-01-01", None])), "rows without a time: 1, the first of them row 1"),
    "NaN": (of(ts=[1.0, float("nan")]), "without a time: 1"),
    "beyond": (of(ts=[1e300]), "no 64-bit number of milliseconds in row 0"),
    "value beyond": (of(ts=[1, 2], n=[1, 2**70]), f"has {2**70} in row 1, which is beyond 64 bits"),
    "infinite": (of(ts=[1, 2], n=[1.5, float("inf")]), "has inf in row 1"),
    "no key": (of(ts=[1, 2], k=["a", None]), "no key in row 1"),
    "double key": (of(ts=[1], k=[1.5]), "type float. A key is"),
    "mixed": (of(ts=[1, 2], n=[1, "a"]), "several types: int, str"),
    "lists": (of(ts=[1], n=[[1]]), "type list. A value is"),
    "empty": (of(ts=[]), "has no rows"),
    "window": (lambda: tidemark.scenario(pd.DataFrame({"ts": [1]}), "ts", window="tumbling"), 'Write "tumbling 10s"'),
    "list": (lambda: tidemark.scenario([1], "ts"), "not as list"),
    "spark": (lambda: tidemark.scenario(type("", (), {"toPandas": 1})(), "ts"), "tidemark.spark.profile"),
    "many": (lambda: tidemark.scenario(pd.DataFrame({"ts": range(10_000_000)}), "ts"), "10,000,000 rows; the limit is"),
    "many for SQL": (lambda: tidemark.sql("SELECT 1", pd.DataFrame({"ts": range(5_001)})), "5,001 rows"),
    "cells": (lambda: tidemark.sql("SELECT 1", pd.DataFrame({"n": [[1]]})), "type list, which a table"),
    "record": (lambda: tidemark.load("late-and-dropped").run().why(7), "Item 7 of the stream is no record"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_one_sentence(name: str) -> None:
    call, said = BAD[name]
    with pytest.raises(tidemark.InputError, match=re.escape(said) if "\\" not in said else said) as refusal:
        call()
    assert isinstance(refusal.value, ValueError)
    assert "\n" not in str(refusal.value)


def test_the_most_rows_are_those_of_a_list_in_a_file() -> None:
    frame = pd.DataFrame({"ts": range(0, SCENARIO_ITEMS * 10, 10)})
    assert len(tidemark.scenario(frame[1:], "ts").model.stream) == SCENARIO_ITEMS
    with pytest.raises(tidemark.InputError, match="99,999"):
        tidemark.scenario(frame, "ts")


@pytest.mark.parametrize(
    ("argument", "value", "said"),
    [
        ("watermark", "5 sec", "watermark is a length of time, not '5 sec'"),
        ("watermark", timedelta(microseconds=1), "watermark is a length of time, not 0:00:00.000001"),
        ("watermark", "-5s", "watermark: `-5000` is too short"),
        ("lateness", None, "lateness is a length of time, not None"),
        ("window", None, "window is a length of time, not None"),
        ("window", "tumbling 0s", "window: `0` is too short"),
        ("window", "hopping 1s", 'Write "tumbling 10s"'),
        ("compute", "summ", "compute: the text `summ` is not known here; did you mean `sum`?"),
        ("name", "My Name", "name: the text `My Name`"),
        ("value", "k", "value: with `compute: sum` each record needs a number"),
    ],
)
def test_what_is_wrong_is_an_argument_and_no_place_in_a_text(argument: str, value: object, said: str) -> None:
    arguments: dict[str, Any] = {"value": "n", "name": "r", "lateness": "1s", "compute": "sum", argument: value}
    with pytest.raises((tidemark.InputError, tidemark.ScenarioError)) as refusal:
        tidemark.scenario(pd.DataFrame({"ts": [1], "n": [1], "k": ["a"]}), "ts", **arguments)
    assert str(refusal.value).startswith(said) or said in str(refusal.value)


def test_a_length_of_time_is_a_text_a_timedelta_or_ms() -> None:
    frame = pd.DataFrame({"ts": [1000, 4000]})
    lengths: list[Any] = ["5s", timedelta(seconds=5), pd.Timedelta("5s"), 5000, pd.Series([5000])[0]]
    found = {tidemark.scenario(frame, "ts", window=each, watermark=each, lateness=each).text() for each in lengths}
    assert len(found) == 1
    assert {tidemark.scenario(frame, "ts", window="tumbling 5s", watermark="5s", lateness="5s").text()} == found


ARGUMENTS: dict[str, Callable[[], object]] = {
    "source": lambda: tidemark.load(5),
    "source ": lambda: tidemark.load("x" * 5000),
    "source  ": lambda: tidemark.load(""),
    "text": lambda: tidemark.sql(None),
    "records": lambda: tidemark.sql(
        "CREATE TABLE t (n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts); SELECT n FROM t", {}
    ),
    "rows": lambda: RUN.to_pandas(rows="panes"),
    "rows ": lambda: RUN.to_pandas(rows=5),
    "Item 3.0": lambda: RUN.smallest_change(3.0),
    "Item True": lambda: RUN.why(True),
    "There is no step 'a'": lambda: RUN.plane(step="a"),
    "There is no step 1.5": lambda: RUN.lanes(step=1.5),
    "height": lambda: RUN.player(height="a"),
    "scenario": lambda: tidemark.sweep(RUN, "bound"),
    "scenario ": lambda: tidemark.spark.verify(RUN),
    "events": lambda: tidemark.spark.verify(RUN.scenario, events=-1),
    "values": lambda: tidemark.sweep(RUN.scenario, "bound", 5),
    "values ": lambda: tidemark.sweep(RUN.scenario, "bound", "5s"),
    "bounds": lambda: tidemark.spark.profile(
        type("", (), {"createOrReplaceGlobalTempView": 1, "columns": ["ts"]})(), "ts", bounds="5s"
    ),
    "each of values": lambda: tidemark.sweep(RUN.scenario, "bound", [None]),
}
RUN: Any = tidemark.load("late-and-dropped").run()


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_of_a_wrong_type_is_named(name: str) -> None:
    with pytest.raises(tidemark.InputError) as refusal:
        ARGUMENTS[name]()
    assert str(refusal.value).startswith(name.strip())
    assert len(str(refusal.value)) < 200


def test_rows_of_several_kinds_and_numbers_of_numpy() -> None:
    assert len(RUN.to_pandas(rows="pane,dropped")) == len(RUN.to_pandas(rows=["dropped", "pane"])) == 4
    assert RUN.why(pd.Series([5])[0]) == RUN.why(5)


def test_a_table_takes_whole_numbers_that_are_missing_and_no_time_that_is() -> None:
    text = "CREATE TABLE t (n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts); SELECT n FROM t"
    times = pd.to_datetime(["2026-01-01", "2026-01-02"])
    assert [row["n"] for row in tidemark.sql(text, pd.DataFrame({"n": [1, None], "ts": times})).rows] == [1, None]
    with pytest.raises(tidemark.ScenarioError, match="records:2:1: `ts` is empty here"):
        tidemark.sql(text, pd.DataFrame({"n": [1, 2], "ts": [times[0], pd.NaT]}))


def test_columns_of_a_frame_reach_a_query_as_flink_would_read_them() -> None:
    frame = pd.DataFrame(
        {
            "shop": ["x", None, "x"],
            "price": pd.array([1, 2, None], dtype="Int64"),
            "ratio": [0.5, float("nan"), 2.0],
            "ok": [True, False, True],
            "ts": pd.to_datetime(
                ["2026-01-01 10:00:01+01:00", "2026-01-01 10:00:02+01:00", "2026-01-01 10:01:00+01:00"]
            ),
        }
    )
    query = tidemark.sql(
        """CREATE TABLE t (shop STRING, price INT, ratio DOUBLE, ok BOOLEAN, ts TIMESTAMP_LTZ(3),
               WATERMARK FOR ts AS ts); SELECT shop, price, ratio, ok, ts FROM t""",
        {"t": frame},
    )
    assert [list(row.values()) for row in query.rows] == [
        ["+I", "x", 1, 0.5, True, "2026-01-01 09:00:01"],
        ["+I", None, 2, None, False, "2026-01-01 09:00:02"],
        ["+I", "x", None, 2.0, True, "2026-01-01 09:01:00"],
    ]
    with pytest.raises(tidemark.ScenarioError, match=r"query.sql:1:1: "):
        tidemark.sql("SELEC 1")
    with pytest.raises(tidemark.ScenarioError, match="no column"):
        tidemark.sql("CREATE TABLE t (n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts); SELECT n FROM t", frame)


def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(tidemark.MissingExtra, match=r'altair is not .*pip install ".*\[notebook\]"'):
        needs("altair", "notebook")
