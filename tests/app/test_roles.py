"""Who may do what: an app for its own machine needs no secret; one for a network does, and without it saves nothing."""

import gzip
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from tidemark.simulator import scenario as scenarios
from tidemark.ui import catalogue
from tidemark.ui.author import desk as author
from tidemark.ui.author import store
from tidemark.ui.author.desk import first as first_of_author
from tidemark.ui.author.desk import reply
from tidemark.ui.catalogue import library
from tidemark.ui.catalogue.lessons_file import lessons_of
from tidemark.ui.compare.desk import NothingToCompare, compared
from tidemark.ui.learning.classroom import teacher
from tidemark.ui.library.lessons.desk import first as first_of_lessons
from tidemark.ui.library.lessons.desk import reply as reply_of_lessons
from tidemark.ui.pages import language
from tidemark.ui.pages.kit import keeping_question
from tidemark.ui.pages.opening.admission import HEADERS, Admission
from tidemark.ui.payload.packing import pack
from tidemark.ui.server import roles
from tidemark.ui.server.background import Queue
from tidemark.ui.server.bridge import connect
from tidemark.ui.server.screen import message
from tidemark.ui.share import desk
from tidemark.ui.spark.jobs import Asked, Jobs

from tests import coroutines
from tidemark import spark_bridge

SECRET = "a-secret-of-this-course"
PORT = 8501


class Idle(Queue):
    """Does nothing of what it is given."""

    def _work(self) -> None:
        pass


@pytest.fixture(autouse=True)
def without_a_secret_again() -> Iterator[None]:
    yield
    roles.require("", 0, dict)


def visitor(**cookies: str) -> None:
    """From here on the server has the secret, and this visitor's browser sends ``cookies``."""
    roles.require(SECRET, PORT, lambda: cookies)


def teacher_comes() -> None:
    visitor(tidemark_teacher_8501=SECRET)


def asked(
    address: str, host: str | None = "192.168.1.7:8501", kind: str = "http", cookie: str = ""
) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of the answer to a request."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": b"the app"})

    path, _, query = address.partition("?")
    scope = {
        "type": kind, "method": "GET", "path": path, "query_string": query.encode(),
        "headers": [(b"cookie", cookie.encode()), *([] if host is None else [(b"host", host.encode())])],
    }  # fmt: skip
    coroutines.run(Admission(app)(scope, None, send))  # type: ignore[arg-type]
    if sent[0]["type"] == "websocket.close":
        return sent[0]["code"], {}, ""
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, sent[1]["body"].decode()


# --- who needs a secret ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1", "[::1]", "127.0.0.53"])
def test_an_app_for_its_own_machine_has_no_secret_and_everybody_there_may_do_everything(address: str) -> None:
    assert roles.secret_for(address, {}) == ""
    roles.require("", PORT, dict)
    assert roles.is_teacher()


@pytest.mark.parametrize("address", [None, "0.0.0.0", "::", "192.168.1.7", "course.example", "unix:///run/app"])
def test_an_app_that_others_can_reach_makes_a_secret_of_its_own_at_each_start(address: str | None) -> None:
    made = {roles.secret_for(address, {}) for _ in range(20)}
    assert len(made) == 20
    assert all(len(each) >= 24 for each in made)


def test_a_secret_of_ones_own_is_taken_also_behind_a_proxy_and_a_short_one_is_refused() -> None:
    assert roles.secret_for("0.0.0.0", {roles.VARIABLE: SECRET}) == SECRET
    assert roles.secret_for("127.0.0.1", {roles.VARIABLE: SECRET}) == SECRET
    with pytest.raises(roles.WeakSecret):
        roles.secret_for("0.0.0.0", {roles.VARIABLE: "tidemark"})
    shortest = "s" * roles.SHORTEST
    assert roles.secret_for("0.0.0.0", {roles.VARIABLE: shortest}) == shortest
    with pytest.raises(roles.WeakSecret):
        roles.secret_for("0.0.0.0", {roles.VARIABLE: shortest[1:]})


