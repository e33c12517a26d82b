"""How a test opens a page: it continues when the page has been drawn, not when the address has answered.

Only this file visits or reloads an address; ``tests/test_architecture.py`` enforces that.
Until a page says that it is ready, its contents may still change, and more of them on a busy machine.
"""

from typing import Any

PLAYER = '.tidemark-player[data-ready="true"]'
AUTHOR = '.tidemark-author[data-ready="true"]'
COMPARE = '.tidemark-compare[data-ready="true"]'
VOTE = '.tidemark-vote[data-ready="true"]'

TAKEN_OVER = (
    "!document.querySelector('.tm-first-paint') && !!document.querySelector('[data-testid=stMain] .tidemark-player')"
)
"""Streamlit has taken over what was drawn before it had started."""

PATIENCE = 60_000
"""Milliseconds after which a page that is not ready fails a test: far more than any page takes."""


def visit(page: Any, address: str, ready: str = PLAYER) -> Any:
    """Open ``address`` in ``page``, wait until ``ready`` exists, visible or not, and return the page."""
    page.goto(address)
    return _drawn(page, ready)


def reload(page: Any, ready: str = PLAYER) -> Any:
    """Reload the page as a reader would, and return it."""
    page.reload()
    return _drawn(page, ready)


def frames(page: Any, number: int = 2) -> None:
    """Wait until ``page`` has drawn ``number`` more frames, however slow it is.

    After two frames, the effect of a key or of a new size is laid out. More frames show that something does not happen.
    """
    page.evaluate("async (left) => { for (; left > 0; left -= 1) await new Promise(requestAnimationFrame); }", number)


def _drawn(page: Any, ready: str) -> Any:
    page.wait_for_selector(ready, state="attached", timeout=PATIENCE)
    return page
