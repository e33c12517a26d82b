"""Walks through the steps of scenarios, and through comparisons of two runs, and looks at what lies on what."""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.proof.spark_twin import NoTwin
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.words import DEFAULT_LANGUAGE, LANGUAGES, speaking
from tidemark.ui.author.tryout import tryout
from tidemark.ui.compare.choice import Choice, configured
from tidemark.ui.compare.contents import NotSaid, contents
from tidemark.ui.compare.desk import telling
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.packing import QUICK, pack

from tests.browser.opening import visit
from tests.browser.pictures.alone import ADDRESS, compare_page, player_page
from tests.browser.pictures.found import Found, View, found_in

MOST = 5
"""At most so many firings, and so many late records, of a scenario are looked at in the usual run."""

MOST_OPENED = 2
"""At most so many Why cards, and so many questions, are opened in a scenario."""

LATE = frozenset({"late", "dropped", "side"})

FRAMES = "async () => { for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame); }"
MOUNT = "([packed, embedded]) => tidemarkMount(packed, embedded)"
TRY_OUT = "([packed, said]) => tidemarkTryOut(packed, said)"
LOOK = """async (moments) => {
  const found = [];
  for (const [step, aspect] of moments) found.push(await tidemarkAt(step, aspect));
  return found;
}"""

VIEWS = (View(1440, 900), View(1280, 720), View(390, 844), View(800, 500, embedded=True))

PAGES = VIEWS[:3]
"""The sizes of a page of its own: a comparison is in no course page."""

TRANSLATED = VIEWS[1:3]
"""Where the usual run looks at the other languages: their texts differ in length, and nothing else does."""

EVERY = 3
"""A look in turns tries out every so many scenarios, and sees as many others in the other languages."""

Moment = tuple[int, str]
"""A step, and what is opened there."""


class _Looker:
    """A page in which pictures are looked at. Close it with its browser."""

    def __init__(self, browser: Any, text: str, *, dark: bool = False) -> None:
        self.page = browser.new_context(color_scheme="dark" if dark else "light").new_page()
        self.errors: list[str] = []
        self.page.route("**/*", lambda route: route.fulfill(body=text, content_type="text/html"))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        visit(self.page, ADDRESS, "#player")

    def resize(self, view: View) -> None:
        self.page.set_viewport_size({"width": view.wide, "height": view.high})
        self.page.evaluate(FRAMES)

    def look(self, moments: Iterable[Moment], name: str, view: View, language: str) -> Found:
        found = Found()
        for seen in self.page.evaluate(LOOK, list(moments)):
            found += found_in(seen, name, view, language)
        return found


class Looker(_Looker):
    """A page with the player in it."""

    def __init__(self, browser: Any, *, dark: bool = False) -> None:
        super().__init__(browser, player_page(), dark=dark)

    def walk(
        self,
        scenario: Scenario,
        *,
        views: Sequence[View] | None = None,
        languages: Sequence[str] = LANGUAGES,
        every_step: bool = False,
        turn: int | None = None,
    ) -> Found:
        """The faults of a scenario: at the steps that matter, or at all of them.

        ``turn``: its number, for a quick look at many scenarios. Each is looked at in one window, which is another
        one for the next, and some in the other languages as well.
        """
        found = Found()
        for language in _spoken(languages, turn):
            with speaking(language):
                shown = payload(scenario, predict=every_step)
                wanted = every_step or (language == DEFAULT_LANGUAGE and (turn or 0) % EVERY == 0)
                tried = _tried(scenario, shown) if wanted else None
            body = packed(shown)
            moments = _moments(shown, every_step=every_step)
            embedded = None
            for view in _in_turn(views or _views(VIEWS, language, every_step=every_step), turn):
                self.resize(view)
                if view.embedded is not embedded:
                    self.page.evaluate(MOUNT, [body, view.embedded])
                    embedded = view.embedded
                found += self.look(moments, scenario.name, view, language)
            if tried is not None:
                found += self.try_out(body, tried, scenario.name, _in_turn(views or TRANSLATED, turn), language)
        return found

    def try_out(
        self,
        body: str,
        tried: tuple[Mapping[str, Any], bytes],
        name: str,
        views: Sequence[View],
        language: str,
    ) -> Found:
        """The faults of a try-out, with the ghost of the original."""
        found = Found()
        said, answer = tried
        self.page.evaluate(MOUNT, [body, False])
        self.page.evaluate(TRY_OUT, [base64.b64encode(answer).decode(), said])
        last = self.page.evaluate("tidemarkPlayer().last")
        moments = [(step, "") for step in _some(range(last + 1), MOST)]
        for view in views:
            if not view.embedded:
                self.resize(view)
                found += self.look(moments, f"{name}, tried out,", view, language)
        return found


