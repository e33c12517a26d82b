"""Pages of other servers, and what a browser may say to Streamlit: refused before Streamlit sees it."""

import ast
import asyncio
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import pytest
import streamlit as st
import uvicorn
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server import server_util
from tidemark.ui.pages.opening import admission
from tidemark.ui.pages.opening.admission import FRAMED, HEADERS, OPERATIONS, USED, Admission, admit
from tidemark.ui.pages.opening.server import FOR_STUDENTS, PACKAGE
from tidemark.ui.server import background, leaving, roles
from tidemark.ui.server.background import Task
from tidemark.ui.spark import jobs
from tidemark.ui.spark import jobs as of_spark
from tidemark.ui.spark.your_stream import visits

from benchmarks.app import serving_folder
from tests import coroutines
from tests.architecture import read

HERE = "127.0.0.1:8501"
SECRET = "秘密;\"a 'secret' of this course"


@pytest.fixture(autouse=True)
def without_a_secret_again() -> Iterator[None]:
    yield
    roles.require("", 0, dict)


class Request:
    """A request to the app: what it got as its answer, and what reached Streamlit of it."""

    def __init__(self, address: str = "/", kind: str = "http", method: str = "GET", **headers: str) -> None:
        self.answer: list[Any] = []
        self.reached: dict[str, Any] | None = None
        self.heard: list[bytes] = []
        self.sent: list[Any] = []
        path, _, query = address.partition("?")
        named = {"host": HERE, **headers}
        self._scope: dict[str, Any] = {
            "type": kind, "path": path, "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in named.items()],
            **({"method": method} if kind == "http" else {}),
        }  # fmt: skip

    def done(self, *messages: Any) -> "Request":
        self.sent = [{"type": "websocket.receive", **each} for each in messages]
        coroutines.run(Admission(self._streamlit)(self._scope, self._receive, self._send))  # type: ignore[arg-type]
        return self

    @property
    def headers(self) -> dict[bytes, bytes]:
        return dict(self.answer[0]["headers"])

    async def _receive(self) -> Any:
        return self.sent.pop(0) if self.sent else {"type": "websocket.disconnect"}

    async def _send(self, message: Any) -> None:
        self.answer.append(message)

    async def _streamlit(self, scope: Any, receive: Any, send: Any) -> None:
        self.reached = dict(scope["headers"])
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})
        while scope["type"] == "websocket" and (message := await receive())["type"] == "websocket.receive":
            self.heard.append(message["bytes"])


OF_OTHERS = [
    "http://evil.example", "null", "", "http://127.0.0.1", "http://127.0.0.1:9999", "https://127.0.0.1", "http://localhost:8501",
    "http://0.0.0.0:8501", "http://127.0.0.1:8501.evil.example", "http://127.0.0.1:8501@evil.example", "file://", "http://[",
    "http://127.0.0.1:99999", "chrome-extension://abc", "http://", "127.0.0.1:8501", "//127.0.0.1:8501",
]  # fmt: skip


@pytest.mark.parametrize("origin", OF_OTHERS)
def test_a_page_of_another_server_opens_no_connection_and_sends_nothing(
    origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_util.net_util, "get_external_ip", lambda: pytest.fail("asked a server on the internet"))
    socket = Request("/_stcore/stream", "websocket", origin=origin).done()
    assert socket.reached is None
    assert [each["type"] for each in socket.answer] == ["websocket.close"]
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        sent = Request("/_stcore/upload_file/a/b", method=method, origin=origin).done()
        assert sent.reached is None
        assert sent.answer[0]["status"] == 403
        assert sent.answer[1]["body"].startswith(b"A page of another server asked for this app")


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://127.0.0.1:8501", "127.0.0.1:8501"),
        ("http://localhost:8501", "localhost:8501"),
        ("http://[::1]:8501", "[::1]:8501"),
        ("http://LOCALHOST", "localhost"),
        ("http://app.localhost", "app.localhost:80"),
        ("https://app.localhost", "app.localhost"),  # a proxy that ends TLS and passes on the name
        ("https://app.localhost", "app.localhost:443"),
        ("https://app.localhost:8443", "app.localhost:8443"),
    ],
)
def test_the_apps_own_pages_may(origin: str, host: str) -> None:
    reached = Request("/_stcore/stream", "websocket", origin=origin, host=host).done().reached
    assert reached == {b"host": host.encode()}, "Streamlit has nothing to judge"
    assert Request("/_stcore/upload_file/a/b", method="PUT", origin=origin, host=host).done().reached is not None


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_program_that_is_no_browser_names_no_page(kind: str) -> None:
    assert Request("/_stcore/stream", kind).done().reached == {b"host": HERE.encode()}


