"""A class on one server: visitors who open scenarios, switch between them and download data, as browsers do.

Each visitor is a separate session that speaks Streamlit's protocol. It rests between two requests, like somebody who
steps through a run, which needs no server. A response is complete when the server reports the end of its script run.
"""

import asyncio
import json
import random
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Mapping
from statistics import median, quantiles
from typing import Any, Final

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from benchmarks.app import processor_s, resident_mb, serving

SCENARIOS: Final = {"short": 12, "longer": 40, "hundred": 100, "three-hundred": 300}
"""The scenarios of the server, with their numbers of records; about eight micro-steps per record."""

ARRIVE_S: Final = 10.0
"""The visitors arrive within this many seconds."""

REST_S: Final = (2.0, 8.0)
"""The shortest and longest rest (s) of a visitor between a response and the next request."""

PROTOCOL: Final = Subprotocol("streamlit")
WAYS: Final = {"another scenario": 5, "a link": 2, "library": 2, "data": 2}
"""What visitors ask for, with relative frequencies."""

MOST_S: Final = 60.0
EVENTS: Final = "$$STREAMLIT_INTERNAL_KEY_{id}__events"


class Visitor:
    """One session. ``took`` collects the seconds of every response by kind of request."""

    def __init__(self, number: int, address: str, took: dict[str, list[float]]) -> None:
        self.address, self.took = address, took
        self.chance = random.Random(number)
        self.socket: ClientConnection
        self.parts: dict[str, str] = {}
        self.fragment = ""
        self.page = ""
        self.query = ""
        self.page_hash = ""

    async def visit(self, until: float) -> None:
        """Arrive, then send requests until the clock shows ``until``."""
        await asyncio.sleep(self.chance.uniform(0, ARRIVE_S))
        await self.read("/")
        stream = self.address.replace("http", "ws", 1) + "/_stcore/stream"
        async with connect(stream, subprotocols=[PROTOCOL], max_size=None) as self.socket:
            await self._timed("first opening", self._run(self._link()))
            while time.monotonic() < until:
                await asyncio.sleep(self.chance.uniform(*REST_S))
                way = self.chance.choices(list(WAYS), list(WAYS.values()))[0]
                if self.page == "library" or way == "a link":
                    await self._timed("a link", self._run(self._link()))
                elif way == "library":
                    await self._timed(way, self._run("", page="library"))
                elif way == "another scenario":
                    await self._timed(way, self._trigger("player", "open", self._some()))
                else:
                    question = {"kind": "data", "what": "rows", "form": "csv", "number": self.chance.random()}
                    await self._timed(way, self._trigger("desk", "ask", question, self.fragment))

    def _some(self) -> str:
        return self.chance.choice(list(SCENARIOS))

    def _link(self) -> str:
        return f"scenario={self._some()}&step={self.chance.randrange(50)}"

    async def read(self, path: str) -> None:
        """Fetch a page as it is before Streamlit has started: it can be read then."""
        await self._timed("page", asyncio.to_thread(self._fetch, path))

    def _fetch(self, path: str) -> None:
        with urllib.request.urlopen(self.address + path, timeout=MOST_S) as answer:
            answer.read()

    async def _timed(self, what: str, work: Any) -> None:
        begin = time.perf_counter()
        await asyncio.wait_for(work, MOST_S)
        self.took[what].append(time.perf_counter() - begin)

    async def _run(self, query: str, page: str = "") -> None:
        self.page = page
        self.query = query
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_name = page
        await self._answered(message)

    async def _trigger(self, component: str, event: str, value: Any, fragment: str = "") -> None:
        message = BackMsg()
        message.rerun_script.fragment_id = fragment
        message.rerun_script.query_string = self.query
        message.rerun_script.page_script_hash = self.page_hash
        state = message.rerun_script.widget_states.widgets.add()
        if component not in self.parts:
            raise SystemExit(f"the page that was opened has no {component}: see what the app says in a browser")
        state.id = EVENTS.format(id=self.parts[component])
        state.json_trigger_value = json.dumps([{"event": event, "value": value}])
        await self._answered(message)

    def heard(self, name: str, component: BidiComponent) -> None:
        """Called with every new component; subclasses read its contents."""

    async def _answered(self, message: BackMsg) -> None:
        """Send a request and read until its run has ended; the next request needs the names that it brings."""
        await self.socket.send(message.SerializeToString())
        while True:
            said = ForwardMsg.FromString(await self.socket.recv(decode=False))
            kind = said.WhichOneof("type")
            if kind == "script_finished":
                # A rerun starts at once if the page asked for one; then the end of the rerun counts.
                if said.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    return
            elif kind == "navigation":
                self.page_hash = said.navigation.page_script_hash
            elif kind == "delta" and said.delta.new_element.WhichOneof("type") == "exception":
                raise SystemExit(f"the app failed: {said.delta.new_element.exception.message}")
            elif kind == "delta" and said.delta.new_element.WhichOneof("type") == "bidi_component":
                component = said.delta.new_element.bidi_component
                name = component.component_name.removeprefix("tidemark_").rpartition(".")[2]
                self.parts[name] = component.id
                self.heard(name, component)
                if said.delta.fragment_id:
                    self.fragment = said.delta.fragment_id


def measure(visitors: int = 30, seconds: float = 60.0) -> Iterator[Mapping[str, Any]]:
    """A result for each kind of request, one for all of them, and one for the resources of a session."""
    with serving(SCENARIOS) as (address, process):
        # A server is in its steady state once it has answered every kind of request.
        asyncio.run(_class(address, 2, 3.0))
        memory, begin = resident_mb(process), processor_s(process)
        took = asyncio.run(_class(address, visitors, seconds))
        used, grown = processor_s(process) - begin, resident_mb(process) - memory
    for what, times in took.items():
        yield {"asked": what, **summary(times)}
    every = [each for times in took.values() for each in times]
    yield {"asked": "all", **summary(every)}
    yield {
        "sessions": visitors,
        "server_mb": round(memory + grown),
        "mb_per_session": round(grown / visitors, 2),
        "processor_ms_per_answer": round(used * 1000 / len(every), 1),
    }


async def _class(address: str, visitors: int, seconds: float) -> dict[str, list[float]]:
    took: dict[str, list[float]] = defaultdict(list)
    until = time.monotonic() + ARRIVE_S + seconds
    await asyncio.gather(*(Visitor(number, address, took).visit(until) for number in range(visitors)))
    return took


def summary(times: list[float]) -> dict[str, Any]:
    """The number of responses, and how long they took (ms)."""
    late = quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return {
        "answers": len(times),
        "median_ms": round(median(times) * 1000),
        "p95_ms": round(late * 1000),
        "longest_ms": round(max(times) * 1000),
    }
