"""In front of Streamlit's server: answers an address with a page that can be read before Streamlit has started.

A scenario that is ready comes with its player; any other page with its header; a lesson as a package for an LMS, or as
a page for students. Everything else goes on to Streamlit.
"""

import asyncio
import base64
import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import cache
from html import escape
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

import streamlit as st
from streamlit import config
from tidemark.simulator.limits import ORDERS_WAITING
from tidemark.simulator.words import current_language, speak, words
from tidemark.ui.pages import theme
from tidemark.ui.pages.opening import guide
from tidemark.ui.pages.opening.address import Opened, opened
from tidemark.ui.pages.opening.doors import WALKTHROUGH, header, is_page, title
from tidemark.ui.player.bundle import FOLDER, script
from tidemark.ui.player.styles import style as style_of_player
from tidemark.ui.server import screen
from tidemark.ui.server.orders import NotDone
from tidemark.ui.server.tags import COOKIE, LINK, preferred, tag
from tidemark.ui.share.lesson import LessonError, lesson_for_students, lesson_package

# Streamlit's own page with the player in it: what the browser reads and runs before Streamlit's scripts.


@cache
def style() -> str:
    """The styles of the header, and the colours of the page."""
    sheets = [theme.FOLDER / name for name in ("tokens.css", "frame.css", "header.css", "language.css")]
    return "\n".join(each.read_text(encoding="utf-8") for each in sheets)


@cache
def behaviour() -> str:
    """What the header does before Streamlit has started."""
    return script(Path(__file__).parent / "header.ts")


PLACE: Final = "/tidemark/"
"""The player's script and style are served below this path. Their names change with their contents."""

_BASE: Final = '<script>window.__streamlit = { BACKEND_BASE_URL: new URL(".", location.href).href };</script>'
"""Where the server is. Else Streamlit first asks for it below the path of the page, and finds nothing there."""

_FILES: Final = (
    '<link rel="stylesheet" href=".{style}" id="tidemark-opening-style" fetchpriority="high">'
    '<script type="module" src=".{script}" fetchpriority="high"></script>'
)
_PLAYER: Final = (
    '<div id="tidemark-opening" class="tm-first-paint"></div>'
    '<script type="text/plain" id="tidemark-facts">{facts}</script>'
    '<script type="application/json" id="tidemark-lecture">{lecture}</script>'
)
_MISSING: Final = (
    '<!doctype html><html lang="{tag}"><head><meta charset="utf-8"><base href="{root}">'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>{tab}</title>'
    "<style>{style} :is(.tm-early-languages, .tm-menu, .tm-skip) {{ display: none !important; }}</style>"
    '</head><body>{header}<main class="tm-missing"><h1>{title}</h1><p>{text}</p>'
    '<a href="./library">{to_library}</a></main></body></html>'
)
_LANGUAGE: Final = '<html lang="en">'
_FIRST_SCRIPT: Final = '<script type="module" crossorigin'
_TITLE: Final = "<title>Streamlit</title>"
_ROOT: Final = '<div id="root"></div>'


@cache
def files() -> dict[str, tuple[str, bytes]]:
    """Media type and content of what is served below ``PLACE``, by path."""
    made = {
        "js": ("text/javascript", script(FOLDER / "opening.ts")),
        "css": ("text/css", f"{theme.sheet()}\n{style_of_player()}"),
    }
    return {
        f"{PLACE}{hashlib.sha256(text.encode()).hexdigest()[:16]}.{ending}": (media, text.encode())
        for ending, (media, text) in made.items()
    }


@cache
def _storage() -> str:
    """What keeps Streamlit from failing where the browser's storage is full or damaged."""
    return script(Path(__file__).parent / "storage.ts")


@cache
def _shell() -> str:
    """Streamlit's page; "" if it is not the one that this module knows how to extend."""
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    return page if all(page.count(part) == 1 for part in (_LANGUAGE, _FIRST_SCRIPT, _TITLE, _ROOT)) else ""


def page(path: str, query: Mapping[str, str], opened: Opened | None) -> bytes | None:
    """Streamlit's page ``path`` with a header and the player of what is ``opened``, drawn before Streamlit starts.

    None if Streamlit's page is unknown.
    """
    shell = _shell()
    if not shell:
        return None
    head = f"{_BASE}<script>{_storage()}</script><style>{style()}</style>"
    above = header(path, query, links=opened is None or not opened.visits)
    body = f'<script type="module">{behaviour()}</script>' if above else ""
    if opened is not None:
        paths = {each.rpartition(".")[2]: each for each in files()}
        head += _FILES.format(style=paths["css"], script=paths["js"])
        lecture = json.dumps(opened.lecture, ensure_ascii=False).replace("<", "\\u003c")
        body += _PLAYER.format(facts=base64.b64encode(opened.shown.facts).decode(), lecture=lecture)
    return (
        shell.replace(_TITLE, f"<title>{escape(title(path, opened.shown.entry.title if opened else ''))}</title>")
        .replace(_LANGUAGE, f'<html lang="{tag(current_language())}">')
        .replace(_FIRST_SCRIPT, f"{head}{_FIRST_SCRIPT}")
        .replace(_ROOT, f"{above}{_ROOT}{body}")
        .encode()
    )


def no_page(path: str) -> bytes:
    """What an address shows that no page has; it needs no script."""
    say = {name: escape(words(f"pages.missing.{name}")) for name in ("title", "text", "to_library")}
    return _MISSING.format(
        tag=tag(current_language()),
        root="../" * (path.count("/") - 1) or "./",
        style=style() + theme.sheet(),
        header=header(path, {}, links=True),
        tab=escape(words("player.page_title", page=words("pages.missing.title"))),
        **say,
    ).encode()


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_FOREVER: Final = b"public, max-age=31536000, immutable"

