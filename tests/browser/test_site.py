"""A site of static files, below a sub-path of a plain web server: read, computed in the browser, without a network."""

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator import run_rows
from simulator.scenario import load
from simulator.values.json_text import json_text
from tests.browser.opening import AUTHOR, COMPARE, PLAYER, visit
from ui import catalogue
from ui.site.build import ENGINE, build

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("first-two-phones", "late-but-allowed", "late-and-dropped", "three-hundred")
LIBRARY = '.tidemark-library[data-ready="true"]'
SYMPTOMS = ".tidemark-symptoms"
NOTICE = ".tm-site-notice"

RUN_ALL = """async (texts) => {
  const rows = [];
  for (const text of texts) rows.push(await tidemark.run(text).catch((refused) => refused.message));
  return rows;
}"""

KEPT = """async () => {
  const [name] = await caches.keys();
  const kept = name ? (await (await caches.open(name)).keys()).map((each) => each.url) : [];
  return ["wasm", "code-", "stdlib", "late-and-dropped-en"].every((part) => kept.some((url) => url.includes(part)));
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """``python -m http.server`` that prints nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site of four scenarios."""
    if not ENGINE.is_dir():
        pytest.skip("Python for the browser is not here; `make site` fetches it")
    folder, root = tmp_path_factory.mktemp("course"), tmp_path_factory.mktemp("web")
    for name in NAMES:
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


@pytest.fixture(scope="module")
def reader(chromium: Any, site: str) -> Iterator[Any]:
    """A page of a visitor who has been nowhere. An error, or anything from elsewhere, fails the tests."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("console", lambda said: wrong.append(f"console: {said.text}") if said.type == "error" else None)
    page.on("request", lambda each: None if each.url.startswith((site, "blob:", "data:")) else wrong.append(each.url))
    yield page
    context.close()
    assert wrong == []


def test_a_newcomer_gets_the_first_visit_and_walks_to_the_library_and_on(reader: Any, site: str) -> None:
    visit(reader, f"{site}/")
    assert reader.locator(PLAYER).get_attribute("data-scenario") == "first-two-phones"
    visit(reader, f"{site}/?scenario=late-but-allowed&step=90")
    assert reader.locator(PLAYER).get_attribute("data-step") == "90"
    reader.keyboard.press("ArrowRight")
    reader.locator(".tm-site-links a[data-page=library]").click()
    reader.wait_for_selector(LIBRARY)
    assert reader.url == f"{site}/library"
    reader.locator(".tm-languages [data-language=zh]").click()
    reader.wait_for_selector(".tm-languages [data-language=zh][aria-pressed=true]")
    reader.locator("[data-scenario=late-and-dropped]").first.click()
    reader.wait_for_selector('.tidemark-player[data-scenario="late-and-dropped"][data-ready=true]')
    assert reader.url.startswith(f"{site}/?scenario=late-and-dropped")
    reader.go_back()
    reader.wait_for_selector(LIBRARY)
    reader.locator(".tm-languages [data-language=en]").click()


def test_an_address_that_names_nothing_is_answered_in_words(reader: Any, site: str) -> None:
    visit(reader, f"{site}/?scenario=%3Cb%3Enowhere", NOTICE)
    assert "no scenario called <b>nowhere" in reader.locator(NOTICE).inner_text()
    visit(reader, f"{site}/spark/?scenario=late-but-allowed", NOTICE)
    assert "Spark check is not part of this site" in reader.locator(NOTICE).inner_text()
    visit(reader, f"{site}/?scenario=late-but-allowed&step=9999", NOTICE)
    reader.get_by_text("From the first step").click()
    reader.wait_for_selector(PLAYER)


def test_python_in_the_browser_changes_a_number_authors_and_compares(reader: Any, site: str) -> None:
    visit(reader, f"{site}/author/?scenario=late-but-allowed", AUTHOR)
    reader.locator(".tm-site-links a[data-page=compare]").click()
    reader.wait_for_selector(COMPARE)
    assert reader.url.startswith(f"{site}/compare?")
    reader.go_back()
    reader.wait_for_selector(AUTHOR)


def test_the_rows_are_those_of_the_command_line(reader: Any, site: str) -> None:
    if reader.evaluate("!globalThis.tidemark"):  # else Python runs here already, from the test before
        visit(reader, f"{site}/?scenario=late-but-allowed")
    files = [ROOT / "scenarios" / f"{name}.yaml" for name in NAMES]
    files += sorted((ROOT / "tests" / "golden").glob("*.yaml"))[::6]
    texts = [path.read_text(encoding="utf-8") for path in files]
    rows = reader.evaluate(RUN_ALL, [*texts, "scenario: 2"])
    for path, found in zip(files, rows, strict=False):
        assert found == "".join(f"{json_text(row)}\n" for row in run_rows(load(path))), path.stem
    assert rows[-1].startswith("scenario.yaml:1:")


def test_after_the_first_visit_no_network_is_needed(reader: Any, site: str) -> None:
    visit(reader, f"{site}/library/", LIBRARY)
    reader.wait_for_function(KEPT)
    reader.context.set_offline(True)
    visit(reader, f"{site}/?scenario=late-and-dropped&step=3")
    assert reader.locator(PLAYER).get_attribute("data-step") == "3"
    visit(reader, f"{site}/symptoms", SYMPTOMS)
    reader.context.set_offline(False)
