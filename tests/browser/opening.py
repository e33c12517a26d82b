"""How a test opens a page: it goes on when the page has been drawn, not when the address has answered.

Only this file goes to an address or loads one anew; a test of ``tests/test_architecture.py`` holds the others to it.
What a page shows before it says that it is ready is on its way, and a busy machine shows more of that.
"""

from typing import Any

PLAYER = '.tidemark-player[data-ready="true"]'
AUTHOR = '.tidemark-author[data-ready="true"]'
COMPARE = '.tidemark-compare[data-ready="true"]'
VOTE = '.tidemark-vote[data-ready="true"]'

PATIENCE = 60_000
"""Milliseconds until a page that says nothing fails a test: far above what any takes."""


def visit(page: Any, address: str, ready: str = PLAYER) -> Any:
    """Open ``address`` in ``page`` and wait until ``ready`` is there, seen or not; the page again."""
    page.goto(address)
    return _drawn(page, ready)


def load_anew(page: Any, ready: str = PLAYER) -> Any:
    """As the reader's reload does; the page again."""
    page.reload()
    return _drawn(page, ready)


def frames(page: Any, number: int = 2) -> None:
    """Until ``page`` has drawn so many more frames, however slow it is.

    After two, what a key or a new size led to is laid out. More of them show that something does not happen.
    """
    page.evaluate("async (left) => { for (; left > 0; left -= 1) await new Promise(requestAnimationFrame); }", number)


def _drawn(page: Any, ready: str) -> Any:
    page.wait_for_selector(ready, state="attached", timeout=PATIENCE)
    return page
