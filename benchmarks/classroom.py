"""A class votes on one server: students who poll for the question and send answers, and their teacher.

Each is a separate session that speaks Streamlit's protocol, as browsers with ``ui/learning/classroom`` do.
"""

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from streamlit.proto.BidiComponent_pb2 import BidiComponent
from websockets.asyncio.client import connect

from benchmarks.app import processor_s, resident_mb, serving
from benchmarks.visitors import PROTOCOL, Visitor, summary

SCENARIOS: Final = {"asked": 40}
QUESTION_AT: Final = 9
"""The step of the question in the measured scenario (``benchmarks.app``)."""

LOOK_S: Final = (2.0, 3.0)
"""The shortest and longest pause (s) before a student's page polls again; ``ANSWERED_S`` after an answer."""

ANSWERED_S: Final = (4.0, 5.0)

COUNT_S: Final = 1.5
ARRIVE_S: Final = 5.0
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
            await asyncio.sleep(self.chance.uniform(0, ARRIVE_S))
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


def measure(students: int = 30, seconds: float = 60.0) -> Iterator[Mapping[str, Any]]:
    """A result for each kind of request, one for all of them, and one for the memory.

    A second server has a class of one at the same time: what is as slow there is due to the machine (``idle_p95_ms``).
    """
    took: dict[str, list[float]] = defaultdict(list)
    idle: dict[str, list[float]] = defaultdict(list)
    with serving(SCENARIOS) as (address, process), serving(SCENARIOS) as (quiet, _):
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
