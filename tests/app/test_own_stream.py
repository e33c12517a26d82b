"""The page *Your stream*: which files it can reach, what it says of them, and how its work is done."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tidemark.simulator.words import speaking
from tidemark.spark_bridge.files.request import Columns
from tidemark.spark_bridge.profile.counts.figures import Course, Slice, Spread
from tidemark.spark_bridge.profile.findings.finding import Cause, Where
from tidemark.spark_bridge.profile.findings.wording import worded
from tidemark.spark_bridge.profile.profile import ChannelProfile, Profile, ProfileRequest
from tidemark.spark_bridge.profile.report import pictures, write_report
from tidemark.spark_bridge.stream_page import sentence
from tidemark.ui.pages.asking import your_stream
from tidemark.ui.server.background import Queue, Task
from tidemark.ui.server.bridge import connect
from tidemark.ui.server.leaving import PATIENCE_SECONDS, Leaving
from tidemark.ui.spark.your_stream import page as cards
from tidemark.ui.spark.your_stream import questions, visits
from tidemark.ui.spark.your_stream.visits import (
    Chosen,
    Upload,
    Visit,
    Work,
    ending_of,
    folder_given,
    offered,
    path_of,
    remove_orphans,
    remove_uploads,
    without_folders,
)

from tidemark import spark_bridge

ROWS = "event_time,user,amount\n1700000000000,a,1\n1700000001000,b,2\n"


class Given:
    """A file as the browser sends it."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self._text = name, text

    def getbuffer(self) -> memoryview:
        return memoryview(self._text.encode())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "data"
    (inside / "days").mkdir(parents=True)
    (inside / "one.csv").write_text(ROWS)
    (inside / "days" / "1.jsonl.gz").write_bytes(b"x")
    (inside / "notes.txt").write_text("no stream")
    (inside / ".hidden.csv").write_text(ROWS)
    (tmp_path / "secret.csv").write_text(ROWS)
    (inside / "way-out.csv").symlink_to(tmp_path / "secret.csv")
    (inside / "gone.csv").symlink_to(tmp_path / "nothing.csv")
    return inside


def test_a_file_that_a_link_leads_to_outside_counts_in_no_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("ts,key\n" * 1000)
    for name in ("days", "links"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "way-out.csv").symlink_to(tmp_path / "secret.csv")
    sizes = {each.name: each.size for each in offered(folder)}
    assert sizes.keys() == {"days", "one.csv"}
    assert sizes["days"] < 1000


def test_only_so_many_files_are_offered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.ui.spark.your_stream.visits.OFFERED_FILES", 1)
    assert [each.name for each in offered(folder)] == ["days"]


def test_only_the_streams_of_the_folder_are_offered(folder: Path) -> None:
    assert [(each.name, each.is_folder) for each in offered(folder)] == [("days", True), ("one.csv", False)]
    assert path_of("one.csv", folder) == folder / "one.csv"


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", "way-out.csv", "days/../one.csv", "", "."])
def test_no_name_reaches_outside_the_folder(folder: Path, name: str) -> None:
    assert path_of(name, folder) is None


def test_the_command_line_names_the_folder(tmp_path: Path) -> None:
    assert folder_given(["--data", str(tmp_path)], {}) == tmp_path
    assert folder_given([f"--data={tmp_path}"], {"TIDEMARK_DATA": "/other"}) == tmp_path
    assert folder_given([], {}) is None


def test_an_upload_is_there_until_it_is_done_with() -> None:
    names = ["../../Orders.CSV", "orders.csv", "C:\\a\\.x*y.jsonl.gz", ".parquet"]
    upload = Upload([Given(name, ROWS) for name in names])
    there = sorted(path.name for path in upload.folder.iterdir())
    assert there == ["Orders.csv", "file.parquet", "orders-2.csv", "x_y.jsonl.gz"]
    upload.remove()
    assert not upload.folder.exists()


