"""The pages of the app, and what is there once each is drawn: in the library all of its pictures."""

from typing import Any, Final

from tests.browser.opening import AUTHOR, COMPARE, PLAYER, VOTE

LISTED: Final = {
    "path": "body:not(:has(div.tm-picture)) .tm-checkpoint",
    "practice": '.tm-practice[data-ready="true"]',
    "inventory": ".tidemark-inventory h1",
    "library": ".tidemark-library:not(:has(div.tm-picture)) svg.tm-picture",
    "": f"{PLAYER}[data-step]",
    "compare": COMPARE,
    "sql": ".tidemark-sql textarea",
    "spark": ".tm-spark",
    "symptoms": ".tidemark-symptoms",
    "your-stream": ".tm-own-lead",
    "teach": ".tm-starter",
    "lessons": ".tidemark-ordering h1",
    "author": AUTHOR,
}
"""What is there on the pages of the navigation, by their paths."""

UNLISTED: Final = {"vote": VOTE}

READY: Final = {**LISTED, **UNLISTED}


def follow_link(page: Any, address: str) -> None:
    """Follow a link of the navigation: on a narrow page from its menu, else behind its door."""
    door = page.locator(".tm-door", has=page.locator(f'.tm-door-links [data-address="{address}"]'))
    menu = page.locator(".tm-menu")
    if menu.is_visible():
        menu.click()
    elif door.get_attribute("data-here") == "false":
        door.hover()
    door.locator(f'.tm-door-links [data-address="{address}"]').click()