def test_a_page_of_another_server_may_load_what_everybody_may_and_streamlit_does_not_ask_whose_it_is() -> None:
    request = Request("/_stcore/health", origin="http://evil.example").done()
    assert request.reached == {b"host": HERE.encode()}
    assert b"access-control-allow-origin" not in request.headers


def test_a_proxy_that_changes_the_name_says_where_it_shows_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    def asks(origin: str) -> bool:
        return Request("/_stcore/stream", "websocket", origin=origin).done().reached is not None

    assert not asks("https://course.example")
    monkeypatch.setenv(roles.ORIGIN, "https://course.example")
    assert asks("https://course.example")
    assert asks(f"http://{HERE}")
    assert not asks("http://course.example")
    assert not asks("https://course.example:8443")
    assert not asks("https://evil.example")
    assert roles.secret_for("127.0.0.1", {roles.ORIGIN: "https://course.example"}), "others can reach it"


@pytest.mark.parametrize(
    "origin", ["course.example", "https://", "https://course.example/", "ftp://a", "null", "http://["]
)
def test_what_is_no_origin_is_refused_at_the_start(origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(roles.ORIGIN, origin)
    with pytest.raises(SystemExit, match=r"TIDEMARK_ORIGIN is no origin: .*https://course\.example"):
        admit()


# --- frames -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address", ["/?embed=true", "/?scenario=a&step=8&embed=true&lang=zh", f"{FOR_STUDENTS}?lesson=a"]
)
def test_any_page_may_show_a_walkthrough_and_a_lesson_for_students_in_a_frame(address: str) -> None:
    assert Request(address).done().headers == dict(FRAMED)


@pytest.mark.parametrize(
    "address",
    [
        "/", "/?scenario=a", "/?scenario=embed=true", "/?embed=false", "/author", "/author?embed=true",
        "/author/?embed=true", "/library", "/vote?room=BCDF", "/your-stream", "/index.html?embed=true",
        "//?embed=true", f"/author{FOR_STUDENTS}", f"{PACKAGE}?lesson=a", "/_stcore/health",
    ],
)  # fmt: skip
def test_no_page_of_another_server_shows_the_others(address: str) -> None:
    assert Request(address).done().headers == dict(HEADERS)
    assert HEADERS[0][1].endswith(b"; frame-ancestors 'self'")


def test_a_header_that_the_answer_has_by_itself_stays_the_only_one_of_its_name() -> None:
    async def streamlit(_scope: Any, _receive: Any, send: Any) -> None:
        own = [(b"X-Content-Type-Options", b"own"), (b"content-type", b"text/html")]
        await send({"type": "http.response.start", "status": 200, "headers": own})

    request = Request()
    request._streamlit = streamlit  # type: ignore[method-assign]
    headers = request.done().answer[0]["headers"]
    assert [value for name, value in headers if name.lower() == b"x-content-type-options"] == [b"own"]
    assert {name for name, _ in HEADERS} <= {name.lower() for name, _ in headers}


def test_nobody_is_the_teacher_in_a_frame() -> None:
    for secret in ("", SECRET):
        cookies = {"tidemark_teacher_8501": roles.kept(SECRET)}
        roles.require(secret, 8501, lambda cookies=cookies: cookies, str, lambda: True)
        assert not roles.is_teacher()
        roles.require(secret, 8501, lambda cookies=cookies: cookies, str, lambda: None)
        assert roles.is_teacher()


# --- messages of a browser --------------------------------------------------------------------------------------------


def messages() -> dict[str, BackMsg]:
    """One message of each type that Streamlit has."""
    made = {}
    for field in BackMsg.DESCRIPTOR.oneofs_by_name["type"].fields:
        made[field.name] = BackMsg()
        if field.message_type:
            getattr(made[field.name], field.name).SetInParent()
        else:
            setattr(made[field.name], field.name, True)
    return made


