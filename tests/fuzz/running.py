"""One damaged input at its door: within 2 s of processor time and 300 MB, read or refused, and nothing else."""

import json
import resource
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Final

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.ui.author.rows import EditRefused
from tidemark.ui.author.store import StoreError
from tidemark.ui.compare.desk import NothingToCompare
from tidemark.ui.library.lessons.desk import PlanError
from tidemark.ui.server.orders import NotDone
from tidemark.ui.share.lesson import LessonError
from tidemark.ui.share.links import LinkError

from tests.fuzz.damage import as_sent, damaged_bytes, damaged_structure, swapped_word

REFUSALS: Final = (
    ScenarioError, LinkError, EditRefused, StoreError, NothingToCompare, NotDone, PlanError, LessonError,
)  # fmt: skip
"""What a door may raise: each is shown to whoever sent the input, in words."""

OUT: Final = Path("build/fuzz")
"""Where failures are kept."""

LONGEST_S = 2.0
MOST_MEMORY: Final = 300 * 2**20


class TooSlow(BaseException):
    """The input took longer than ``LONGEST_S`` of processor time."""


@dataclass(frozen=True)
class Target:
    """A door. ``seeds``: sound inputs, bytes or structures; ``enter`` takes an input, returns False to refuse it."""

    name: str
    seeds: Callable[[], list[Any]]
    enter: Callable[[Any], object]


@dataclass(frozen=True)
class Failure:
    """What must not happen, and the input that made it happen."""

    target: str
    what: str
    given: Any
    details: str

    @property
    def sign(self) -> str:
        """Equal for failures with the same cause."""
        return f"{self.target}: {self.what}"


def damaged(seeds: list[Any], chance: Random) -> Any:
    """An input made from sound ones."""
    if isinstance(seeds[0], bytes):
        return (damaged_bytes if chance.random() < 0.5 else swapped_word)(seeds, chance)
    return as_sent(damaged_structure(seeds, chance))


def tried(target: Target, given: Any) -> bool | Failure:
    """Whether the door took the input (False: it refused), or what must not have happened."""
    try:
        with _limits():
            return target.enter(given) is not False
    except REFUSALS as refusal:
        text = str(refusal)
        if not text.strip():
            return Failure(target.name, "a refusal without a word", given, repr(refusal))
        return False
    except TooSlow:
        return Failure(target.name, "too slow", given, "")
    except MemoryError:
        return Failure(target.name, "too much memory", given, "")
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return Failure(target.name, f"{type(error).__name__} in {last.filename}:{last.lineno}", given, _text(error))


def keep(failure: Failure, number: int) -> None:
    """Write the input, which was the ``number``-th, and what happened."""
    OUT.mkdir(parents=True, exist_ok=True)
    given = failure.given
    name = f"{failure.target}-{number}"
    if isinstance(given, bytes):
        (OUT / f"{name}.input").write_bytes(given)
    else:
        (OUT / f"{name}.input").write_text(json.dumps(given, indent=1), encoding="utf-8")
    (OUT / f"{name}.txt").write_text(f"{failure.sign}\n\n{failure.details}", encoding="utf-8", errors="replace")
    print(f"FAILED: {failure.sign} ({OUT / name}.input)", flush=True)


def _text(error: Exception) -> str:
    return "".join(traceback.format_exception(error))[-4_000:]


@contextmanager
def _limits() -> Iterator[None]:
    """Within this the main thread may use so much time and memory more."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_size() + MOST_MEMORY, hard))
    signal.setitimer(signal.ITIMER_PROF, LONGEST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _size() -> int:
    """The address space of this process in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
