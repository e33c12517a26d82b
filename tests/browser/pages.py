"""The pages of the app, and what is there once each is drawn: in the library all of its pictures."""

from typing import Final

from tests.browser.opening import AUTHOR, COMPARE, PLAYER, VOTE

LISTED: Final = {
    "library": ("Library", ".tidemark-library:not(:has(div.tm-picture)) svg.tm-picture"),
    "symptoms": ("Troubleshoot", ".tidemark-symptoms"),
    "": ("Player", f"{PLAYER}[data-step]"),
    "compare": ("Compare", COMPARE),
    "author": ("Author", AUTHOR),
    "spark": ("Spark check", ".tm-spark"),
    "your-stream": ("Your stream", ".tm-own-lead"),
}
"""The pages of the navigation by their paths: the name of the link, and what is there."""

UNLISTED: Final = {
    "practice": '.tm-practice[data-ready="true"]',
    "inventory": ".tidemark-inventory h1",
    "lessons": ".tidemark-ordering h1",
    "vote": VOTE,
}

READY: Final = {**{path: ready for path, (_, ready) in LISTED.items()}, **UNLISTED}
