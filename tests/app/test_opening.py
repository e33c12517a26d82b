"""An address is answered with a page that can be read before Streamlit starts: its header, and what is ready."""

import asyncio
import base64
import gzip
import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from tidemark.simulator.words import current_language, speak
from tidemark.ui import catalogue
from tidemark.ui.catalogue import Entry, find, library
from tidemark.ui.catalogue.lessons_file import lessons_of
from tidemark.ui.catalogue.tours import scenes
from tidemark.ui.pages.opening import address as own
from tidemark.ui.pages.opening import address as ready
from tidemark.ui.pages.opening import warming
from tidemark.ui.pages.opening.address import OPENS_WITH
from tidemark.ui.pages.opening.doors import DOORS, LINKS, UNLISTED
from tidemark.ui.pages.opening.server import Opening, files
from tidemark.ui.payload.packing import choices_of, packed
from tidemark.ui.server.screen import NOWHERE
from tidemark.ui.share.links import token_of

from tests import coroutines

NAME = "two-clocks"


@pytest.fixture(autouse=True)
def nothing_ready() -> Iterator[None]:
    before = current_language()
    forget()
    yield
    forget()
    speak(before)


def forget() -> None:
    for kept in ready._SHOWN.values():
        kept.clear()


def made_ready(language: str = "en", name: str = NAME) -> Entry:
    speak(language)
    entry = find(name)
    assert entry is not None
    ready.keep("library", entry, *packed(entry, entry.name, entry.stamp, choices_of(library())))
    return entry


def get(address: str, *headers: tuple[str, str], method: str = "GET") -> tuple[bytes, dict[str, str]] | None:
    """Content and headers of the answer; None if the request goes on to Streamlit."""
    path, _, query = address.partition("?")
    sent: list[Any] = []
    passed: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def streamlit(*call: Any) -> None:
        passed.append(call)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }
    coroutines.run(Opening(streamlit)(scope, None, send))  # type: ignore[arg-type]
    if passed:
        assert sent == []
        return None
    start, body = sent
    return body["body"], {name.decode(): value.decode() for name, value in start["headers"]}


def opened(address: str, *headers: tuple[str, str]) -> dict[str, Any]:
    """The payload within the answer; {} if the answer holds no player, because Streamlit's page is to show it."""
    content, _ = get(address, *headers) or (b"", {})
    text = re.search(rb'id="tidemark-facts">([^<]*)</script>', content)
    return json.loads(gzip.decompress(base64.b64decode(text[1]))) if text else {}


def own_link(text: str) -> str:
    return f"/?s={token_of(text, json=False)}"


def test_a_link_to_a_scenario_that_was_shown_holds_its_facts() -> None:
    assert not opened(f"/?scenario={NAME}"), "nobody has opened it yet"
    made_ready()
    payload = opened(f"/?scenario={NAME}&step=44&open=state")
    assert (payload["name"], payload["steps"]) == (NAME, 89)
    content, headers = get(f"/?scenario={NAME}") or (b"", {})
    assert headers["cache-control"] == "no-cache"
    assert " · Tidemark</title>".encode() in content
    assert content.index(b"/tidemark/") < content.index(b"./static/js/"), "the player starts before Streamlit"


def test_the_player_and_its_style_are_served_under_names_that_change_with_them() -> None:
    made_ready()
    content, _ = get(f"/?scenario={NAME}") or (b"", {})
    for path, (media, text) in files().items():
        assert f'".{path}"'.encode() in content
        answer, headers = get(path) or (b"", {})
        assert answer == text
        assert headers["content-type"] == f"{media}; charset=utf-8"
        assert "immutable" in headers["cache-control"]


@pytest.mark.parametrize(
    "query",
    ["scenario=unknown", "scenario=", f"scenario={NAME}&step=89", f"scenario={NAME}&step=x", f"scenario={NAME}&step=-1",
     f"scenario={NAME}&step=\u0661", f"scenario={NAME}&notes=1", f"scenario={NAME}&scenario=unknown", "own=unknown",
     "s=", "s=y", "s=yAAAA", f"s={'y' * 8_001}", f"s={token_of('x: [', json=False)}"],
)  # fmt: skip
def test_what_only_the_page_can_answer_is_left_to_it(query: str) -> None:
    made_ready()
    content, _ = get(f"/?{query}") or (b"", {})
    assert b"tidemark-facts" not in content
    assert b"./static/js/" in content