def heard(*sent: Any) -> list[bytes]:
    return Request("/_stcore/stream", "websocket").done(*sent).heard


def test_streamlit_hears_only_what_the_app_uses() -> None:
    every = messages()
    assert {"clear_cache", "load_git_info", "set_run_on_save", "debug_shutdown_runtime", *USED} <= set(every)
    every["backend_operation_request"].backend_operation_request.deferred_file.file_id = "a"
    for name, message in every.items():
        data = message.SerializeToString()
        assert heard({"bytes": data}) == ([data] if name in USED else []), name


def test_of_the_work_aside_only_a_download_is_used() -> None:
    kinds = BackMsg().backend_operation_request.DESCRIPTOR.oneofs_by_name["payload"].fields
    assert {"install_skills", *OPERATIONS} <= {each.name for each in kinds}
    for kind in kinds:
        message = BackMsg()
        getattr(message.backend_operation_request, kind.name).SetInParent()
        assert bool(heard({"bytes": message.SerializeToString()})) == (kind.name in OPERATIONS), kind.name


def test_what_is_no_message_is_not_heard_and_the_next_one_is() -> None:
    rerun = messages()["rerun_script"].SerializeToString()
    assert heard({"text": "hello"}, {"bytes": b"\xff\xff\xff"}, {"bytes": b""}, {"bytes": None}, {"bytes": rerun}) == [
        rerun
    ]


# --- the teacher's address --------------------------------------------------------------------------------------------


def greeted(address: str) -> dict[bytes, bytes]:
    roles.require(SECRET, 8501, dict)
    request = Request(address).done()
    assert request.answer[0]["status"] == 303
    assert all(
        name.isascii() and value.isascii() and b"\n" not in value + name for name, value in request.answer[0]["headers"]
    )
    return request.headers


def test_a_secret_may_have_any_characters_that_can_be_printed() -> None:
    cookie = greeted(f"/?teacher={quote(SECRET)}")[b"set-cookie"].decode().partition(";")[0]
    name, _, value = cookie.partition("=")
    assert name == roles.cookie()
    roles.require(SECRET, 8501, lambda: {name: value})
    assert roles.is_teacher()
    assert roles.secret_for("0.0.0.0", {roles.VARIABLE: SECRET}) == SECRET


@pytest.mark.parametrize("secret", ["a-secret-of-a-course\n", "a-secret-of-a-course\x00", "a-secret-of-\udcff-course"])
def test_others_are_refused_at_the_start(secret: str) -> None:
    with pytest.raises(roles.WeakSecret):
        roles.secret_for("0.0.0.0", {roles.VARIABLE: secret})


@pytest.mark.parametrize(
    "path", ["/\r\nX: y", "/a/\r\nSet-Cookie: a=b", "/ä€", "/秘", "//evil.example", "/\\evil.example", "/a?b#c"]
)
def test_no_path_breaks_the_answer_or_leads_elsewhere(path: str) -> None:
    roles.require(SECRET, 8501, dict)
    request = Request()
    request._scope.update(path=path, query_string=f"teacher={quote(SECRET)}".encode())
    place = request.done().headers[b"location"]
    assert request.answer[0]["status"] == 303
    assert place.startswith(b"./")
    assert not set(place) & set(b"\r\n\\?# ")


TEACHERS = "秘密 of this; course"