@pytest.mark.parametrize("cookie", ["", "x", SECRET[:-1], SECRET + "x", "ä", "\ud800"])
def test_only_the_secret_itself_makes_a_teacher(cookie: str) -> None:
    visitor(tidemark_teacher_8501=cookie, tidemark_teacher_8502=SECRET)
    assert not roles.is_teacher()
    teacher_comes()
    assert roles.is_teacher()


# --- the teacher's address --------------------------------------------------------------------------------------------


def test_the_teachers_address_becomes_a_cookie_and_an_address_without_the_secret() -> None:
    visitor()
    status, headers, _ = asked(f"/compare?scenario=two-clocks&teacher={SECRET}&b.bound=2s")
    assert (status, headers["location"]) == (303, "./compare?scenario=two-clocks&b.bound=2s")
    cookie = headers["set-cookie"]
    assert cookie.startswith(f"tidemark_teacher_8501={SECRET};")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert headers["cache-control"] == "no-store"


def test_a_wrong_secret_is_told_and_the_app_itself_never_sees_it() -> None:
    visitor()
    status, headers, text = asked("/?teacher=wrong")
    assert status == 403
    assert "set-cookie" not in headers
    assert "not the teacher's address" in text


def test_where_nobody_needs_a_secret_the_word_in_the_address_does_nothing() -> None:
    roles.require("", PORT, dict)
    assert asked("/?teacher=x", "localhost:8501")[0] == 200


@pytest.mark.parametrize("below", ["", "/course"])
def test_only_the_teacher_uploads_files(below: str) -> None:
    visitor()
    place = f"{below}/_stcore/upload_file/a/b"
    assert asked(place)[0] == 403
    assert asked(place, cookie="tidemark_teacher_8501=x")[0] == 403
    assert asked(place, cookie=f"tidemark_place=-; tidemark_teacher_8501={SECRET}")[0] == 200


def test_nobody_reads_the_numbers_of_the_server() -> None:
    roles.require("", PORT, dict)
    assert asked("/_stcore/metrics", "localhost")[0] == 404
    assert asked("/course/_stcore/metrics", "localhost")[0] == 404, "with server.baseUrlPath"
    assert asked("/_stcore/health", "localhost")[0] == 200


# --- names and headers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501", "localhost", "app.localhost", None])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_an_app_for_its_own_machine_answers_under_its_names(host: str | None, kind: str) -> None:
    assert asked("/", host, kind)[0] == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8501", "localhost.evil.example", "evil-localhost", "evillocalhost", "192.168.1.7",
     "[", ""],
)  # fmt: skip
def test_and_under_no_other_name_so_that_no_page_of_the_internet_can_use_it(host: str) -> None:
    assert asked("/", host)[0] == 403
    assert asked("/_stcore/stream", host, "websocket")[0] == 1008


def test_every_answer_forbids_the_browser_to_ask_other_servers() -> None:
    _, headers, _ = asked("/", "localhost")
    for name, value in HEADERS:
        assert headers[name.decode()] == value.decode()
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "http" not in headers["content-security-policy"]


# --- what a student cannot do ----------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.yaml").write_text((catalogue.FOLDER / "two-clocks.yaml").read_text())
    monkeypatch.setattr(catalogue, "CHOSEN", tmp_path)
    return tmp_path


def told(question: dict[str, Any]) -> dict[str, Any]:
    answer = json.loads(gzip.decompress(reply({"number": 1, "text": "", "command": question})))["told"]
    assert isinstance(answer, dict)
    return answer


@pytest.mark.parametrize(
    "command",
    [
        {"name": "save", "file": "new", "expected": None},
        {"name": "save", "file": "mine", "expected": store.digest((catalogue.FOLDER / "two-clocks.yaml").read_text())},
        {"name": "open", "file": "mine"},
        {"name": "delete", "file": "mine"},
        {"name": "rename", "file": "mine", "to": "yours"},
    ],
)
def test_a_student_saves_opens_renames_and_deletes_nothing_in_the_folder(folder: Path, command: dict[str, Any]) -> None:
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    visitor()
    assert "only the teacher" in told(command)["problem"]
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before


