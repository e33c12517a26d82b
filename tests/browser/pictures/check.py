"""Walks through the steps of scenarios and counts what lies on what in the picture, at several sizes and languages."""

import base64
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from simulator.scenario.model import Scenario
from simulator.words import DEFAULT_LANGUAGE, LANGUAGES, speaking
from tests.browser.opening import visit
from tests.browser.pictures.alone import ADDRESS, page_text
from ui.payload.contents import payload
from ui.payload.packing import QUICK, pack

MOST = 7
"""At most so many firings, and so many late records, of a scenario are looked at in the usual run."""

MOST_WHY = 2
"""At most so many Why cards are opened in a scenario."""

LATE = frozenset({"late", "dropped", "side"})

FRAMES = "async () => { for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame); }"
MOUNT = "([packed, embedded]) => tidemarkMount(packed, embedded)"
LOOK = """async ([steps, whys]) => {
  const found = [];
  for (const step of steps) found.push(await tidemarkAt(step, false));
  for (const step of whys) found.push({ ...(await tidemarkAt(step, true)), why: true });
  return found;
}"""


class View(NamedTuple):
    """A window in which the picture is looked at, in px; ``embedded``: as in a frame in a course page."""

    wide: int
    high: int
    embedded: bool = False

    def __str__(self) -> str:
        return f"{self.wide}x{self.high}"


VIEWS = (View(1440, 900), View(1280, 720), View(390, 844), View(800, 500, embedded=True))

TRANSLATED = VIEWS[1:3]
"""Where the usual run looks at the other languages: their texts differ in length, and nothing else does."""


class Fault(NamedTuple):
    """Two things that lie on each other, or a text that is cut off, with where it was seen."""

    scenario: str
    step: int
    view: View
    language: str
    why: bool
    kind: str
    px: float
    text: str
    other: str

    def __str__(self) -> str:
        card = " with the Why card" if self.why else ""
        where = f"{self.scenario} step {self.step} at {self.view} {self.language}{card}"
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


class Looker:
    """A page with the player in it. Close it with its browser."""

    def __init__(self, browser: Any, *, dark: bool = False) -> None:
        self.page = browser.new_context(color_scheme="dark" if dark else "light").new_page()
        self.errors: list[str] = []
        text = page_text()
        self.page.route("**/*", lambda route: route.fulfill(body=text, content_type="text/html"))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        visit(self.page, ADDRESS, "#player")

    def walk(
        self,
        scenario: Scenario,
        *,
        views: Sequence[View] | None = None,
        languages: Sequence[str] = LANGUAGES,
        every_step: bool = False,
    ) -> Found:
        """The faults of a scenario: at the steps that matter, or at all of them."""
        found = Found()
        for language in languages:
            with speaking(language):
                contents = payload(scenario)
            packed = base64.b64encode(pack({**contents, "badges": []}, level=QUICK)).decode()
            steps, whys = _moments(contents)
            if every_step:
                steps = list(range(contents["steps"]))
            embedded = None
            usual = VIEWS if every_step or language == DEFAULT_LANGUAGE else TRANSLATED
            for view in views or usual:
                self.page.set_viewport_size({"width": view.wide, "height": view.high})
                if view.embedded is not embedded:
                    self.page.evaluate(MOUNT, [packed, view.embedded])
                    embedded = view.embedded
                self.page.evaluate(FRAMES)
                for seen in self.page.evaluate(LOOK, [steps, whys]):
                    found += _found(seen, scenario.name, view, language)
        return found


def _moments(contents: dict[str, Any]) -> tuple[list[int], list[int]]:
    """The steps to look at, and those of them at which the Why card is opened as well."""
    late = sorted({mark["step"] for mark in contents["marks"] if mark["kind"] in LATE})
    beats = [beat["step"] for beat in contents["beats"]]
    steps = {*beats, *_some(contents["jumps"]["firing"], MOST), *_some(late, MOST), contents["steps"] - 1}
    return sorted(steps), _some(late, MOST_WHY)


def _some(steps: Sequence[int], most: int) -> list[int]:
    """At most so many of them, spread evenly, the first and the last included."""
    if len(steps) <= most:
        return list(steps)
    return [steps[index * (len(steps) - 1) // (most - 1)] for index in range(most)]


def _found(seen: dict[str, Any], name: str, view: View, language: str) -> Found:
    why = bool(seen.get("why"))
    faults = [
        Fault(name, seen["step"], view, language, why, fault["kind"], fault["px"], fault["a"], fault["b"])
        for fault in seen["faults"]
    ]
    return Found(Counter(moments=1, texts=seen["texts"], pairs=seen["pairs"]), faults)


def worst(faults: Sequence[Fault], most: int = 20) -> Iterator[str]:
    """The worst moments, each with its number of faults and the deepest of them."""
    moments: dict[tuple[Any, ...], list[Fault]] = {}
    for fault in faults:
        moments.setdefault(fault[:5], []).append(fault)
    for own in sorted(moments.values(), key=len, reverse=True)[:most]:
        yield f"{len(own)}: {max(own, key=lambda fault: fault.px)}"
