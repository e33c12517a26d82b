"""What the Tab key stops at can be seen and has a name."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.opening import frames

pytestmark = pytest.mark.browser

OpenPage = Callable[..., Any]

STOP = """() => {
  const each = document.activeElement;
  if (!each || each === document.body) return null;
  const { width, height, right, bottom } = each.getBoundingClientRect();
  const seen = each.checkVisibility({ visibilityProperty: true }) && Math.min(width, height, right, bottom) >= 6;
  const named = (each.ariaLabel ?? each.title ?? "") + each.textContent.trim() + (each.labels?.length ?? "");
  // Streamlit's own scroller has no name.
  return { said: `${each.className} ${named.slice(0, 40)}`, wrong: !seen || !(named || each.matches(".stMain")) };
}"""


def stops(page: Any, most: int = 60) -> list[dict[str, Any]]:
    """What the Tab key stops at, from the beginning of the page."""
    frames(page, 5)
    page.evaluate("document.activeElement?.blur?.()")
    found = []
    for _ in range(most):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None:
            break
        found.append(stop)
    return found


def test_every_stop_before_start_in_the_first_visit_is_seen(open_page: OpenPage) -> None:
    page = open_page("/?visit=1", newcomer=True)
    found = stops(page, 30)
    assert any("tm-visit-on" in each["said"] for each in found)
    assert [each["said"] for each in found if each["wrong"]] == []
    assert not page.locator(".tm-now").is_visible(), "what is not seen is not read either"


def test_the_words_of_the_glossary_are_one_stop_of_the_player(open_page: OpenPage) -> None:
    found = stops(open_page("/?scenario=late-and-dropped&step=30"))
    assert sum("tm-term" in each["said"] for each in found) == 1
    assert [each["said"] for each in found if each["wrong"]] == []
