"""Pages of other servers, and what a browser may say to Streamlit: refused before Streamlit sees it."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.web.server import server_util
from tidemark.ui.pages.opening.admission import FRAMED, HEADERS, OPERATIONS, USED, Admission, admit
from tidemark.ui.pages.opening.server import FOR_STUDENTS, PACKAGE
from tidemark.ui.server import roles

from tests import coroutines

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
