"""In front of Streamlit's server: answers a link to a scenario with a page that already holds the player.

Everything else, and every link that cannot be answered at once, goes on to Streamlit.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import parse_qs

from simulator.words import speak
from ui.language import COOKIE, LINK, preferred
from ui.opening.page import files, page
from ui.opening.ready import shown

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

OPENS_ALONE: Final = frozenset(
    ("scenario", "step", "words", "open", "why", "view", "order", "picture", "marks", "watch", "break", "embed", LINK)
)
"""The parts of an address with which the player needs nothing but its facts."""

_FOREVER: Final = b"public, max-age=31536000, immutable"


class Opening:
    """The ASGI middleware."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on to Streamlit."""
        if scope["type"] == "http" and scope["method"] == "GET":
            path = scope["path"]
            if path in files():
                media, content = files()[path]
                await _answer(send, f"{media}; charset=utf-8".encode(), content, _FOREVER)
                return
            if path == "/":
                # Files are looked at, so it is done beside the loop that serves everybody.
                whole: bytes | None = await asyncio.to_thread(_page_for, scope)
                if whole is not None:
                    await _answer(send, b"text/html; charset=utf-8", whole, b"no-cache")
                    return
        await self._app(scope, receive, send)


def _page_for(scope: Scope) -> bytes | None:
    query = {name: values[-1] for name, values in parse_qs(scope["query_string"].decode("latin-1")).items()}
    if "scenario" not in query or not query.keys() <= OPENS_ALONE:
        return None
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    speak(preferred(query.get(LINK), _cookie(headers.get("cookie", "")), headers.get("accept-language", "")))
    there = shown(query["scenario"])
    step = query.get("step", "0")
    if there is None or not (step.isascii() and step.isdigit() and len(step) < 10 and int(step) < there.steps):
        return None
    return page(there)


def _cookie(header: str) -> str | None:
    try:
        kept = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return None
    return kept.value if kept else None


async def _answer(send: Send, media: bytes, content: bytes, cache: bytes) -> None:
    headers = [(b"content-type", media), (b"content-length", str(len(content)).encode()), (b"cache-control", cache)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": content})