class Internet(Thread):
    """A proxy that never answers, in place of the internet; ``asked``: the connections to it."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.asked: list[socket.socket] = []
        self.start()

    def run(self) -> None:
        while True:
            self.asked.append(self._socket.accept()[0])


class Server(NamedTuple):
    """A running app for a class."""

    address: str
    process: int
    log: Path
    internet: Internet

    @property
    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.process}/task").iterdir()))

    def raw(self, sent: bytes) -> bytes:
        """What the server answers to these very bytes."""
        place = urlsplit(self.address)
        with socket.create_connection((place.hostname or "", place.port or 0), timeout=60) as connection:
            connection.sendall(sent)
            return b"".join(iter(lambda: connection.recv(65536), b""))

    def page(self, *sent: bytes | str) -> None:
        """A visitor sends these messages, opens the library, and leaves once it is there."""
        coroutines.run(self._page(sent))

    async def _page(self, sent: tuple[bytes | str, ...]) -> None:
        address = f"{self.address.replace('http', 'ws', 1)}/_stcore/stream"
        options: dict[str, Any] = {"subprotocols": ["streamlit"], "max_size": None, "proxy": None}
        async with websockets.connect(address, origin=self.address, **options) as opened:  # type: ignore[arg-type]
            for message in sent:
                await opened.send(message)
            opens = BackMsg()
            opens.rerun_script.page_name = "library"
            await opened.send(opens.SerializeToString())
            heard = ForwardMsg()
            while heard.WhichOneof("type") != "script_finished":
                heard.ParseFromString(await asyncio.wait_for(opened.recv(decode=False), 60))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    internet, log = Internet(), tmp_path_factory.mktemp("server") / "log.txt"
    proxies = {f"{scheme}_proxy": internet.address for scheme in ("http", "https")}
    folder = tmp_path_factory.mktemp("scenarios")
    with serving_folder(str(folder), log, TIDEMARK_SECRET=TEACHERS, no_proxy="", **proxies) as (address, process):
        yield Server(address, process, log, internet)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:9999"])
def test_a_page_of_another_server_is_refused_and_nobody_on_the_internet_is_asked(server: Server, origin: str) -> None:
    place = urlsplit(server.address).netloc
    opens = (
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
        + "A" * 22
        + "=="
    )
    from_there = f" HTTP/1.1\r\nHost: {place}\r\nOrigin: {origin}\r\n"
    assert server.raw(f"GET /_stcore/stream{from_there}{opens}\r\n\r\n".encode()).startswith(b"HTTP/1.1 403 ")
    answer = server.raw(f"GET /_stcore/health{from_there}Connection: close\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"access-control" not in answer.lower()
    assert server.internet.asked == []


def test_a_visitor_empties_no_cache_and_leaves_no_thread(server: Server) -> None:
    for _ in range(3):  # what the first pages start stays
        server.page()
    before = server.threads
    sent = [BackMsg(clear_cache=True), BackMsg(load_git_info=True), BackMsg(set_run_on_save=True)]
    for _ in range(12):
        server.page(*(each.SerializeToString() for each in sent), "text", b"\xff\xff")
    assert server.threads < before + 12


OPENS = quote(TEACHERS)
HOSTILE = [
    f"GET /%0d%0aX:y?teacher={OPENS} HTTP/1.1", "GET /%0d%0aX:y?teacher=wrong HTTP/1.1",
    f"GET /%E7%A7%98?teacher={OPENS} HTTP/1.1", f"GET //evil.example/..?teacher={OPENS} HTTP/1.1",
    "GET /?teacher=%ff%fe HTTP/1.1", "GET /?teacher=%ed%a0%80 HTTP/1.1", "GET /?teacher HTTP/1.1",
    "GET /%00?teacher=x HTTP/1.1", "GET /author/%0d%0a HTTP/1.1", "GET /%ff%fe HTTP/1.1", "GET /?scenario=%00 HTTP/1.1",
    "GET /?s=%ff&lang=%0d%0a HTTP/1.1", "GET /tidemark/lesson.zip?lesson=%0d%0aX:y&lang=%ff HTTP/1.1",
    "GET /tidemark/lesson.html?lesson=%ed%a0%80 HTTP/1.1", "GET /inventory/class?a=%0d%0a HTTP/1.1",
    "HEAD /?teacher=x HTTP/1.1", "BREW /?teacher=x HTTP/1.1", "GET * HTTP/1.1", "GET /media/%0d%0a HTTP/1.1",
    "GET /?" + "a=b&" * 10_000 + " HTTP/1.1", "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1", "GET /\xff HTTP/1.1",
    "GET /?\xff HTTP/1.1", "POST /_stcore/upload_file/a/b HTTP/1.1", "OPTIONS * HTTP/1.1", "nonsense",
    "GET /%c0%ae%c0%ae/ HTTP/1.1", "GET http://evil.example/?teacher=x HTTP/1.1",
]  # fmt: skip
HEADERS_OF_OTHERS = [
    "Host: ", "Host: [", "Host: a b", "Host: \xff", "Host: 127.0.0.1\r\nHost: evil.example", "Cookie: \xff=\xff; =;;;",
    "Cookie: tidemark_place=\xff; tidemark_language=%0d%0a", "Origin: \xff", "Accept-Language: \xff;q=x,,;;", "Origin: http://[",
    "Accept-Language: " + "a," * 5_000, "X-Forwarded-For: \xff, ::, 1.2.3.4:99999",
]  # fmt: skip


def test_no_address_and_no_header_is_answered_with_a_traceback(server: Server) -> None:
    for line in HOSTILE:
        answer = server.raw(f"{line}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode("latin-1"))
        assert re.match(rb"HTTP/1\.1 [234]\d\d ", answer), (line[:80], answer[:80])
        assert b"\r\nX:" not in answer.partition(b"\r\n\r\n")[0], line[:80]
    for path in ("/", "/?scenario=two-clocks", "/author", "/_stcore/stream"):
        for header in HEADERS_OF_OTHERS:
            sent = f"GET {path} HTTP/1.1\r\n{header}\r\nConnection: close\r\n"
            answer = server.raw(f"{sent}{'' if 'Host' in header else 'Host: 127.0.0.1'}\r\n\r\n".encode("latin-1"))
            assert re.match(rb"HTTP/1\.1 [234]\d\d ", answer), (path, header[:80], answer[:80])
    said = server.log.read_text(encoding="utf-8")
    assert "Traceback" not in said, said[-3000:]


# What must last lies in no cache of Streamlit's, which one message of any browser could empty.

ROOT = Path(__file__).resolve().parents[2]
CACHES = ("cache_resource", "cache_data", "experimental_singleton", "experimental_memo")


def cached_by_streamlit(source: str) -> list[int]:
    """The lines that name a cache of Streamlit's."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.Attribute) and node.attr in CACHES)
        or (isinstance(node, ast.ImportFrom) and any(each.name in CACHES for each in node.names))
    ]