def test_a_student_sees_no_names_of_files_and_cannot_save_the_order_of_the_lessons(folder: Path) -> None:
    visitor()
    assert told({"name": "names"}) == {"names": []}
    begun = json.loads(gzip.decompress(first_of_author(None)))
    assert begun["saving"] is False
    assert begun["no_folder"].startswith("Only the teacher can save into the folder of this app.")
    shown = first_of_lessons()
    assert not shown["saving"]
    assert shown["problem"].startswith("only the teacher can save")
    assert "only the teacher" in reply_of_lessons({"number": 1, "text": "", "expected": None})["problem"]
    assert not (folder / "lessons.toml").exists()
    teacher_comes()
    assert told({"name": "names"}) == {"names": ["mine"]}
    assert "digest" in told({"name": "save", "file": "new", "expected": None})


def test_a_student_cannot_ask_the_class() -> None:
    visitor()
    said, body = teacher.answer_to("ask", {"step": 1}, b"")
    assert said["problem"].startswith("Only the teacher can ask the class")
    assert body == b""


def test_a_student_starts_and_stops_no_check_even_if_a_button_that_is_off_is_pressed(tmp_path: Path) -> None:
    scenario = scenarios.load(catalogue.FOLDER / "two-clocks.yaml")
    asked_for = Asked(of="two-clocks", title="Two clocks", address=("scenario", "two-clocks"))
    connect(spark_bridge)
    checks = Jobs(tmp_path, Idle())
    teacher_comes()
    job = checks.start(scenario, asked_for)
    visitor()
    with pytest.raises(PermissionError, match="Only the teacher"):
        checks.start(scenario, asked_for)
    with pytest.raises(PermissionError, match="Only the teacher"):
        checks.stop(job)
    assert checks.all() == [job]
    assert job.state == "waiting"


# Late or forged messages from a browser, and odd folders, are handled or ignored: no page breaks.

ROOT = Path(__file__).resolve().parents[2]
LATE = (ROOT / "scenarios" / "late-but-allowed.yaml").read_text(encoding="utf-8")


def opened(page: str | None = None, **query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params.update(query)
    app.run()
    if page is not None:
        app.switch_page(f"ui/pages/{page}.py").run()
    assert not app.exception
    return app


# --- messages ------------------------------------------------------------------------------------------------------


def test_a_message_is_read_from_the_component_that_received_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "session_state", {"author": {"ask": {"number": 1}}})
    assert message("author", "ask") == {"number": 1}
    assert message("author", "other") is None


def test_a_message_to_a_page_that_the_reader_has_left_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "session_state", {})
    assert message("author", "ask") is None


def test_the_callbacks_of_every_page_may_run_after_the_page_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "session_state", {})
    for callback in (language._chosen, keeping_question("vote"), desk._asked):
        callback()
    source = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "ui" / "pages").glob("*.py")}
    for page in ("author", "compare", "library", "walkthrough"):
        functions = source[page].replace("\npage()\n", "\n")
        names: dict[str, Any] = {"__name__": page}
        exec(compile(functions, page, "exec"), names)
        for callback in ("_ask", "_choose", "_open", "_file"):
            names.get(callback, lambda: None)()
    assert st.session_state.keys() <= {"_question"}


@pytest.mark.parametrize("name", [["save"], {"a": 1}, None, 3, "nothing"])
def test_an_unknown_command_is_refused(name: object) -> None:
    assert reply({"number": 1, "text": LATE, "command": {"name": name}})


