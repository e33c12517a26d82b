"""What a look at pictures found: how much was looked at, and each thing that lies on another."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class View(NamedTuple):
    """A window in which the picture is looked at, in px; ``embedded``: as in a frame in a course page."""

    wide: int
    high: int
    embedded: bool = False

    def __str__(self) -> str:
        return f"{self.wide}x{self.high}"


class Fault(NamedTuple):
    """Two things that lie on each other, or a text that is cut off, with where it was seen.

    ``step``: in a comparison the place of the cursor. ``aspect``: what was open then; "" for nothing.
    """

    scenario: str
    step: int
    view: View
    language: str
    aspect: str
    kind: str
    px: float
    text: str
    other: str

    def __str__(self) -> str:
        opened = f" with {self.aspect}" if self.aspect else ""
        where = f"{self.scenario} step {self.step} at {self.view} {self.language}{opened}"
        return f"{where}: {self.kind} by {self.px:.1f} px, {self.text!r} {self.other!r}".rstrip(" '")


@dataclass
class Found:
    """What a walk found: how many moments, texts and pairs were looked at, and what was wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)

    def __iadd__(self, other: "Found") -> "Found":
        self.counts += other.counts
        self.faults += other.faults
        return self

    def __str__(self) -> str:
        kinds = Counter(fault.kind for fault in self.faults)
        moments = len({fault[:5] for fault in self.faults})
        counts = ", ".join(f"{self.counts[name]:,} {name}" for name in ("moments", "texts", "pairs"))
        wrong = ", ".join(f"{number:,} {kind}" for kind, number in sorted(kinds.items()))
        return f"{counts}; wrong in {moments:,} moments: {wrong or 'nothing'}"


def found_in(seen: Mapping[str, Any], name: str, view: View, language: str) -> Found:
    """What ``look.js`` saw in one moment of the scenario (or comparison) called ``name``."""
    faults = [
        Fault(name, seen["step"], view, language, seen["aspect"], each["kind"], each["px"], each["a"], each["b"])
        for each in seen["faults"]
    ]
    return Found(Counter(moments=1, texts=seen["texts"], pairs=seen["pairs"]), faults)


def worst(faults: Sequence[Fault], most: int = 20) -> Iterator[str]:
    """The worst moments, each with its number of faults and the deepest of them."""
    moments: dict[tuple[Any, ...], list[Fault]] = {}
    for fault in faults:
        moments.setdefault(fault[:5], []).append(fault)
    for own in sorted(moments.values(), key=len, reverse=True)[:most]:
        yield f"{len(own)}: {max(own, key=lambda fault: fault.px)}"