def test_messages_call_a_file_what_the_visitor_calls_it() -> None:
    said = "/tmp/tidemark-upload-1-x/b.csv and /tmp/tidemark-upload-1-x/a.csv.gz are in different formats; see /tmp"
    assert without_folders(said, [Path("/tmp/tidemark-upload-1-x")]) == (
        "b.csv and a.csv.gz are in different formats; see /tmp"
    )


def test_what_a_visitor_uploaded_goes_when_the_visitor_has_left() -> None:
    here = {"ann", "bob"}
    leaving = Leaving(here.__contains__)
    anns, bobs = Upload([Given("a.csv", ROWS)]), Upload([Given("b.csv", ROWS)])
    leaving.then("ann", anns.remove)
    leaving.then("bob", bobs.remove)
    now = time.monotonic()
    here.remove("ann")
    leaving.look(now + PATIENCE_SECONDS - 10)  # Ann may come back
    assert anns.folder.exists()
    leaving.look(now + PATIENCE_SECONDS + 10)
    assert not anns.folder.exists()
    assert bobs.folder.exists()
    bobs.remove()


def test_the_session_of_a_visitor_who_has_left_ends_after_what_was_to_be_done() -> None:
    here, done = {"ann", "bob"}, []
    leaving = Leaving(here.__contains__, lambda session: done.append(f"{session} ends"))
    for session in ("ann", "bob", "ann"):
        leaving.came(session)
    leaving.then("ann", lambda: done.append("what Ann uploaded goes"))
    leaving.came("ann")
    now = time.monotonic()
    here.remove("ann")
    leaving.look(now + PATIENCE_SECONDS - 10)
    assert done == []
    leaving.look(now + PATIENCE_SECONDS + 10)
    leaving.look(now + PATIENCE_SECONDS + 20)
    assert done == ["what Ann uploaded goes", "ann ends"]


def test_the_uploads_of_a_killed_process_are_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    dead, alive = tmp_path / "tidemark-upload-999999999-x", tmp_path / f"tidemark-upload-{os.getpid()}-x"
    dead.mkdir()
    alive.mkdir()
    remove_orphans()
    assert not dead.exists()
    assert alive.exists()
    remove_uploads()
    assert not alive.exists(), "the server ends"


def test_the_uploads_of_a_server_of_somebody_else_stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def refuses(process: int, signal: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "kill", refuses)
    theirs = tmp_path / "tidemark-upload-4711-x"
    theirs.mkdir()
    remove_orphans()
    assert theirs.exists()


def test_endings_say_what_is_in_a_file() -> None:
    assert [ending_of(name) for name in ("A.CSV", "b.jsonl.gz", "c.gz", "d.txt")] == [".csv", ".jsonl.gz", "", ""]


def test_work_is_done_one_after_another_and_what_waits_can_be_cancelled() -> None:
    connect(spark_bridge)
    queue, go = Queue(), Event()
    first, second, failing = Task(), Task(), Task()
    queue.start(first, lambda: (go.wait(10), "done")[-1])
    queue.start(second, lambda: "never")
    queue.start(failing, lambda: 1 / 0)
    while first.state == "waiting":
        time.sleep(0.01)
    assert [queue.before(each) for each in (first, second, failing)] == [0, 1, 2]
    queue.stop(second)
    go.set()
    _wait(failing)
    assert (first.state, first.result, second.state, failing.state) == ("done", "done", "cancelled", "failed")
    assert failing.problem == "division by zero"


def _wait(work: Task) -> None:
    until = time.monotonic() + 20
    while work.running and time.monotonic() < until:
        time.sleep(0.01)


def test_what_is_typed_in_a_file_is_shown_as_text() -> None:
    html = cards.first_rows(["<b>", "x" * 90], [["<script>alert(1)</script>", "y" * 90]])
    assert "<b>" not in html
    assert "<script" not in html
    assert "y" * 41 not in html