def test_the_app_keeps_nothing_in_a_cache_of_streamlits() -> None:
    sources = read(ROOT, "app.py", "ui/**/*.py", "spark_bridge/**/*.py", "simulator/**/*.py")
    assert {path: lines for path, source in sources.items() if (lines := cached_by_streamlit(source))} == {}
    assert cached_by_streamlit("import streamlit as st\n@st.cache_data(ttl=3)\ndef f(): pass") == [2]
    assert cached_by_streamlit("from streamlit import cache_resource") == [1]


def test_a_check_stays_and_no_thread_is_left_when_the_caches_are_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "FOLDER", tmp_path)
    done = threading.Event()
    task = Task()

    def lasting() -> list[Any]:
        return [background.queue(), of_spark.jobs(), visits._visits(), leaving._leaving()]

    lasts = lasting()
    background.queue().start(task, done.wait)
    visit = visits._visits().join(None, "a page", lambda _: None)
    threads = threading.active_count()
    for _ in range(20):
        st.cache_data.clear()
        st.cache_resource.clear()
        assert all(now is before for now, before in zip(lasting(), lasts, strict=True))
    assert threading.active_count() == threads
    assert visits._visits().join(visit.number, "a page", lambda _: None) is visit
    assert task.running
    done.set()


@pytest.mark.parametrize(("proxies", "client"), [("", "127.0.0.1"), ("127.0.0.1", "10.9.8.7")])
def test_only_a_proxy_that_was_named_is_believed_whom_it_speaks_for(
    monkeypatch: pytest.MonkeyPatch, proxies: str, client: str
) -> None:
    """The app as uvicorn loads it, by its name."""
    monkeypatch.setattr(uvicorn.config, "ProxyHeadersMiddleware", uvicorn.config.ProxyHeadersMiddleware)
    monkeypatch.setenv(admission.PROXIES, proxies) if proxies else monkeypatch.delenv(admission.PROXIES, raising=False)
    seen: list[Any] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["client"][0])

    loaded = uvicorn.Config(app)
    admission.believe_named_proxies()
    loaded.load()
    scope = {"type": "http", "client": ("127.0.0.1", 5), "headers": [(b"x-forwarded-for", b"10.9.8.7")]}
    coroutines.run(loaded.loaded_app(scope, None, None))  # type: ignore[arg-type, operator]
    assert seen == [client]


def test_the_server_calls_it_before_it_starts() -> None:
    as_a_server = (ROOT / "app.py").read_text(encoding="utf-8").partition("\nelse:\n")[2]
    assert as_a_server.split()[0] == "believe_named_proxies()"