@pytest.mark.parametrize("address", ["/tidemark/other.js", "/unknown", "/compare/_stcore/health", "/static/js/x.js"])
def test_what_is_no_page_goes_on_to_streamlit(address: str) -> None:
    assert get(address) is None


@pytest.mark.parametrize(
    ("address", "below", "is_missing"),
    [
        ("/media/5a1c.html", "", False),
        ("/component/frame.html", "", False),
        ("/app/static/page.html", "", False),
        ("/course/unknown", "", True),
        ("/course/unknown", "course", False),  # where the pages are below a path, Streamlit knows which there are
    ],
)
def test_a_download_in_html_is_no_page_that_is_missing(
    address: str, below: str, is_missing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidemark.ui.pages.opening.server.config.get_option", {"server.baseUrlPath": below}.get)
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def streamlit(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": b"the report"})

    scope = {"type": "http", "method": "GET", "path": address, "query_string": b"", "headers": []}
    coroutines.run(Opening(streamlit)(scope, None, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == (404 if is_missing else 200)
    assert (sent[1]["body"] == b"the report") is not is_missing


def test_without_a_link_a_visitor_gets_the_first_visit_or_the_last_place() -> None:
    order = scenes(library(), lessons_of(catalogue.FOLDER))
    for name in (order[0], order[1], NAME, OPENS_WITH):
        made_ready(name=name)
    assert opened("/")["name"] == order[0]
    for place, name in ((order[1], order[1]), (NAME, NAME), (NOWHERE, OPENS_WITH), ("gone", OPENS_WITH)):
        assert opened("/", ("cookie", f"tidemark_place={place}"))["name"] == name
    assert opened("/?visit=1", ("cookie", f"tidemark_place={NAME}"))["name"] == order[0]
    assert opened(f"/?scenario={NAME}", ("cookie", f"tidemark_place={order[1]}"))["name"] == NAME


def test_a_lecture_comes_with_its_order() -> None:
    made_ready()
    content, _ = get(f"/?scenario={NAME}&lecture=lecture&present=1&card=1") or (b"", {})
    text = re.search(rb'id="tidemark-lecture">([^<]*)</script>', content)
    assert text is not None
    order = json.loads(text[1])
    assert order["id"] == "lecture"
    assert NAME in [each["name"] for each in order["scenarios"]]
    content, _ = get(f"/?scenario={NAME}&lecture=unknown") or (b"", {})
    assert b'id="tidemark-lecture">null<' in content


def test_a_short_scenario_within_a_link_is_made_at_once_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (catalogue.FOLDER / f"{NAME}.yaml").read_text(encoding="utf-8").replace(f"name: {NAME}", "name: mine")
    assert opened(own_link(text))["name"] == "mine"
    monkeypatch.setattr(own, "SHORT_RUN", 0)
    assert opened(own_link(text))["name"] == "mine", "it is kept"
    assert not opened(own_link(f"{text}# another"))


def test_a_long_run_within_a_link_is_left_to_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []
    monkeypatch.setattr(own.simulator, "run", lambda *call: begun.append(call))
    monkeypatch.setattr(own, "SHORT_RUN", 100)
    generated = (catalogue.FOLDER / "three-hundred.yaml").read_text(encoding="utf-8")
    assert not opened(own_link(generated))
    assert not opened(own_link(f"# {'x' * own.SHORT_TEXT}"))
    with own._MAKING:
        assert not opened(own_link("scenario: 1"))
    assert begun == []


@pytest.mark.parametrize("path", [*LINKS, *UNLISTED])
def test_each_page_has_its_header_and_knows_where_the_server_is(path: str) -> None:
    content, headers = get(f"/{path}", ("accept-language", "zh")) or (b"", {})
    text = content.decode()
    assert headers["cache-control"] == "no-cache"
    assert '<html lang="zh-Hans">' in text
    assert text.index("BACKEND_BASE_URL") < text.index("./static/js/")
    assert re.findall(r'data-address="([^"]*)" title', text) == [each for links in DOORS.values() for each in links]
    assert re.findall(r'data-address="([\w-]*)" title="[^"]*" aria-current', text) == [e for e in LINKS if e == path]


def test_the_address_marks_one_place_behind_one_door() -> None:
    for address, door, place in (
        ("/library", "explore", "library"),
        ("/inventory?form=A", "learn", "inventory"),
        ("/inventory?view=class", "teach", "inventory?view=class"),
    ):
        text = (get(address) or (b"", {}))[0].decode()
        assert re.findall(r'data-door="(\w+)" data-here="true"', text) == [door]
        assert re.findall(r'data-address="([^"]*)" title="[^"]*" aria-current', text) == [place]


def test_the_header_names_the_pages_of_the_app_and_takes_along_what_is_open() -> None:
    pages = re.findall(r'title=words\("pages.(\w+).name"\)', (catalogue.FOLDER.parent / "app.py").read_text())
    assert sorted(pages) == sorted([*LINKS.values(), *UNLISTED])
    content, _ = get(f"/compare?scenario={NAME}&step=4&x=%22%3E%3Cb%3E") or (b"", {})
    links = re.findall(r'<a href="./([^"]*)" data-address="[^"]*" title', content.decode())
    here = f"?scenario={NAME}"
    assert links == [
        "path", "guide", "?visit=1", "practice", "inventory", "library", f"{here}&amp;step=4",
        f"compare{here}&amp;step=4", "sql", f"spark{here}", "symptoms", "your-stream", "teach", f"author{here}",
        "lessons", "inventory?view=class",
    ]  # fmt: skip
    assert b"<b>" not in (get("/compare?scenario=%22%3E%3Cb%3E") or (b"", {}))[0]
    for query in ("embed=true", "present=1", "notes=1"):
        assert b'id="tidemark-header"' not in (get(f"/?scenario={NAME}&{query}") or (b"", {}))[0]


def test_what_has_changed_since_is_not_shown_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = made_ready()
    others = [each for each in library() if each.name != NAME]
    for entries in ([replace(entry, stamp="another"), *others], [entry, *others[1:]], others):
        monkeypatch.setattr(ready, "library", lambda entries=entries: entries)
        assert not opened(f"/?scenario={NAME}"), "the file, the list of scenarios, or the file is gone"
    monkeypatch.undo()
    monkeypatch.setattr(ready, "badges_of", lambda entry: "[]")
    assert not opened(f"/?scenario={NAME}")


def test_the_language_is_that_of_the_link_the_cookie_or_the_browser() -> None:
    made_ready("en")
    made_ready("zh")
    english, chinese = "Two clocks", "两个时钟"
    browser, cookie = ("accept-language", "zh-CN,en;q=0.8"), ("cookie", "a=b; tidemark_language=zh")
    assert opened(f"/?scenario={NAME}")["title"] == english
    assert opened(f"/?scenario={NAME}", browser)["title"] == chinese
    assert opened(f"/?scenario={NAME}", cookie)["title"] == chinese
    assert opened(f"/?scenario={NAME}&lang=en", browser, cookie)["title"] == english


def test_after_the_start_the_library_is_ready_in_the_languages_of_visitors(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = library()
    short, long = (next(e for e in entries if e.name == name) for name in (NAME, "three-hundred"))
    monkeypatch.setattr(warming, "AFTER_S", 0)
    monkeypatch.setattr(warming, "LONGEST", 50)
    monkeypatch.setattr(warming, "library", lambda: [short, long])
    monkeypatch.setattr(ready, "LANGUAGES_ASKED", asked := {"en"})
    monkeypatch.setattr(warming, "LANGUAGES_ASKED", asked)
    warming._make_ready(Event())
    assert sorted(ready._SHOWN["library"]) == [(NAME, "en")]
    before = warming._files()
    speak("zh")
    assert ready.shown("library", NAME) is None
    assert warming._files() != before, "so the library is made ready again"
    warming._make_ready(Event())
    assert sorted(ready._SHOWN["library"]) == [(NAME, "en"), (NAME, "zh")]
    speak("qq")
    assert ready.shown("library", NAME) is None
    assert asked == {"en", "zh"}, "what a visitor sends takes no room"
    forget()
    stopped = Event()
    stopped.set()
    warming._warm(stopped)
    assert not ready._SHOWN["library"]


def test_a_changed_file_makes_the_library_ready_again_once_it_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter("aababbb")
    passes: list[str] = []
    seen = ""

    def files() -> tuple[object, ...]:
        nonlocal seen
        seen = next(looks, "") or stop.set() or "b"
        return (seen,)

    stop = Event()
    monkeypatch.setattr(warming, "AFTER_S", 0)
    monkeypatch.setattr(warming, "LOOKS_AGAIN_S", 0)
    monkeypatch.setattr(warming, "_files", files)
    monkeypatch.setattr(warming, "_make_ready", lambda stop: passes.append(seen))
    warming._warm(stop)
    assert passes == ["a", "b"], "not while it goes back and forth, and once only"


def test_only_reading_is_answered_and_long_runs_are_left_to_streamlit() -> None:
    entry = made_ready()
    assert get(f"/?scenario={NAME}", method="POST") is None
    forget()
    ready.keep("library", entry, b"x" * (ready.MOST_BYTES + 1), 10)
    assert not opened(f"/?scenario={NAME}")


def test_the_scenario_that_nobody_asked_for_longest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready._SHOWN["library"], "most", 1)
    made_ready("en")
    made_ready("zh")
    assert [language for _, language in ready._SHOWN["library"]] == ["zh"]


def test_a_lesson_is_fetched_as_a_package_or_a_page_or_it_is_said_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tidemark.ui.pages.opening.server.lesson_package", lambda lesson, **how: f"zip of {lesson} {how}".encode()
    )
    content, headers = get("/tidemark/lesson.zip?lesson=late-data&lang=zh") or (b"", {})
    assert (content, headers["content-type"]) == (b"zip of late-data {'student': False}", "application/zip")
    assert headers["content-disposition"] == 'attachment; filename="late-data.zip"'
    content, headers = get("/tidemark/lesson.zip?lesson=late-data&edition=student") or (b"", {})
    assert content == b"zip of late-data {'student': True}"
    assert headers["content-disposition"] == 'attachment; filename="late-data-students.zip"'
    monkeypatch.setattr(
        "tidemark.ui.pages.opening.server.lesson_for_students", lambda lesson: f"page of {lesson}".encode()
    )
    content, headers = get("/tidemark/lesson.html?lesson=late-data&lang=zh") or (b"", {})
    assert (content, headers["content-type"]) == (b"page of late-data", "text/html; charset=utf-8")
    assert "content-disposition" not in headers
    monkeypatch.undo()
    content, headers = get("/tidemark/lesson.zip?lesson=nowhere&lang=zh") or (b"", {})
    assert (content.decode(), headers["content-type"]) == ("没有名为 nowhere 的课。", "text/plain; charset=utf-8")


def test_lessons_are_made_one_at_a_time_and_of_very_many_the_last_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen packages at once took 250 MB, and all threads that read pages."""
    monkeypatch.setattr("tidemark.ui.pages.opening.server.ORDERS_WAITING", 3)
    working, most, sent = [0], [0], []

    def made(lesson: str, **_how: bool) -> bytes:
        working[0] += 1
        most[0] = max(most[0], working[0])
        time.sleep(0.02)
        working[0] -= 1
        return lesson.encode()

    async def send(message: Any) -> None:
        sent.append(message)

    async def asked(*at_once: int) -> None:
        scope = {"type": "http", "method": "GET", "path": "/tidemark/lesson.zip", "query_string": b"lesson=a&lang=zh"}
        opening = Opening(None)  # type: ignore[arg-type]
        for number in at_once:
            await asyncio.gather(*(opening({**scope, "headers": []}, None, send) for _ in range(number)))  # type: ignore[arg-type]

    monkeypatch.setattr("tidemark.ui.pages.opening.server.lesson_package", made)
    coroutines.run(asked(6, 1))
    *statuses, later = [each["status"] for each in sent if "status" in each]
    assert (sorted(statuses), most[0]) == ([200] * 4 + [503] * 2, 1), "one is made, three wait"
    assert later == 200, "whoever asks once these are made waits for nobody"
    assert "等待的长任务太多" in b"".join(each["body"] for each in sent if "body" in each).decode()


def test_an_address_that_somebody_types_leads_to_the_report_on_a_class() -> None:
    content, headers = get("/inventory/class") or (b"", {})
    assert (content, headers["location"]) == (b"", "../inventory?view=class")
