"""A class on one server: visitors who open scenarios, switch between them and download data; and a class that votes.

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
from dataclasses import dataclass, field
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


def measure_visitors(visitors: int = 30, seconds: float = 60.0) -> Iterator[Mapping[str, Any]]:
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


# A class that votes: students who poll for the question and send answers, and their teacher, as browsers with
# ``ui/learning/classroom`` do.

ASKED: Final = {"asked": 40}
QUESTION_AT: Final = 9
"""The step of the question in the measured scenario (``benchmarks.app``)."""

LOOK_S: Final = (2.0, 3.0)
"""The shortest and longest pause (s) before a student's page polls again; ``ANSWERED_S`` after an answer."""

ANSWERED_S: Final = (4.0, 5.0)

COUNT_S: Final = 1.5
STUDENTS_ARRIVE_S: Final = 5.0
LENGTH: Final = 4
"""The number of bytes at the start of a desk reply that hold the length of its head."""

ROUND_S: Final = 10.0
"""How long (s) each of the two votes on a question is open."""

READ_S: Final = 1.0
"""The pause (s) between two pages that are opened to see how soon they can be read."""

WARM_S: Final = 25.0
"""A server is in its steady state once it has answered every kind of request."""

GONE_S: Final = 60.0
"""How long (s) after the lesson it is looked at what is left of the memory."""


@dataclass
class Lesson:
    """What the whole class knows: the code of the room and the end of the lesson (on the monotonic clock)."""

    code: str = ""
    token: str = ""
    until: float = 0.0
    begun: asyncio.Event = field(default_factory=asyncio.Event)


class Student(Visitor):
    """A student, who answers once in each vote."""

    def __init__(self, number: int, address: str, took: dict[str, list[float]], lesson: Lesson) -> None:
        super().__init__(number, address, took)
        self.voter = f"student-{number:016}"
        self.lesson = lesson
        self.room: dict[str, Any] = {}
        self.turn = 0

    def heard(self, name: str, component: BidiComponent) -> None:
        """The voting page received the state of the room."""
        if name == "vote":
            self.room = json.loads(json.loads(component.json)["told"])

    async def attend(self) -> None:
        """Arrive, then poll and answer until the lesson ends."""
        stream = self.address.replace("http", "ws", 1) + "/_stcore/stream"
        async with connect(stream, subprotocols=[PROTOCOL], max_size=None) as self.socket:
            await asyncio.sleep(self.chance.uniform(0, STUDENTS_ARRIVE_S))
            await self._timed("vote page", self._run(f"room={self.lesson.code}", page="vote"))
            answered: tuple[int, int | None] = (0, 0)
            while time.monotonic() < self.lesson.until:
                vote = self.room.get("vote")
                now = (self.room.get("question", 0), vote)
                waits = vote is not None and now == answered
                await asyncio.sleep(self.chance.uniform(*(ANSWERED_S if waits else LOOK_S)))
                vote = self.room.get("vote")
                now = (self.room.get("question", 0), vote)
                if vote is not None and now != answered:
                    answered = now
                    await self._ask("answer", question=now[0], vote=vote, given=self.chance.randrange(3))
                else:
                    await self._ask("look")

    async def _ask(self, what: str, **more: int) -> None:
        self.turn += 1
        asked = {"number": self.turn, "code": self.lesson.code, "voter": self.voter, **more}
        await self._timed(what, self._trigger("vote", "ask", asked, self.fragment))