def test_long_drafts_are_read_one_after_another_and_a_short_one_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five visitors with 12,000 records each made a vote wait 3 s on a busy machine."""
    may_end, entered = Event(), {name: Event() for name in ("first", "second", "short")}

    def answer(question: Mapping[str, Any]) -> dict[str, Any]:
        entered[question["number"]].set()
        assert question["number"] == "short" or may_end.wait(30)
        return {}

    monkeypatch.setattr(author, "_answer", answer)
    asking = [
        Thread(target=reply, args=({"number": name, "text": "x" * (author.LARGE + 1)},)) for name in ("first", "second")
    ]
    asking[0].start()
    assert entered["first"].wait(30)
    asking[1].start()
    reply({"number": "short", "text": "x"})
    assert not entered["second"].wait(0.2)
    may_end.set()
    for each in asking:
        each.join(30)
    assert entered["second"].is_set()


@pytest.mark.parametrize("edit", [
    {"kind": "beat", "number": None, "step": 3, "fields": "say"},
    {"kind": "beat", "number": None, "step": 2**70, "fields": {"say": "x"}},
    {"kind": "remove", "item": float("inf")},
    {"kind": ["remove"], "item": 1},
])  # fmt: skip
def test_an_edit_that_no_page_sends_is_refused(edit: dict[str, Any]) -> None:
    assert reply({"number": 1, "text": LATE, "edit": edit})


def test_half_a_surrogate_pair_in_a_message_is_harmless() -> None:
    assert pack({"text": "\ud800"})


# --- addresses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", [
    {"scenario": "session-grows", "b.gap": "0"},
    {"scenario": "session-grows", "a.gap": "999999999999"},
    {"scenario": "late-but-allowed", "b.bound": "0", "a.allowed-lateness": "0"},
    {"scenario": "late-but-allowed", "b.emit": "0"},
    {"scenario": "window-join-border", "spark": "999999999999"},
    {"scenario": "interval-join-keeps", "with": "price-at-order-time"},
    {"scenario": "slow-side-of-a-join", "belief": "lateness-delays"},
    {"scenario": "spark-one-batch-behind"},
])  # fmt: skip
def test_compare_opens_at_any_address(query: dict[str, str]) -> None:
    with suppress(NothingToCompare):  # what runs by Spark's own rules
        assert compared(query, library(), {}, None, dict)


def test_a_gap_of_zero_is_refused_by_name() -> None:
    shown = _unpacked(compared({"scenario": "session-grows", "b.gap": "0"}, library(), {}, None, dict))
    assert "gap=0 < 1" in shown["refused"][0]


def _unpacked(facts: bytes) -> dict[str, Any]:
    return dict(json.loads(gzip.decompress(facts)))


# --- folders -------------------------------------------------------------------------------------------------------


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one scenario and everything else that a folder may contain."""
    (tmp_path / "late-but-allowed.yaml").write_text(LATE, encoding="utf-8")
    for name in ("pipe.yaml", "lessons.toml", "late-but-allowed.flink.jsonl"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "dangling.yaml").symlink_to("nowhere")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "device.yaml").symlink_to("/dev/zero")
    (tmp_path / "folder.yaml").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.yaml")).write_text("", encoding="utf-8")
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    return tmp_path


def test_odd_files_are_listed_with_their_problems(odd: Path) -> None:
    problems = {each.path.name: each.problem for each in library(odd)}
    assert problems.pop("late-but-allowed.yaml") == ""
    assert {name: text.rpartition(": ")[2] for name, text in problems.items()} == {
        "dangling.yaml": "there is no such file",
        "device.yaml": "this is not a regular file; name a scenario file",
        "folder.yaml": "this is a directory; name a scenario file",
        "loop.yaml": "Too many levels of symbolic links",
        "pipe.yaml": "this is not a regular file; name a scenario file",
        "\N{REPLACEMENT CHARACTER}.yaml": "the name of this file is not UTF-8; rename it",
    }
    assert "not a regular file" in lessons_of(odd).problem


@pytest.mark.parametrize("page", [None, "library", "compare", "author", "spark"])
def test_every_page_opens_on_an_odd_folder(odd: Path, page: str | None) -> None:
    opened(page)
