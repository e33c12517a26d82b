"""A site of static files, below a sub-path of a plain web server."""

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.opening import PLAYER, frames, visit
from ui import catalogue
from ui.site.build import build

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = '.tidemark-library[data-ready="true"]'
SYMPTOMS = ".tidemark-symptoms"
NOTICE = ".tm-site-notice"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """``python -m http.server`` that prints nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site of three scenarios."""
    folder, root = tmp_path_factory.mktemp("course"), tmp_path_factory.mktemp("web")
    for name in ("first-two-phones", "late-but-allowed", "late-and-dropped"):
        shutil.copy(ROOT / "scenarios" / f"{name}.yaml", folder)
    shutil.copy(ROOT / "scenarios" / "lessons.toml", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "FOLDER", folder)
        list(build(root / "courses" / "streams"))
    handler = functools.partial(Quiet, directory=str(root))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/courses/streams"
        server.shutdown()


@pytest.fixture
def page(chromium: Any, site: str) -> Iterator[Any]:
    """A page of a visitor who has been nowhere. An error, or anything from elsewhere, fails the test."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("console", lambda said: wrong.append(f"console: {said.text}") if said.type == "error" else None)
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
    page.on("request", lambda each: None if each.url.startswith((site, "blob:", "data:")) else wrong.append(each.url))
    yield page
    context.close()
    assert wrong == []


def test_a_reader_walks_from_a_link_to_the_library_and_on(page: Any, site: str) -> None:
    visit(page, f"{site}/?scenario=late-but-allowed&step=90")
    player = page.locator(PLAYER)
    assert player.get_attribute("data-step") == "90"
    page.keyboard.press("w")
    page.locator(".tm-why-card, .tm-why").first.wait_for()
    page.locator(".tm-site-links a[data-page=library]").click()
    page.wait_for_selector(LIBRARY)
    assert page.url == f"{site}/library"
    page.locator(".tm-languages [data-language=zh]").click()
    page.wait_for_selector(f"{LIBRARY}:has-text('场景')")
    page.locator("[data-scenario=late-and-dropped]").first.click()
    page.wait_for_selector('.tidemark-player[data-scenario="late-and-dropped"][data-ready=true]')
    assert page.url.startswith(f"{site}/?scenario=late-and-dropped")
    page.keyboard.press("ArrowRight")
    page.go_back()
    page.wait_for_selector(LIBRARY)


def test_every_page_opens_by_its_own_address_and_says_what_it_lacks(page: Any, site: str) -> None:
    visit(page, f"{site}/symptoms/?symptom=never-fires", SYMPTOMS)
    visit(page, f"{site}/compare/?scenario=late-but-allowed", NOTICE)
    assert "Compare is not part of this site yet" in page.locator(NOTICE).inner_text()
    visit(page, f"{site}/?scenario=%3Cb%3Enowhere", NOTICE)
    assert "no scenario called <b>nowhere" in page.locator(NOTICE).inner_text()
    visit(page, f"{site}/?scenario=late-but-allowed&step=9999", NOTICE)
    page.get_by_text("From the first step").click()
    page.wait_for_selector(PLAYER)
    visit(page, f"{site}/")
    assert page.locator(PLAYER).get_attribute("data-scenario") == "first-two-phones"
    frames(page)
