"""What visitors may send to a running server, without a browser: nobody else notices, and its log has no traceback."""

import asyncio
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import pytest
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.app import serving_folder
from tests import coroutines

SECRET = "秘密 of this; course"


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
    with serving_folder(str(folder), log, TIDEMARK_SECRET=SECRET, no_proxy="", **proxies) as (address, process):
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


OPENS = quote(SECRET)
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
