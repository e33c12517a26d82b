"""A class on one server: visitors that open scenarios, change between them and take data away, as browsers ask for it.

Each visitor is a session of its own that speaks Streamlit's protocol. Between two questions it rests, as somebody who
steps through a run: steps ask the server nothing. An answer is complete when the server says that its run has ended.
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
"""Names and records of the scenarios that the server has; about eight micro-steps a record."""

ARRIVE_S: Final = 10.0
"""The visitors arrive within so many seconds."""

REST_S: Final = (2.0, 8.0)
"""A visitor rests so long between an answer and the next question, least and most."""

PROTOCOL: Final = Subprotocol("streamlit")
WAYS: Final = {"another scenario": 5, "a link": 2, "library": 2, "data": 2}
"""What visitors ask for, and how often one of these comes."""

MOST_S: Final = 60.0
EVENTS: Final = "$$STREAMLIT_INTERNAL_KEY_{id}__events"


class Visitor:
    """One session. ``took`` gets the seconds of every answer by what was asked."""

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
        """Arrive, and ask now and then until the clock shows ``until``."""
        await asyncio.sleep(self.chance.uniform(0, ARRIVE_S))
        await self._timed("page", asyncio.to_thread(self._fetch, "/"))
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
        """A component came with new contents; who reads them says so."""

    async def _answered(self, message: BackMsg) -> None:
        """Send, and read until the run has ended; what is asked next needs the names that come with it."""
        await self.socket.send(message.SerializeToString())
        while True:
            said = ForwardMsg.FromString(await self.socket.recv(decode=False))
            kind = said.WhichOneof("type")
            if kind == "script_finished":
                # Another run begins at once where this one was told to; its own end counts.
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
    """A result for each kind of question, one for all of them, and one for what a session takes."""
    with serving(SCENARIOS) as (address, process):
        # A server that has answered everything once is one of the second minute.
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
    """How many answers there were, and how long they took (ms)."""
    late = quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return {
        "answers": len(times),
        "median_ms": round(median(times) * 1000),
        "p95_ms": round(late * 1000),
        "longest_ms": round(max(times) * 1000),
    }
