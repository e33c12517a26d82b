"""Animated GIFs as background jobs: one at a time, the others wait in line.

The browser draws the frames, because only there a picture looks as on the screen, and sends them as PNG in several
messages; Pillow joins them here, in a thread of its own. Nothing is written to disk; a finished animation is dropped
once it has been fetched, or after some minutes.
"""

import base64
import binascii
import io
import secrets
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import cache
from threading import Event, Lock
from typing import Any, Final

from PIL import Image
from tidemark.simulator.limits import (
    ANIMATION_FRAMES,
    ANIMATION_PX,
    ANIMATIONS_AT_ONCE,
    ANIMATIONS_OF_A_VISITOR,
    FRAME_BYTES,
)
from tidemark.simulator.words import words
from tidemark.ui.keeping import keeping
from tidemark.ui.roles import who
from tidemark.ui.share.palette import colours

SILENT_SECONDS: Final = 60
"""A browser that has not sent a frame for so long sends no more: it draws one in a fraction of a second."""

KEPT_SECONDS: Final = 300
PAUSES: Final = (100, 5_000)
"""The least and the greatest time (ms) that a frame is shown."""

LAST_PAUSE: Final = 2_500


class AnimationError(Exception):
    """An animation is refused; the message says why."""


class _Stopped(Exception):
    """The reader stopped the job."""


@dataclass
class Animation:
    """One job. ``done`` counts the frames joined so far."""

    id: str
    total: int
    pause: int
    whose: str
    touched: float
    frames: list[bytes] = field(default_factory=list)
    state: str = "receiving"
    done: int = 0
    result: bytes = b""
    problem: str = ""
    stop: Event = field(default_factory=Event)

    @property
    def kept_s(self) -> int:
        """After so many seconds without a message it makes room for others."""
        return SILENT_SECONDS if self.state == "receiving" else KEPT_SECONDS


class Animations:
    """The jobs of this server, shared by all sessions; only the session that started a job knows its id."""

    def __init__(self) -> None:
        self._jobs: dict[str, Animation] = {}
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="animation")
        self._lock = Lock()

    def answer(self, what: str, question: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Start a job, accept frames, report its progress, return the file, or stop it."""
        if what == "start":
            return self._told(self._start(question)), b""
        with self._lock:
            job = self._jobs.get(str(question.get("job")))
        if job is None:
            raise AnimationError(words("share.animation.gone"))
        job.touched = time.monotonic()
        match what:
            case "frames":
                self._take(job, question.get("frames"))
            case "stop":
                job.stop.set()
                self._forget(job)
            case "fetch" if job.state == "done":
                self._forget(job)
                return {**self._told(job), "type": "image/gif"}, job.result
        return self._told(job), b""

    def _told(self, job: Animation) -> dict[str, Any]:
        before = [each for each in list(self._jobs.values()) if each.state in ("waiting", "running")]
        place = next((number for number, each in enumerate(before) if each is job), 0)
        status = {"job": job.id, "state": job.state, "done": job.done, "total": job.total, "received": len(job.frames)}
        return {**status, "before": place, **({"problem": job.problem} if job.problem else {})}

    def _start(self, question: Mapping[str, Any]) -> Animation:
        total, pause = question.get("frames"), question.get("pause")
        if type(total) is not int or type(pause) is not int or not 1 < total <= ANIMATION_FRAMES:
            raise AnimationError(words("share.animation.too_many", most=ANIMATION_FRAMES))
        with self._lock:
            now = time.monotonic()
            for old in [each for each in self._jobs.values() if now - each.touched > each.kept_s]:
                old.stop.set()
                del self._jobs[old.id]
            whose = who()
            if len(self._jobs) >= ANIMATIONS_AT_ONCE or self._number_of(whose) >= ANIMATIONS_OF_A_VISITOR:
                raise AnimationError(words("share.animation.busy"))
            job = Animation(secrets.token_hex(12), total, min(max(pause, PAUSES[0]), PAUSES[1]), whose, now)
            self._jobs[job.id] = job
        return job

    def _number_of(self, whose: str) -> int:
        return sum(each.whose == whose for each in self._jobs.values())

    def _take(self, job: Animation, frames: Any) -> None:
        if job.state != "receiving" or not isinstance(frames, list) or len(job.frames) + len(frames) > job.total:
            raise AnimationError(words("share.animation.garbled"))
        for frame in frames:
            if not isinstance(frame, str) or len(frame) > FRAME_BYTES * 4 // 3 + 4:
                raise AnimationError(words("share.animation.too_large", limit=FRAME_BYTES // 1000))
            try:
                job.frames.append(base64.b64decode(frame, validate=True))
            except binascii.Error:
                raise AnimationError(words("share.animation.garbled")) from None
        if len(job.frames) == job.total:
            job.state = "waiting"
            self._pool.submit(copy_context().run, self._run, job)

    def _forget(self, job: Animation) -> None:
        with self._lock:
            self._jobs.pop(job.id, None)

    def _run(self, job: Animation) -> None:
        job.state = "running"
        try:
            job.result = joined(job)
            job.state = "done"
        except _Stopped:
            job.state = "stopped"
        except Exception:  # whatever Pillow raises for bytes that are not a picture is shown on the page
            job.state, job.problem = "failed", words("share.animation.garbled")
        job.frames = []


def joined(job: Animation) -> bytes:
    """The frames as one looping GIF; the last frame is shown longer."""
    first, palette = _picture(job.frames[0]), _palette()

    def rest() -> Iterator[Image.Image]:
        for frame in job.frames[1:]:
            if job.stop.is_set():
                raise _Stopped
            picture = _picture(frame)
            if picture.size != first.size:
                raise ValueError(picture.size)
            job.done += 1
            yield picture.quantize(palette=palette, dither=Image.Dither.NONE)

    out = io.BytesIO()
    pauses = [job.pause] * (job.total - 1) + [max(LAST_PAUSE, job.pause)]
    start = first.quantize(palette=palette, dither=Image.Dither.NONE)
    start.save(out, "GIF", save_all=True, append_images=rest(), duration=pauses, loop=0, disposal=1)
    job.done = job.total
    return out.getvalue()


@cache
def _palette() -> Image.Image:
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in colours() for part in colour])
    return palette


def _picture(data: bytes) -> Image.Image:
    """A PNG as RGB. Its size is checked before anything is decompressed."""
    picture = Image.open(io.BytesIO(data), formats=["PNG"])
    if max(picture.size) > ANIMATION_PX:
        raise ValueError(picture.size)
    return picture.convert("RGB")


@keeping()
def animations() -> Animations:
    """This server's animations."""
    return Animations()
