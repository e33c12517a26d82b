"""Who is let in: the teacher's address, the names under which the app answers, the pages that may use it, and what
every answer forbids a browser.

- ``?teacher=SECRET`` at the end of any address makes this browser the teacher's (``ui/server/roles.py``): the secret
  moves from the address into a cookie that no script can read, so it is neither shown nor passed on by a link.
- An app for its own machine alone answers under that machine's names alone. Otherwise a page on the internet could let
  its own name lead to this machine (DNS rebinding) and use the app from there.
- Pages of other servers, also of other ports of this machine, open no connection and send nothing here. The browser
  says whose page asks (``Origin``); a program that is no browser need not, and has no visitor's cookies either.
- Of a browser's messages only those go on to Streamlit that the app uses: one of the others empties its caches.
- Every answer has headers that keep the page's requests on this server and its files what they say they are, and keep
  the page out of frames, except for a walkthrough in the small view and a lesson for students.
"""

import logging
import os
import socket
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import streamlit as st
import uvicorn.config
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.words import words
from tidemark.ui.pages.opening.server import FOR_STUDENTS
from tidemark.ui.server import roles

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

FRAMED: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)
"""The headers of what any page may show in a frame."""

HEADERS: Final = ((b"content-security-policy", f"{POLICY}; frame-ancestors 'self'".encode()), *FRAMED[1:])
"""The headers of everything else."""

SAFE: Final = ("GET", "HEAD")
"""What a page of another server may do as well: it changes nothing, and the browser does not show it the answer."""

USED: Final = ("rerun_script", "stop_script", "file_urls_request", "app_heartbeat", "backend_operation_request")
"""The messages of a browser that the app uses, by Streamlit's names. Of the others, ``clear_cache`` empties the caches
of all visitors, and ``load_git_info`` has the loop that serves everybody wait for ``git``."""

OPERATIONS: Final = ("deferred_file",)
"""The same for what ``backend_operation_request`` asks for: a download that is made when it is wanted."""

PROXIES: Final = "FORWARDED_ALLOW_IPS"
"""uvicorn's environment variable: the addresses of proxies, which are believed whom they speak for."""

_LOG: Final = logging.getLogger("tidemark")


def believe_named_proxies() -> None:
    """Call before the server starts. uvicorn believes by default whatever comes from its own machine whom it speaks
    for, so a visitor whom a proxy there leads here could pass for many."""
    if not os.environ.get(PROXIES):
        setattr(uvicorn.config, "ProxyHeadersMiddleware", lambda app, **_: app)  # noqa: B010


def admit() -> None:
    """Decide at the start of the server who is the teacher, and print the teacher's address if there is a secret."""
    origin = os.environ.get(roles.ORIGIN, "")
    if origin and not _is_origin(origin):
        sys.exit(words("roles.no_origin", variable=roles.ORIGIN, origin=shown_in_message(origin)))
    address, port = config.get_option("server.address"), config.get_option("server.port")
    try:
        secret = roles.secret_for(address, os.environ)
    except roles.WeakSecret:
        sys.exit(words("roles.weak", variable=roles.VARIABLE, shortest=roles.SHORTEST))
    roles.require(
        secret, port, lambda: st.context.cookies, lambda: st.context.ip_address or "", lambda: st.context.is_embedded
    )
    if secret:
        base = origin or f"http://{_name_in_network(address)}:{port}"
        print(f"\n  {words('roles.teacher')}: {base}/teach?{urlencode({roles.LINK: secret})}")
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
        origin = headers.get("origin")
        if origin is not None:
            if scope.get("method") not in SAFE and _is_foreign(origin, headers.get("host")):
                _LOG.warning(words("roles.other_origin", origin=shown_in_message(origin), variable=roles.ORIGIN))
                await _refuse(scope, send, words("roles.other_origin", origin=origin, variable=roles.ORIGIN), 403)
                return
            # Streamlit judges no origin: it would let in other ports, and ask a server on the internet how this one is
            # called while everybody waits.
            scope = {**scope, "headers": [each for each in scope["headers"] if each[0] != b"origin"]}
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["type"] == "http" and roles.required() and scope["method"] == "GET":
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
        if scope["type"] == "websocket":
            await self._app(scope, _used(receive), send)
        else:
            await self._app(
                scope, receive, _with_headers(send, FRAMED if _is_for_frames(scope["path"], query) else HEADERS)
            )


def _is_origin(text: str) -> bool:
    """Whether ``text`` is an origin, as a browser sends it."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and text == f"{parts.scheme}://{parts.netloc}"
    except ValueError:
        return False


def _is_foreign(origin: str, host: str | None) -> bool:
    """Whether the page that asks is not one of this server, which is called ``host``: by name and port.

    A proxy may speak TLS to the browser and HTTP to the app, so the scheme counts for the usual port alone.
    """
    if origin == os.environ.get(roles.ORIGIN):
        return False
    try:
        asks, here = urlsplit(origin), urlsplit(f"//{host or ''}")
        usual = {"http": 80, "https": 443}.get(asks.scheme)
        return not (usual and asks.hostname) or (asks.hostname, asks.port or usual) != (
            here.hostname,
            here.port or usual,
        )
    except ValueError:
        return True


def _is_for_frames(path: str, query: list[tuple[str, str]]) -> bool:
    """Whether any page may show this in a frame (docs/users/EMBEDDING.md); there, nobody has the teacher's rights."""
    below = path.removeprefix(f"/{config.get_option('server.baseUrlPath').strip('/')}".rstrip("/"))
    return below == FOR_STUDENTS or (below == "/" and ("embed", "true") in query)


def _used(receive: Receive) -> Receive:
    """Messages of a WebSocket without those that the app does not use."""

    async def receiving() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive" or _is_used(message.get("bytes")):
                return message

    return receiving


def _is_used(data: bytes | None) -> bool:
    message = BackMsg()
    try:
        message.ParseFromString(data or b"")
    except DecodeError:
        return False
    kind = message.WhichOneof("type")
    return kind in USED and (
        kind != "backend_operation_request" or message.backend_operation_request.WhichOneof("payload") in OPERATIONS
    )


def _is_teachers(cookies: str) -> bool:
    """Whether the header ``cookies`` has the secret."""
    try:
        kept = SimpleCookie(cookies).get(roles.cookie())
    except CookieError:
        return False
    return kept is not None and roles.is_kept(kept.value)


async def _greet(scope: Scope, send: Send, given: str, query: list[tuple[str, str]]) -> None:
    """Make this browser the teacher's, and lead it to the address without the secret."""
    if not roles.holds(given):
        await _refuse(scope, send, words("roles.wrong"), 403)
        return
    kept: SimpleCookie = SimpleCookie({roles.cookie(): roles.kept(given)})
    for attribute, value in (("httponly", True), ("samesite", "Lax"), ("path", "/"), ("max-age", LIFE_S)):
        kept[roles.cookie()][attribute] = value
    # Relative, so that it stays below the path at which a proxy shows the app.
    place = "./" + quote(scope["path"].rpartition("/")[2]) + (f"?{urlencode(query)}" if query else "")
    headers = [
        (b"location", place.encode()),
        (b"set-cookie", kept[roles.cookie()].OutputString().encode("latin-1")),
        (b"cache-control", b"no-store"),
        *HEADERS,
    ]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def _refuse(scope: Scope, send: Send, text: str, status: int) -> None:
    if scope["type"] == "websocket":  # to the browser it is an answer with the status 403
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


def _with_headers(send: Send, headers: tuple[tuple[bytes, bytes], ...]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message.get("headers", ())}
            more = [each for each in headers if each[0] not in there]
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
