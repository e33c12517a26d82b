"""Late or forged messages from a browser, and odd folders, are handled or ignored: no page breaks."""

import gzip
import json
import os
from collections.abc import Mapping
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from tidemark.ui import catalogue
from tidemark.ui.author import desk as author
from tidemark.ui.author.desk import reply
from tidemark.ui.catalogue import library
from tidemark.ui.catalogue.lessons_file import lessons_of
from tidemark.ui.pages import language
from tidemark.ui.pages.kit import keeping_question
from tidemark.ui.payload.packing import pack
from tidemark.ui.server.screen import message
from tidemark.ui.share import desk

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
    opened("compare", **query)


def test_a_gap_of_zero_is_refused_by_name() -> None:
    app = opened("compare", scenario="session-grows", **{"b.gap": "0"})
    component = next(
        each.proto for each in app.get("bidi_component") if each.proto.component_name == "tidemark_compare"
    )
    assert "gap=0 < 1" in _unpacked(component.bytes)["refused"][0]


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
