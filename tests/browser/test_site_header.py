"""The header of a site's page: what it offers can be pressed, wherever a dialog is open."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tidemark.ui.player.bundle import script

from tests.browser.opening import visit
from tests.browser.rows_of_site import served

UI = Path(__file__).parents[2] / "ui"

PAGE = """<!doctype html><meta charset="utf-8"><body><dialog><p>What is asked</p></dialog><script type="module">
import { Header } from "./header.js";
globalThis.header = new Header({ logo: "data:," });
globalThis.dialog = document.querySelector("dialog");
globalThis.stopped = 0;
document.body.prepend(header.node);
</script>"""

LONG = "header.say('This is taking long.', { name: 'Stop', act: () => { stopped += 1; } })"
STOP = ".tm-site-stop"


@pytest.fixture
def page(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    (tmp_path / "header.js").write_text(script(UI / "site" / "header.ts"), encoding="utf-8")
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    context = chromium.new_context()
    with served(tmp_path) as address:
        yield visit(context.new_page(), f"{address}/page.html", ".tm-site-header")
    context.close()


def test_a_long_run_is_stopped_while_a_dialog_is_open(page: Any) -> None:
    page.evaluate("dialog.showModal()")
    page.evaluate(LONG)
    page.click(STOP)
    assert page.evaluate("stopped") == 1
    page.evaluate("header.say('Stopped.')")
    assert page.locator(".tm-site-header .tm-site-status").inner_text() == "Stopped."


def test_a_dialog_that_opens_or_is_filled_during_a_long_run_takes_its_button_along(page: Any) -> None:
    page.evaluate(LONG)
    page.click(f".tm-site-header {STOP}")
    page.evaluate("dialog.showModal()")
    page.click(f"dialog {STOP}")
    page.evaluate("dialog.replaceChildren('Something else is asked')")
    page.click(f"dialog {STOP}")
    page.evaluate("dialog.close()")
    page.click(f".tm-site-header {STOP}")
    assert page.evaluate("stopped") == 4


FRAME = """{ name: "Tidemark", controls: { menu: "Menu", pages: "Pages" },
  links: ["library", "symptoms", "", "compare", "author", "spark", "your-stream"].map((page) => ({ page, name: page })),
  more: ["practice", "inventory", "lessons"].map((page) => ({ page, name: page })) }"""
LINK = ".tm-site-links a:visible"


@pytest.mark.parametrize("size", [(390, 844), (844, 390)])
def test_on_a_phone_the_menu_has_every_page_within_the_screen(page: Any, size: tuple[int, int]) -> None:
    page.add_style_tag(path=UI / "pages" / "theme" / "tokens.css")
    page.add_style_tag(path=UI / "pages" / "opening" / "header.css")
    page.add_style_tag(path=UI / "site" / "site.css")
    page.evaluate(f"header.show({FRAME}, 'library')")
    page.set_viewport_size({"width": 1440, "height": 900})
    assert page.locator(LINK).count() == 7
    page.set_viewport_size({"width": size[0], "height": size[1]})
    assert page.locator(LINK).count() == 0
    page.get_by_role("button", name="Menu").click()
    boxes = [each.bounding_box() for each in page.locator(LINK).all()]
    assert len(boxes) == 10
    assert max(each["y"] + each["height"] for each in boxes) <= size[1]