class Comparer(_Looker):
    """A page with a comparison in it."""

    def __init__(self, browser: Any, *, dark: bool = False) -> None:
        super().__init__(browser, compare_page(), dark=dark)

    def walk(
        self,
        scenario: Scenario,
        *,
        views: Sequence[View] | None = None,
        languages: Sequence[str] = LANGUAGES,
        every_step: bool = False,
        turn: int | None = None,
    ) -> Found:
        """The faults of a scenario beside others: side by side, and laid over each other; ``turn`` as above."""
        found = Found()
        for language in _spoken(languages, turn):
            with speaking(language):
                shown = list(_comparisons(scenario, every_one=every_step))
            for name, contents_of in shown:
                self.page.evaluate(MOUNT, [packed(contents_of), False])
                places = range(len(contents_of["cursor"]))
                steps = list(places) if every_step else _some(places, MOST)
                planes = [side["plane"] for side in contents_of["sides"]]
                overlay = all(planes) and planes[0]["arrival_axis"] == planes[1]["arrival_axis"]
                aspects = ("", "overlay") if overlay else ("",)
                moments = [(step, aspect) for aspect in aspects for step in steps]
                for view in _in_turn(views or _views(PAGES, language, every_step=every_step), turn):
                    self.resize(view)
                    found += self.look(moments, f"{scenario.name}, {name},", view, language)
        return found


def packed(contents_of: Mapping[str, Any]) -> str:
    """What a page is mounted from, as text."""
    return base64.b64encode(pack({**contents_of, "badges": []}, level=QUICK)).decode()


def _views(views: Sequence[View], language: str, *, every_step: bool) -> Sequence[View]:
    return views if every_step or language == DEFAULT_LANGUAGE else TRANSLATED


def _in_turn(views: Sequence[View], turn: int | None) -> Sequence[View]:
    return views if turn is None else [views[turn % len(views)]]


def _spoken(languages: Sequence[str], turn: int | None) -> Sequence[str]:
    return languages if turn is None or turn % EVERY == 1 else [DEFAULT_LANGUAGE]


def _moments(shown: Mapping[str, Any], *, every_step: bool) -> list[Moment]:
    """Where to look, and what to open there."""
    late = sorted({mark["step"] for mark in shown["marks"] if mark["kind"] in LATE})
    beats = [beat["step"] for beat in shown["beats"]]
    asked = [beat["step"] for beat in (*shown["beats"], *shown["predictions"]) if beat["choices"]]
    steps = {*beats, *_some(shown["jumps"]["firing"], MOST), *_some(late, MOST), shown["steps"] - 1}
    seen = range(shown["steps"]) if every_step else sorted(steps)
    kept = sorted({row["from_step"] for row in shown["tables"].get("buffers", ())})
    opened = {
        "why": late if every_step else _some(late, MOST_OPENED),
        "buffered": kept if every_step else _some(kept, MOST),
        "question": asked if every_step else _some(asked, MOST_OPENED),
        "answer": asked if every_step else _some(asked, MOST_OPENED),
    }
    return [*((step, "") for step in seen), *((step, aspect) for aspect, steps in opened.items() for step in steps)]


def _some(steps: Sequence[int], most: int) -> list[int]:
    """At most so many of them, spread evenly, the first and the last included."""
    if len(steps) <= most:
        return list(steps)
    return [steps[index * (len(steps) - 1) // (most - 1)] for index in range(most)]


def _tried(scenario: Scenario, shown: Mapping[str, Any]) -> tuple[Mapping[str, Any], bytes] | None:
    """What the server answers when a record is moved to the time of the one before it; None where it cannot be."""
    records = [row for row in shown["tables"]["records"] if row["until_step"] is None and row["ts"] is not None]
    if len(records) < 2 or scenario.engine != "flink" or len(shown["parts"]) > 1:
        return None
    ts, item = records[len(records) // 2 - 1]["ts"], records[len(records) // 2]["item"]
    edit = {"kind": "place", "item": item, "ts": ts}
    said, body = tryout({"text": None, "edit": edit, "step": shown["steps"] - 1}, as_yaml(scenario), scenario, ())
    return None if "problem" in said else (said, body)


def _comparisons(scenario: Scenario, *, every_one: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a reader can compare with a scenario, each with a name: what the page opens with, or each belief as well."""
    if scenario.engine != "flink":
        return
    first = telling(Choice(scenario.name), scenario)
    beliefs = [each.name for each in BELIEFS if each.name != first.belief] if every_one else []
    for choice in (first, *(Choice(scenario.name, belief=name) for name in beliefs)):
        called = choice.belief or (
            f"{choice.spark} a batch" if choice.spark else f"{dict(choice.settings.get('b', {}))}"
        )
        other = configured(scenario, choice.settings.get("b", {}))
        with suppress(NotSaid, NoTwin):
            yield f"beside {called}", {**contents(choice, scenario, other, {}), "scenarios": [], "refused": []}
