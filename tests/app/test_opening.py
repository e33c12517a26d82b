"""A link to a scenario that is ready is answered with a page that holds the player; every other request goes on."""

import asyncio
import base64
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from simulator.words import current_language, speak
from ui.catalogue import Entry, find, library
from ui.opening import ready, warming
from ui.opening.page import files
from ui.opening.server import Opening
from ui.payload.packing import choices_of, packed

NAME = "two-clocks"


@pytest.fixture(autouse=True)
def nothing_ready() -> Iterator[None]:
    before = current_language()
    ready._SHOWN.clear()
    yield
    ready._SHOWN.clear()
    speak(before)


def made_ready(language: str = "en") -> Entry:
    speak(language)
    entry = find(NAME)
    assert entry is not None
    ready.keep(entry, *packed(entry, entry.name, entry.stamp, choices_of(library())))
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
    asyncio.run(Opening(streamlit)(scope, None, send))  # type: ignore[arg-type]
    if passed:
        assert sent == []
        return None
    start, body = sent
    return body["body"], {name.decode(): value.decode() for name, value in start["headers"]}


def opened(address: str, *headers: tuple[str, str]) -> dict[str, Any]:
    """The payload within the answer."""
    answer = get(address, *headers)
    assert answer is not None
    text = re.search(rb'id="tidemark-facts">([^<]*)</script>', answer[0])
    assert text is not None
    return json.loads(gzip.decompress(base64.b64decode(text[1])))


def test_a_link_to_a_scenario_that_was_shown_holds_its_facts() -> None:
    assert get(f"/?scenario={NAME}") is None, "nobody has opened it yet"
    made_ready()
    payload = opened(f"/?scenario={NAME}&step=44&open=state")
    assert (payload["name"], payload["steps"]) == (NAME, 89)
    content, headers = get(f"/?scenario={NAME}") or (b"", {})
    assert headers["cache-control"] == "no-cache"
    assert b"<title>Tidemark</title>" in content
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
    "address",
    ["/", "/?scenario=unknown", f"/?scenario={NAME}&step=89", f"/?scenario={NAME}&step=x", f"/?scenario={NAME}&step=-1",
     f"/?scenario={NAME}&notes=1", f"/?scenario={NAME}&lecture=first", f"/compare?scenario={NAME}",
     "/tidemark/other.js", f"/?scenario={NAME}&scenario=unknown"],
)  # fmt: skip
def test_what_cannot_be_answered_at_once_goes_on_to_streamlit(address: str) -> None:
    made_ready()
    assert get(address) is None


def test_what_has_changed_since_is_not_shown_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = made_ready()
    others = [each for each in library() if each.name != NAME]
    for entries in ([replace(entry, stamp="another"), *others], [entry, *others[1:]], others):
        monkeypatch.setattr(ready, "library", lambda entries=entries: entries)
        assert get(f"/?scenario={NAME}") is None, "the file, the list of scenarios, or the file is gone"
    monkeypatch.undo()
    monkeypatch.setattr(ready, "badges_of", lambda entry: "[]")
    assert get(f"/?scenario={NAME}") is None


def test_the_language_is_that_of_the_link_the_cookie_or_the_browser() -> None:
    made_ready("en")
    made_ready("zh")
    english, chinese = "Two clocks", "两个时钟"
    browser, cookie = ("accept-language", "zh-CN,en;q=0.8"), ("cookie", "a=b; tidemark_language=zh")
    assert opened(f"/?scenario={NAME}")["title"] == english
    assert opened(f"/?scenario={NAME}", browser)["title"] == chinese
    assert opened(f"/?scenario={NAME}", cookie)["title"] == chinese
    assert opened(f"/?scenario={NAME}&lang=en", browser, cookie)["title"] == english


def test_after_the_start_the_library_is_made_ready_in_each_language(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = library()
    short, long = (next(e for e in entries if e.name == name) for name in (NAME, "three-hundred"))
    monkeypatch.setattr(warming, "AFTER_S", 0)
    monkeypatch.setattr(warming, "LONGEST", 50)
    monkeypatch.setattr(warming, "library", lambda: [short, long])
    warming._warm(Event())
    assert sorted(ready._SHOWN) == [(NAME, "en"), (NAME, "zh")]
    ready._SHOWN.clear()
    stopped = Event()
    stopped.set()
    warming._warm(stopped)
    assert not ready._SHOWN


def test_only_reading_is_answered_and_long_runs_are_left_to_streamlit() -> None:
    entry = made_ready()
    assert get(f"/?scenario={NAME}", method="POST") is None
    ready._SHOWN.clear()
    ready.keep(entry, b"x" * (ready.MOST_BYTES + 1), 10)
    assert get(f"/?scenario={NAME}") is None


def test_the_scenario_that_nobody_asked_for_longest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready, "MOST", 1)
    made_ready("en")
    made_ready("zh")
    assert [language for _, language in ready._SHOWN] == ["zh"]
