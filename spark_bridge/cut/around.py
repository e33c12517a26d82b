"""What a cut is made around: ``dropped``, ``record:N``, ``window:KEY@TS``, ``finding:CODE`` or ``finding:CODE:N``."""

from dataclasses import dataclass
from typing import Any

from tidemark.simulator.engine.values.duration import InstantError, parse_instant
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.words import listed, words
from tidemark.spark_bridge.profile.findings.finding import CODES


class CutFails(ValueError):
    """There is no such cut. The message says why, and what to try instead."""

    def __init__(self, kind: str, **fields: Any) -> None:
        super().__init__(words(f"own_cut.fails.{kind}", **fields))
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Dropped:
    """The first record that is dropped."""


@dataclass(frozen=True, slots=True)
class RecordOf:
    """The record of that number, from 0."""

    number: int


@dataclass(frozen=True, slots=True)
class WindowOf:
    """The window of ``key`` that holds ``ts`` (ms)."""

    key: str
    ts: int


@dataclass(frozen=True, slots=True)
class FindingOf:
    """What a finding of the profile is about: the ``nth`` (from 1) of those that the profile calls ``code``."""

    code: str
    nth: int = 1


Around = Dropped | RecordOf | WindowOf | FindingOf


def around_of(text: str) -> Around:
    """What ``text`` asks for. Raises ``CutFails`` for anything else."""
    kind, _, rest = text.partition(":")
    match kind:
        case "dropped" if not rest:
            return Dropped()
        case "record" if rest.isascii() and rest.isdigit() and len(rest) < 19:
            return RecordOf(int(rest))
        case "window" if "@" in rest:
            key, _, time = rest.rpartition("@")
            if (ts := _time(time)) is not None:
                return WindowOf(key, ts)
        case "finding":
            code, colon, nth = rest.partition(":")
            if code not in CODES:
                raise CutFails("no_code", asked=shown_in_message(code), codes=listed(CODES))
            if not colon:
                return FindingOf(code)
            if nth.isascii() and nth.isdigit() and len(nth) < 10 and int(nth):
                return FindingOf(code, int(nth))
        case _:
            pass
    raise CutFails("around", asked=shown_in_message(text))


def _time(text: str) -> int | None:
    """Epoch ms, or an instant with its zone."""
    try:
        instant = parse_instant(text)
    except InstantError:
        return None
    if instant is not None:
        return instant
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) < 20 and MIN <= int(text) <= MAX:
        return int(text)
    return None