class Teacher(Visitor):
    """A teacher, who opens questions, counts while they are open, and shows the answers."""

    def __init__(self, address: str, took: dict[str, list[float]], lesson: Lesson) -> None:
        super().__init__(0, address, took)
        self.lesson = lesson
        self.said: dict[str, Any] = {}
        self.turn = 0

    def heard(self, name: str, component: BidiComponent) -> None:
        """The desk replied; its head is JSON."""
        if name == "desk" and len(component.bytes) > LENGTH:
            length = int.from_bytes(component.bytes[:LENGTH], "big")
            self.said = json.loads(component.bytes[LENGTH : LENGTH + length])

    async def teach(self, seconds: float) -> None:
        """Ask one question after another for ``seconds``."""
        stream = self.address.replace("http", "ws", 1) + "/_stcore/stream"
        async with connect(stream, subprotocols=[PROTOCOL], max_size=None) as self.socket:
            await self._run("scenario=asked&present=1")
            await self._ask("ask", step=QUESTION_AT)
            self.lesson.code, self.lesson.token = self.said["code"], self.said["token"]
            self.lesson.until = time.monotonic() + seconds
            self.lesson.begun.set()
            while time.monotonic() < self.lesson.until:
                for then in ("pause", "show"):
                    over = time.monotonic() + ROUND_S
                    while time.monotonic() < over:
                        await asyncio.sleep(COUNT_S)
                        await self._ask("count")
                    await self._ask(then)
                    if then == "pause":
                        await self._ask("again")
                await self._ask("ask", step=QUESTION_AT)

    async def _ask(self, kind: str, **more: int) -> None:
        self.turn += 1
        room = {"code": self.lesson.code, "token": self.lesson.token}
        question = {"kind": f"room-{kind}", "number": self.turn, **room, **more}
        await self._timed(f"teacher: {kind}", self._trigger("desk", "ask", question, self.fragment))


def measure_classroom(students: int = 30, seconds: float = 60.0) -> Iterator[Mapping[str, Any]]:
    """A result for each kind of request, one for all of them, and one for the memory.

    A second server has a class of one at the same time: what is as slow there is due to the machine (``idle_p95_ms``).
    """
    took: dict[str, list[float]] = defaultdict(list)
    idle: dict[str, list[float]] = defaultdict(list)
    with serving(ASKED) as (address, process), serving(ASKED) as (quiet, _):
        asyncio.run(_lessons([(address, 2, took), (quiet, 1, idle)], WARM_S))
        took.clear()
        idle.clear()
        memory, begin = resident_mb(process), processor_s(process)
        peak = asyncio.run(_lessons([(address, students, took), (quiet, 1, idle)], seconds, process))
        used = processor_s(process) - begin
        time.sleep(GONE_S)
        left = resident_mb(process)
    for what, times in took.items():
        beside = {"idle_p95_ms": summary(idle[what])["p95_ms"]} if what in idle else {}
        yield {"asked": what, **summary(times), **beside}
    every = [each for times in took.values() for each in times]
    yield {"asked": "all", **summary(every), "processor_ms_per_answer": round(used * 1000 / len(every), 1)}
    yield {
        "sessions": students + 1,
        "server_mb": round(memory),
        "mb_per_session": round((peak - memory) / (students + 1), 2),
        "mb_per_session_when_left": round((left - memory) / (students + 1), 2),
    }


async def _lessons(
    classes: list[tuple[str, int, dict[str, list[float]]]], seconds: float, process: int | None = None
) -> float:
    """Lessons at the same time, each as (server, students, what it took); returns the most memory of ``process``."""
    peak = 0.0
    lessons = asyncio.gather(*(_lesson(address, students, seconds, took) for address, students, took in classes))
    while not lessons.done():
        await asyncio.wait([lessons], timeout=1.0)
        peak = max(peak, resident_mb(process) if process is not None else 0.0)
    await lessons
    return peak


async def _lesson(address: str, students: int, seconds: float, took: dict[str, list[float]]) -> None:
    lesson = Lesson()

    async def student(number: int) -> None:
        await lesson.begun.wait()
        await Student(number, address, took, lesson).attend()

    async def reader() -> None:
        """Opens the page of a scenario again and again, as somebody who comes late does."""
        await lesson.begun.wait()
        visitor = Visitor(0, address, took)
        while time.monotonic() < lesson.until:
            await visitor.read("/?scenario=asked")
            await asyncio.sleep(READ_S)

    async with asyncio.TaskGroup() as class_:
        class_.create_task(Teacher(address, took, lesson).teach(seconds))
        class_.create_task(reader())
        for number in range(1, students + 1):
            class_.create_task(student(number))