def _profile() -> Profile:
    spread = Spread(0, 100, 200, 300, 400)
    channels = tuple(ChannelProfile(name, 50, 0, 5000, held, spread) for name, held in (("<a>", 60), ("b", 30)))
    slices = tuple(Slice(n, n * 50, n * 1000, c, 25, 10.0, 400, 0.5) for n in range(2) for c in range(2))
    return Profile(
        request=ProfileRequest((1000,), window=60_000, course=True), records=100, unreadable=1, keys=2, times=(0, 5000),
        arrivals=None, channels=channels, behind=spread, late=((0, 40), (1000, 0)), recommended=1000,
        lateness_instead=None, windows=None, course=Course(slices, ((0, 5), (1000, 0))),
    )  # fmt: skip


def test_the_report_is_one_file_without_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)  # a JavaScript engine, which a server never gets rid of
    with speaking("zh"):
        columns = Columns("<ts>", "s", "Europe/Berlin", key="user")
        write_report(_profile(), "<orders>", tmp_path / "report.html", columns)
    text = (tmp_path / "report.html").read_text()
    assert text.count("<svg") == 3
    assert "&lt;orders&gt;" in text
    assert "`&lt;ts&gt;`" in text
    assert "Europe/Berlin" in text
    assert "<script" not in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/", "")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_report_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(spark_bridge.CheckFails, match=r"missing.*cannot be written"):
        write_report(replace(_profile(), course=None), "x", tmp_path / "missing" / "report.html")


def test_a_stream_of_one_channel_has_no_lanes() -> None:
    of_two = _profile()
    assert set(pictures(of_two)) == {"loss", "delay", "holders"}
    assert set(pictures(replace(of_two, channels=of_two.channels[:1]))) == {"loss", "delay"}


def test_no_tick_of_an_axis_of_times_lies_beyond_its_end() -> None:
    """Where all is 0 the axis would have no length, and all its ticks one place."""
    for profile in (_profile(), replace(_profile(), late=((0, 0),), course=_still(_profile()))):
        axes = [pictures(profile)["loss"].to_dict(), pictures(profile)["delay"].to_dict()]
        found = [each for each in _encodings(axes) if each.get("scale", {}).get("type") == "symlog"]
        assert len(found) >= 2
        for each in found:
            least, most = each["scale"]["domain"]
            assert least < most
            assert each["axis"]["values"] == [tick for tick in each["axis"]["values"] if least <= tick <= most]


def _still(profile: Profile) -> Any:
    """The course of a stream in which nothing is behind, and nothing dropped."""
    assert profile.course is not None
    slices = tuple(each._replace(longest=0) for each in profile.course.slices)
    return replace(profile.course, slices=slices, dropped=((0, 0),))


