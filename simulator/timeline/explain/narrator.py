"""The narrator: which sentences describe a micro-step, and the raw fields that fill them.

Theory of operation. A step becomes a *story*: the name of what happened, the name of why, and fields. Names are those
of the catalogue (``explain.LEVEL.what.NAME``, ``explain.LEVEL.why.NAME``, ``explain.LEVEL.rule.NAME``); fields are
numbers, keys, values and windows, never words (``fields.py`` says what each is). So a step is the same at every level
and in every language, and is put into words at the very end: ``simulator/timeline/wording.py`` here, ``telling.ts`` in
the browser.

The steps must come in order, each after its own facts: a story looks at what is true now (is the window still there?)
and at what came before it in the same item (which rule made the trigger fire?). ``Teller`` remembers the latter.
"""

from collections.abc import Mapping
from string import Formatter
from typing import Any, NamedTuple

from tidemark.simulator.engine.trace.events import Rule
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.timeline.code.walk import LIVE, Counts, Going
from tidemark.simulator.timeline.explain import batches, state, windows
from tidemark.simulator.timeline.explain.fields import DERIVED, MISSING, of_event, value_at
from tidemark.simulator.timeline.explain.story import Raw, Stories, Story, Teller, fields_of, predicate, rule_name
from tidemark.simulator.words import DEFAULT_LANGUAGE, section

NOVICE = "novice"
"""The level of the sentences: for somebody who sees this for the first time."""

LEVELS = (NOVICE, "practitioner", "source")
"""All of them: for newcomers, for those who work with Flink, and with Flink's classes and methods named."""


class Narration(NamedTuple):
    """``story`` and ``reason`` name the two sentences (``what.dropped``, ``rule.window_late``); ``reason`` may be "".

    ``predicate``: the event's rule with its numbers, None where there is none. ``fields`` fill the sentences at every
    level, and what stands beside the line of the code walk. ``lines``: ids of the code walk, the running one last.
    """

    predicate: Raw | None
    story: str
    reason: str
    fields: Raw
    lines: list[str]


class Narrator:
    """Tells the steps of one run, in order."""

    def __init__(self, teller: Teller) -> None:
        self._teller = teller
        self._going = Going(teller.scenario)
        self._counts = Counts()
        self._stories = STORIES if teller.scenario.engine == "flink" else batches.STORIES
        # Which names there are and what they ask for is the same in every language.
        texts = section("explain", language=DEFAULT_LANGUAGE)
        self._texts = [texts[level] for level in LEVELS]
        self._live: Mapping[str, str] = section("code", language=DEFAULT_LANGUAGE)["live"]
        self._needed: dict[tuple[str, str], list[str]] = {}

    def tell(self, step: Step) -> Narration:
        """The story of the step. Call it after the facts of the step are there."""
        event = step.event
        told = self._stories[type(event)]
        story = told if isinstance(told, Story) else told(self._teller, step, event)
        rule: Rule | None = getattr(event, "rule", None)
        reason = self._reason(story, rule)
        fields = fields_of(self._teller, step, event, story.fields)
        fields.update(story.more)
        fields.update(self._counts.fields(event))
        state = self._kept(story.what, reason, fields, step)
        if story.decided is not None and story.decided.step != step.step:
            state["decided"] = story.decided.step
        return Narration(
            predicate=None if rule is None else predicate(rule),
            story=f"what.{story.what}",
            reason=reason,
            fields=state,
            lines=self._going.lines(event),
        )

    def _reason(self, story: Story, rule: Rule | None) -> str:
        if story.why:
            return f"why.{story.why}"
        rule = rule if story.decided is None else story.decided.rule
        texts = self._texts[0]
        if rule is None:
            # Nothing was decided: what such a step is good for, where the catalogue has it.
            return f"why.of_{story.what}" if f"of_{story.what}" in texts["why"] else ""
        name = rule_name(rule)
        return f"rule.{name if name in texts['rule'] else 'any'}"

    def _kept(self, what: str, reason: str, fields: Raw, step: Step) -> Raw:
        """Of the fields those that some text asks for; what another field has already is not carried twice."""
        asked = self._needed.get((what, reason))
        if asked is None:
            asked = self._needed[what, reason] = self._asked(what, reason)
        own = of_event(step.event) if not OF_EVENT.isdisjoint(asked) else {}
        known = {**own, **fields}
        row = {"item": step.item, "watermark": step.watermark, "place": step.event.place}
        state: Raw = {}
        for name in asked:
            source, value = _source(name, fields, row)
            if source and (name not in known or _same(known[name], value)):
                carried = source.partition(".")[0]
                if carried != "step":
                    state[carried] = fields[carried]
            elif name in known:
                state[name] = known[name]
        return state

    def _asked(self, what: str, reason: str) -> list[str]:
        """The names in the texts of all levels, and in what stands beside the line of code."""
        texts = [level["what"][what] for level in self._texts]
        if reason:
            kind, _, name = reason.partition(".")
            texts += [level[kind][name] for level in self._texts]
        if what in LIVE:
            texts.append(self._live[LIVE[what]])
        return sorted({field for text in texts for _, field, _, _ in Formatter().parse(text) if field})


STORIES: Stories = {**windows.STORIES, **state.STORIES}
"""Those of Flink's operators."""

OF_EVENT = frozenset({"ns", "ms", "Domain"})
"""Fields for Java's words, which the event itself has."""


def _source(name: str, fields: Raw, row: Mapping[str, Any]) -> tuple[str, Any]:
    """Where a field is found without being carried itself, and what is there; "" for nowhere."""
    for source in DERIVED[name].sources if name in DERIVED else ():
        value = value_at(source, fields, row)
        if value is not MISSING:
            return source, value
    return "", None


def _same(one: Any, other: Any) -> bool:
    """Whether two fields are written alike in Java: of a window its bounds, without the key."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one == {name: value for name, value in other.items() if name != "key"}
    return bool(one == other)
