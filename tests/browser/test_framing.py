"""Pages of other servers around the app: what they may show in a frame, and what they cannot do with it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tidemark.ui.site.chromium import served

from tests.browser.opening import visit

READY = '.tidemark-player[data-ready="true"]'
FRAME = "<!doctype html><iframe src='{address}' width='1000' height='600'></iframe>"
SOCKET = """(address) => new Promise((resolve) => {
  const socket = new WebSocket(address);
  socket.onopen = () => resolve("open");
  socket.onerror = () => resolve("refused");
})"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server on another port of the same machine, and the folder that it shows."""
    folder = tmp_path_factory.mktemp("elsewhere")
    with served(folder) as address:
        yield address, folder


@pytest.fixture
def framed(chromium: Any, server: str, elsewhere: tuple[str, Path]) -> Iterator[Any]:
    """Opens a page of the other server that shows an address of the app in a frame; returns the page and the frame."""
    place, folder = elsewhere
    context = chromium.new_context(viewport={"width": 1140, "height": 700})

    def opened(address: str) -> tuple[Any, Any]:
        (folder / "around.html").write_text(FRAME.format(address=server + address), encoding="utf-8")
        page = context.new_page()
        visit(page, f"{place}/around.html", ready="iframe")
        return page, page.frame_locator("iframe")

    yield opened
    context.close()


def test_the_small_view_of_a_walkthrough_works_in_a_frame(framed: Any) -> None:
    page, frame = framed("/?scenario=late-but-allowed&step=80&embed=true")
    frame.locator(READY).wait_for()
    frame.get_by_role("button", name="Next result").click()
    frame.locator('.tidemark-player:not([data-step="80"])').wait_for()
    # Streamlit has connected: its page is there below the one that was read first.
    frame.locator('[data-testid="stAppViewContainer"]').wait_for(state="attached")
    page.close()


@pytest.mark.parametrize("address", ["/author/?embed=true", "/?scenario=late-but-allowed"])
def test_nothing_else_is_shown_in_a_frame(framed: Any, address: str) -> None:
    page, frame = framed(address)
    page.wait_for_function("window.frames.length === 1")
    assert frame.locator("body").inner_text() == "" or "refused" in frame.locator("body").inner_text()
    assert frame.locator("#root").count() == 0
    page.close()


def test_a_frame_does_not_become_a_page_that_saves(framed: Any) -> None:
    """Streamlit changes pages without loading one, so no header stands in the way."""
    page, frame = framed("/?scenario=no-such-scenario&embed=true")
    frame.locator('[data-testid="stPageLink-NavLink"]').first.click()
    frame.get_by_text("A frame shows walkthroughs only.").wait_for()
    assert frame.locator(".tidemark-library").count() == 0
    page.close()


def test_a_page_of_another_port_opens_no_connection(chromium: Any, server: str, elsewhere: tuple[str, Path]) -> None:
    place, folder = elsewhere
    (folder / "socket.html").write_text("<!doctype html><p>", encoding="utf-8")
    context = chromium.new_context()
    page = context.new_page()
    address = f"{server.replace('http', 'ws')}/_stcore/stream"
    visit(page, f"{place}/socket.html", ready="p")
    assert page.evaluate(SOCKET, address) == "refused"
    visit(page, f"{server}/library", ready="#root")
    assert page.evaluate(SOCKET, address) == "open"
    context.close()