def _encodings(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for each in node.values():
            yield from _encodings(each)
    elif isinstance(node, list):
        for each in node:
            yield from _encodings(each)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_names_the_columns_of_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.setattr("tidemark.ui.spark.your_stream.questions.FOLDER", folder)
    monkeypatch.setattr("tidemark.ui.spark.your_stream.page.is_teacher", lambda: True)
    connect(spark_bridge)
    app = AppTest.from_function(your_stream)
    app.query_params["file"] = "one.csv"
    with speaking(language):
        app.run(timeout=30)
    assert not app.exception
    chosen = {each.key: each.value for each in app.selectbox}
    assert chosen["own_stream_file"] == "one.csv"
    assert [value for key, value in chosen.items() if key and key.startswith("own_stream_ts_")] == ["event_time"]


def said(app: AppTest) -> str:
    """What the page says beside its controls."""
    return "\n".join(each.proto.body for each in app.get("html"))


def _opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setattr("tidemark.ui.spark.your_stream.questions.FOLDER", folder)
    monkeypatch.setattr("tidemark.ui.spark.your_stream.page.is_teacher", lambda: True)
    connect(spark_bridge)
    app = AppTest.from_function(your_stream)
    app.query_params["file"] = "one.csv"
    return app.run(timeout=30)


def test_what_was_chosen_is_there_after_a_look_at_another_page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = _opened(folder, monkeypatch)
    app.text_input("own_stream_bound").set_value("5s").run()
    next(each for each in app.selectbox if (each.key or "").startswith("own_stream_unit")).set_value("s").run()
    monkeypatch.setattr("tidemark.ui.spark.your_stream.page.is_teacher", lambda: False)  # nothing of the page is drawn
    app.run()
    assert not app.selectbox
    monkeypatch.setattr("tidemark.ui.spark.your_stream.page.is_teacher", lambda: True)
    del app.query_params["file"]
    app.run()
    assert app.selectbox("own_stream_file").value == "one.csv"
    assert app.text_input("own_stream_bound").value == "5s"
    none = [each for each in app.selectbox if (each.key or "").startswith("own_stream_at")]
    assert [each.value for each in none] == [""], "none is chosen, and is not a choice still to be made"
    assert [each.value for each in app.selectbox if (each.key or "").startswith("own_stream_unit")] == ["s"]


def test_a_page_that_is_loaded_again_shows_what_was_chosen_and_what_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = _opened(folder, monkeypatch)
    app.text_input("own_stream_bound").set_value("5s").run()
    value = next(each for each in app.selectbox if (each.key or "").startswith("own_stream_value"))
    value.set_value("").run()
    number = app.session_state["own_stream_visit"]
    visit = visits._visits().join(number, "", lambda then: None)
    visit.works[(str(folder / "one.csv"),)] = Work(Task(), None, {})

    monkeypatch.setattr(visits, "shown_number", lambda: number)
    again = AppTest.from_function(your_stream).run(timeout=30)
    assert not again.exception
    assert again.selectbox("own_stream_file").value == "one.csv"
    assert again.text_input("own_stream_bound").value == "5s"
    assert next(each for each in again.selectbox if (each.key or "").startswith("own_stream_value")).value == ""
    assert again.button("own_stream_stop").label == "Cancel"

    monkeypatch.setattr(visits, "shown_number", lambda: "a number of nobody")
    assert AppTest.from_function(your_stream).run(timeout=30).selectbox("own_stream_file").value is None


def test_a_visit_ends_with_its_last_page(tmp_path: Path) -> None:
    leave: list[Callable[[], object]] = []
    all_visits = visits.Visits()
    visit = all_visits.join(None, "first", leave.append)
    assert all_visits.join(visit.number, "first", leave.append) is visit
    work = visit.works["a.csv",] = Work(Task(), None, {})
    visit.uploaded = Chosen((), "a.csv", Upload([]))
    assert all_visits.join(visit.number, "loaded again", leave.append) is visit
    assert len(leave) == 2
    leave[0]()
    assert not work.task.stop.is_set()
    leave[1]()
    assert work.task.stop.is_set()
    assert not visit.uploaded.upload.folder.exists()
    assert all_visits.join(visit.number, "later", leave.append) is not visit


def test_work_ends_when_no_page_shows_its_files_any_more() -> None:
    visit = Visit("1")
    for name in ("a", "b"):
        visit.works[name,] = Work(Task(), None, {})
    first, second = visit.works["a",], visit.works["b",]
    assert visit.show("one", ("a",), lambda page: True) is first
    assert visit.show("one", ("a",), lambda page: True) is first
    assert not first.task.stop.is_set(), "the page shows it again"
    assert visit.show("two", ("a",), lambda page: True) is first
    assert visit.show("one", ("b",), lambda page: True) is second
    assert not first.task.stop.is_set(), "the other page shows it"
    assert visit.show("one", ("a",), lambda page: True) is first
    assert second.task.stop.is_set()
    assert visit.show("one", ("c",), lambda page: page != "two") is None
    assert first.task.stop.is_set(), "the other page was closed"


def test_another_file_has_a_unit_of_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "two.csv").write_text(ROWS.replace("user", "amount").replace("event_time", "time"))
    app = _opened(folder, monkeypatch)
    next(each for each in app.selectbox if (each.key or "").startswith("own_stream_unit")).set_value("s").run()
    app.selectbox("own_stream_file").set_value("two.csv").run()
    assert [each.value for each in app.selectbox if (each.key or "").startswith("own_stream_unit")] == [""]
    value = next(each for each in app.selectbox if (each.key or "").startswith("own_stream_value"))
    value.set_value("amount").run()
    assert "two columns" in said(app).lower()
    assert app.button("own_stream_run").disabled