PACKAGE: Final = f"{PLACE}lesson.zip"
"""Where a lesson is fetched as a package for an LMS: ``?lesson=ID&lang=en``; ``edition=student``: without answers."""

FOR_STUDENTS: Final = f"{PLACE}lesson.html"
"""The page of a lesson for students: ``?lesson=ID&lang=en``."""

MOVED: Final = {"/inventory/class": b"../inventory?view=class"}
"""Addresses that somebody is likely to type, and where they lead; without this Streamlit shows an empty page."""

FILES: Final = ("_stcore", "app", "component", "media", "static")
"""The folders below which Streamlit answers with files, a download in HTML among them, and never with its own page."""


class Opening:
    """The ASGI middleware."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app
        # A lesson takes seconds of a processor and tens of megabytes, and anybody may ask for it. Several at once would
        # take all threads that read pages.
        self._one_lesson = asyncio.Lock()
        self._lessons_asked = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on to Streamlit."""
        if scope["type"] == "http" and scope["method"] == "GET":
            path = scope["path"]
            if path in files():
                media, content = files()[path]
                await _answer(send, f"{media}; charset=utf-8".encode(), content, _FOREVER)
                return
            if path in (PACKAGE, FOR_STUDENTS):
                await self._lesson(scope, send)
                return
            if path in MOVED:
                await _answer(send, b"text/plain", b"", b"no-cache", 307, location=MOVED[path])
                return
            if path == f"/{guide.GUIDE}":
                content = await asyncio.to_thread(_guide, scope)
                await _answer(send, b"text/html; charset=utf-8", content, b"no-cache")
                return
            if is_page(path.removeprefix("/")):
                # Files are looked at, so it is done beside the loop that serves everybody.
                whole: bytes | None = await asyncio.to_thread(_page_for, scope)
                if whole is not None:
                    await _answer(send, b"text/html; charset=utf-8", whole, b"no-cache")
                    return
            send = _refusing(send, scope)
        await self._app(scope, receive, send)

    async def _lesson(self, scope: Scope, send: Send) -> None:
        """A lesson as a package or a page, one at a time; or in plain text why there is none."""
        plain = b"text/plain; charset=utf-8"
        if self._lessons_asked > ORDERS_WAITING:
            speak(_language(scope))
            await _answer(send, plain, words("heavy.busy").encode(), b"no-store", 503)
            return
        self._lessons_asked += 1
        try:
            async with self._one_lesson:
                media, content, disposition = await asyncio.to_thread(_lesson_for, scope)
        except (LessonError, NotDone) as error:
            await _answer(send, plain, str(error).encode("utf-8", "replace"), b"no-cache", 422)
            return
        finally:
            self._lessons_asked -= 1
        await _answer(send, media, content, b"no-cache", 200, disposition)


def _refusing(send: Send, scope: Scope) -> Send:
    """Replaces what Streamlit answers for an address that no page has: its own page, which would say so in English."""
    path = scope["path"].strip("/")
    if is_page(path) or path.partition("/")[0] in FILES or config.get_option("server.baseUrlPath"):
        return send
    replaced = False

    async def answer(message: MutableMapping[str, Any]) -> None:
        nonlocal replaced
        if message["type"] == "http.response.start":
            replaced = any(name == b"content-type" and b"text/html" in kept for name, kept in message["headers"])
            if replaced:
                content = await asyncio.to_thread(_no_page, scope)
                await _answer(send, b"text/html; charset=utf-8", content, b"no-cache", 404)
        if not replaced:
            await send(message)

    return answer


def _guide(scope: Scope) -> bytes:
    _speak(scope)
    return guide.page()


def _no_page(scope: Scope) -> bytes:
    _speak(scope)
    return no_page(scope["path"])


def _lesson_for(scope: Scope) -> tuple[bytes, bytes, bytes]:
    """Media type, content, and as what it is saved."""
    speak(_language(scope))
    query = _query(scope)
    lesson = query.get("lesson", "")
    if scope["path"] == FOR_STUDENTS:
        return b"text/html; charset=utf-8", lesson_for_students(lesson), b""
    student = query.get("edition") == "student"
    made = lesson_package(lesson, student=student)
    name = re.sub(r"[^A-Za-z0-9-]", "-", lesson)[:60] + ("-students" if student else "")
    return b"application/zip", made, f'attachment; filename="{name}.zip"'.encode()


def _language(scope: Scope) -> str:
    """The language of the lesson that is asked for."""
    return preferred(_query(scope).get(LINK), None, "")


def _query(scope: Scope) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(scope["query_string"].decode("latin-1")).items()}


def _speak(scope: Scope) -> dict[str, str]:
    """Speak the language of whoever asks; returns the cookies."""
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    cookies = _cookies(headers.get("cookie", ""))
    speak(preferred(_query(scope).get(LINK), cookies.get(COOKIE), headers.get("accept-language", "")))
    return cookies


def _page_for(scope: Scope) -> bytes | None:
    query = _query(scope)
    cookies = _speak(scope)
    name = scope["path"].removeprefix("/")
    found = opened(query, cookies.get(screen.COOKIE)) if name == WALKTHROUGH else None
    return page(name, query, found)


def _cookies(header: str) -> dict[str, str]:
    try:
        return {name: kept.value for name, kept in SimpleCookie(header).items()}
    except CookieError:
        return {}


async def _answer(
    send: Send,
    media: bytes,
    content: bytes,
    cache: bytes,
    status: int = 200,
    disposition: bytes = b"",
    location: bytes = b"",
) -> None:
    headers = [(b"content-type", media), (b"content-length", str(len(content)).encode()), (b"cache-control", cache)]
    if disposition:
        headers.append((b"content-disposition", disposition))
    if location:
        headers.append((b"location", location))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
