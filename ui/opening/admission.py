"""Who is let in: the teacher's address, the names under which the app answers, and what every answer forbids a browser.

- ``?teacher=SECRET`` at the end of any address makes this browser the teacher's (``ui/roles.py``): the secret moves
  from the address into a cookie that no script can read, so it is neither shown nor passed on by a link.
- An app for its own machine alone answers under that machine's names alone. Otherwise a page on the internet could let
  its own name lead to this machine (DNS rebinding) and use the app from there.
- Every answer has headers that keep the page's requests on this server and its files what they say they are.
"""

import os
import socket
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import streamlit as st
from streamlit import config

from simulator.words import words
from ui import roles

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LIFE_S: Final = 30 * 24 * 3600
"""How long a browser remains the teacher's. A secret that the server made itself ends with the server."""

UPLOADS: Final = "/_stcore/upload_file"
"""Where Streamlit takes files; the page *Your stream* alone uses it, and it is the teacher's."""

METRICS: Final = "/_stcore/metrics"
"""Where Streamlit tells how many sessions and caches there are, to anybody who asks. Nothing of the app reads it."""

POLICY: Final = "; ".join((
    "default-src 'self'",
    # Streamlit loads its parts from blob addresses, and Vega compiles its expressions.
    "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self' data: blob:",
    "frame-src 'self' data: blob:",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
))  # fmt: skip
"""The Content-Security-Policy of the app: nothing is loaded from another server, and nothing is sent to one."""

HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)


def admit() -> None:
    """Decide at the start of the server who is the teacher, and print the teacher's address if there is a secret."""
    address, port = config.get_option("server.address"), config.get_option("server.port")
    try:
        secret = roles.secret_for(address, os.environ)
    except roles.WeakSecret:
        sys.exit(words("roles.weak", variable=roles.VARIABLE, shortest=roles.SHORTEST))
    roles.require(secret, port, lambda: st.context.cookies, lambda: st.context.ip_address or "")
    if secret:
        base = f"http://{_name_in_network(address)}:{port}"
        print(f"\n  {words('roles.teacher')}: {base}/?{urlencode({roles.LINK: secret})}")
        print(f"  {words('roles.students')}: {base}\n", flush=True)


class Admission:
    """The ASGI middleware in front of everything else."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, turn the secret into a cookie, or let through."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not _is_known(headers.get("host")):
            await _refuse(scope, send, words("roles.other_name", variable=roles.VARIABLE), 403)
            return
        if scope["type"] == "http" and roles.required() and scope["method"] == "GET":
            query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            given = dict(query).get(roles.LINK)
            if given is not None:
                await _greet(scope, send, given, [each for each in query if each[0] != roles.LINK])
                return
        # Streamlit may have been told to serve everything below a path (server.baseUrlPath).
        if UPLOADS in scope["path"] and roles.required() and not _is_teachers(headers.get("cookie", "")):
            await _refuse(scope, send, words("roles.own_stream"), 403)
            return
        if METRICS in scope["path"]:
            await _refuse(scope, send, "", 404)
            return
        await self._app(scope, receive, _with_headers(send) if scope["type"] == "http" else send)


def _is_teachers(cookies: str) -> bool:
    """Whether the header ``cookies`` has the secret."""
    try:
        kept = SimpleCookie(cookies).get(roles.cookie())
    except CookieError:
        return False
    return kept is not None and roles.holds(kept.value)


async def _greet(scope: Scope, send: Send, given: str, query: list[tuple[str, str]]) -> None:
    """Make this browser the teacher's, and lead it to the address without the secret."""
    if not roles.holds(given):
        await _refuse(scope, send, words("roles.wrong"), 403)
        return
    kept: SimpleCookie = SimpleCookie({roles.cookie(): given})
    for attribute, value in (("httponly", True), ("samesite", "Lax"), ("path", "/"), ("max-age", LIFE_S)):
        kept[roles.cookie()][attribute] = value
    # Relative, so that it stays below the path at which a proxy shows the app.
    place = "./" + scope["path"].rpartition("/")[2] + (f"?{urlencode(query)}" if query else "")
    headers = [
        (b"location", place.encode("latin-1", "replace")),
        (b"set-cookie", kept[roles.cookie()].OutputString().encode("latin-1")),
        (b"cache-control", b"no-store"),
        *HEADERS,
    ]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def _refuse(scope: Scope, send: Send, text: str, status: int) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store"), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode("utf-8")})


def _is_known(host: str | None) -> bool:
    """Whether the app answers under the name ``host``, which may have a port."""
    if host is None or roles.required() or config.get_option("server.allowedHosts"):
        return True  # who is the teacher then hangs on a cookie, which belongs to one name; or Streamlit looks itself
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name in roles.LOCAL_NAMES or name.endswith(".localhost") or roles.is_local(name)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message.get("headers", ())}
            more = [each for each in HEADERS if each[0] not in there]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sending


def _name_in_network(address: str | None) -> str:
    """The number at which other machines reach this one. Nothing is sent: a UDP socket only picks the interface."""
    if address not in (None, "0.0.0.0", "::"):
        return str(address)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("10.255.255.255", 1))
            return str(asking.getsockname()[0])
        except OSError:
            return "localhost"