def test_a_finding_is_told_in_the_language_of_the_reader() -> None:
    cause = Cause("idle-channel", 70, Where(0), "stops", {"silent": 9000, "others": 70, "records_before": 12})
    found = worded(cause, 0, ("harbour",), {})
    assert sentence(found) == found.text
    with speaking("zh"):
        assert sentence(found) == worded(cause, 0, ("harbour",), {}).text != found.text


def test_a_link_to_a_file_that_is_not_there_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.ui.spark.your_stream.questions.FOLDER", folder)
    monkeypatch.setattr("tidemark.ui.spark.your_stream.page.is_teacher", lambda: True)
    connect(spark_bridge)
    app = AppTest.from_function(your_stream)
    app.query_params["file"] = "../secret.csv"
    app.run(timeout=30)
    assert not app.exception
    assert "../secret.csv" in said(app)
    assert "own_stream_run" not in {each.key for each in app.button}


def test_an_example_shows_its_findings_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.ui.spark.your_stream.page.is_teacher", lambda: True)
    monkeypatch.setattr(Queue, "start", lambda *_: pytest.fail("nothing has to be computed"))
    connect(spark_bridge)
    app = AppTest.from_function(your_stream).run(timeout=30)
    examples = [each for each in app.button if (each.key or "").startswith("own_stream_example_")]
    assert len(examples) == 3
    app.button("own_stream_example_sensor-readings").click().run(timeout=30)
    assert not app.exception
    assert "For 40 min 7 s, channel harbour sends nothing." in said(app)
    assert [each.value for each in app.info] == [], "its settings are those of the page"
    assert app.button("own_stream_show_0").label == "Show me"
    assert {each.key for each in app.select_slider} != set(), "bounds can be tried"
    assert not [each for each in app.button if (each.key or "").startswith("own_stream_example_")]
    (chosen,) = [each.value for each in app.selectbox if (each.key or "").startswith("own_stream_ts_")]
    assert chosen == "measured"
    app.button("own_stream_remove").click().run(timeout=30)
    assert app.button("own_stream_example_sensor-readings").label == "Open it"


def test_nobody_but_the_teacher_reaches_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.ui.spark.your_stream.questions.FOLDER", folder)
    monkeypatch.setattr("tidemark.ui.spark.your_stream.page.is_teacher", lambda: False)
    connect(spark_bridge)
    app = AppTest.from_function(your_stream)
    app.run(timeout=30)
    assert not app.exception
    assert not app.selectbox
    assert "profile FILE" in app.code[0].value


# The settings of *Your stream* as they are typed: what is taken, and what is refused in words.

DURATION = partial(questions._duration, "bound", "", "")
WHOLE = partial(questions._whole, "channels")
SHARE = partial(questions._share, "target")


@pytest.mark.parametrize(
    ("ask", "text", "answer"),
    [
        (DURATION, "", None), (DURATION, "0s", 0), (DURATION, "1m30s", 90_000),
        (DURATION, "-1s", False), (DURATION, "soon", False),
        (WHOLE, "", None), (WHOLE, "1", 1), (WHOLE, "99999", 99_999),
        (WHOLE, "0", False), (WHOLE, "100000", False), (WHOLE, "-1", False), (WHOLE, "٣", False),
        (SHARE, "0.1%", Fraction(1, 1000)), (SHARE, "0", Fraction(0)), (SHARE, "1", Fraction(1)),
        (SHARE, "100 %", Fraction(1)), (SHARE, "101%", False), (SHARE, "-1%", False), (SHARE, "1/0", False),
        (SHARE, "1e9", False), (SHARE, "x", False),
    ],
)  # fmt: skip
def test_what_is_typed_is_taken_or_refused(
    ask: Callable[[], Any], text: str, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(questions, "_text", lambda *_: text)
    monkeypatch.setattr(questions, "say", said.append)
    found = ask()
    assert (found, found is False) == (answer, answer is False)
    assert len(said) == (answer is False)
