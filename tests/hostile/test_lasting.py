"""What must last lies in no cache of Streamlit's, which one message of any browser could empty."""

import ast
import threading
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
import uvicorn
from tidemark.ui.pages.opening import admission
from tidemark.ui.server import background, leaving
from tidemark.ui.server.background import Task
from tidemark.ui.spark import jobs
from tidemark.ui.spark import jobs as of_spark
from tidemark.ui.spark.your_stream import visits

from tests import coroutines
from tests.architecture import read

ROOT = Path(__file__).resolve().parents[2]
CACHES = ("cache_resource", "cache_data", "experimental_singleton", "experimental_memo")


def cached_by_streamlit(source: str) -> list[int]:
    """The lines that name a cache of Streamlit's."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.Attribute) and node.attr in CACHES)
        or (isinstance(node, ast.ImportFrom) and any(each.name in CACHES for each in node.names))
    ]


def test_the_app_keeps_nothing_in_a_cache_of_streamlits() -> None:
    sources = read(ROOT, "app.py", "ui/**/*.py", "spark_bridge/**/*.py", "simulator/**/*.py")
    assert {path: lines for path, source in sources.items() if (lines := cached_by_streamlit(source))} == {}
    assert cached_by_streamlit("import streamlit as st\n@st.cache_data(ttl=3)\ndef f(): pass") == [2]
    assert cached_by_streamlit("from streamlit import cache_resource") == [1]


def test_a_check_stays_and_no_thread_is_left_when_the_caches_are_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "FOLDER", tmp_path)
    done = threading.Event()
    task = Task()

    def lasting() -> list[Any]:
        return [background.queue(), of_spark.jobs(), visits._visits(), leaving._leaving()]

    lasts = lasting()
    background.queue().start(task, done.wait)
    visit = visits._visits().join(None, "a page", lambda _: None)
    threads = threading.active_count()
    for _ in range(20):
        st.cache_data.clear()
        st.cache_resource.clear()
        assert all(now is before for now, before in zip(lasting(), lasts, strict=True))
    assert threading.active_count() == threads
    assert visits._visits().join(visit.number, "a page", lambda _: None) is visit
    assert task.running
    done.set()


@pytest.mark.parametrize(("proxies", "client"), [("", "127.0.0.1"), ("127.0.0.1", "10.9.8.7")])
def test_only_a_proxy_that_was_named_is_believed_whom_it_speaks_for(
    monkeypatch: pytest.MonkeyPatch, proxies: str, client: str
) -> None:
    """The app as uvicorn loads it, by its name."""
    monkeypatch.setattr(uvicorn.config, "ProxyHeadersMiddleware", uvicorn.config.ProxyHeadersMiddleware)
    monkeypatch.setenv(admission.PROXIES, proxies) if proxies else monkeypatch.delenv(admission.PROXIES, raising=False)
    seen: list[Any] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["client"][0])

    loaded = uvicorn.Config(app)
    admission.believe_named_proxies()
    loaded.load()
    scope = {"type": "http", "client": ("127.0.0.1", 5), "headers": [(b"x-forwarded-for", b"10.9.8.7")]}
    coroutines.run(loaded.loaded_app(scope, None, None))  # type: ignore[arg-type, operator]
    assert seen == [client]


def test_the_server_calls_it_before_it_starts() -> None:
    as_a_server = (ROOT / "app.py").read_text(encoding="utf-8").partition("\nelse:\n")[2]
    assert as_a_server.split()[0] == "believe_named_proxies()"
