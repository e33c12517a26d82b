"""What a cut is made around: ``dropped``, ``record:N``, ``window:KEY@TS`` or ``finding:CODE``."""

from dataclasses import dataclass
from typing import Any

from simulator.values.duration import InstantError, parse_instant
from simulator.values.errors import shown_in_message
from simulator.values.time import MAX, MIN
from simulator.words import listed, words
from spark_bridge.profile.findings.finding import CODES


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
    """What a finding of the profile is about; ``code`` as the profile calls it."""

    code: str


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
        case "finding" if rest in CODES:
            return FindingOf(rest)
        case "finding":
            raise CutFails("no_code", asked=shown_in_message(rest), codes=listed(CODES))
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
