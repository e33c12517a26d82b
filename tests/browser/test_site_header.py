"""The header of a site's page: what it offers can be pressed, wherever a dialog is open."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tidemark.ui.pages.opening.doors import DOORS, doors
from tidemark.ui.player.bundle import script
from tidemark.ui.site.chromium import served

from tests.browser.opening import visit

UI = Path(__file__).parents[2] / "ui"

PAGE = """<!doctype html><meta charset="utf-8"><body><dialog><p>What is asked</p></dialog><script type="module">
import { Header } from "./header.js";
globalThis.header = new Header();
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
        yield visit(context.new_page(), f"{address}/page.html", "#tidemark-header")
    context.close()


def test_a_long_run_is_stopped_while_a_dialog_is_open(page: Any) -> None:
    page.evaluate("dialog.showModal()")
    page.evaluate(LONG)
    page.click(STOP)
    assert page.evaluate("stopped") == 1
    page.evaluate("header.say('Stopped.')")
    assert page.locator("#tidemark-header .tm-site-status").inner_text() == "Stopped."


def test_a_dialog_that_opens_or_is_filled_during_a_long_run_takes_its_button_along(page: Any) -> None:
    page.evaluate(LONG)
    page.click(f"#tidemark-header {STOP}")
    page.evaluate("dialog.showModal()")
    page.click(f"dialog {STOP}")
    page.evaluate("dialog.replaceChildren('Something else is asked')")
    page.click(f"dialog {STOP}")
    page.evaluate("dialog.close()")
    page.click(f"#tidemark-header {STOP}")
    assert page.evaluate("stopped") == 4


SIZES = [(390, 844), (844, 390)]


@pytest.mark.parametrize("size", SIZES)
def test_on_a_phone_the_menu_has_every_page_within_the_screen(page: Any, size: tuple[int, int]) -> None:
    for name in ("tokens.css", "header.css"):
        page.add_style_tag(path=UI / "pages" / "theme" / name)
    page.evaluate(f"header.show({json.dumps(doors())})")
    page.set_viewport_size({"width": 1440, "height": 900})
    links = page.locator("#tidemark-doors a:visible")
    assert links.count() == len(DOORS), "no door is open on a page that none has"
    page.locator(".tm-door").first.hover()
    page.locator(".tm-door-links a:visible").first.wait_for()
    assert links.count() == len(DOORS) + len(DOORS["learn"])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    assert links.count() == 0
    page.get_by_role("button", name="Menu").click()
    boxes = [each.bounding_box() for each in links.all()]
    assert len(boxes) == len(DOORS) + sum(map(len, DOORS.values()))
    assert max(each["y"] + each["height"] for each in boxes) <= size[1]
