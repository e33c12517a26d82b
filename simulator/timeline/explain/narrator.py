"""The narrator: what happened, why, and the short word of it, for every micro-step.

Sentences come from the catalogue: ``explain.LEVEL.what.NAME``, ``explain.LEVEL.why.NAME``, ``explain.LEVEL.rule.NAME``.
Another level or language is another set of them; nothing here knows English.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from simulator.timeline.buffers import BufferFacts
from simulator.timeline.explain import incoming, keeping, waiting, windowing
from simulator.timeline.explain.rules import predicate, rule_fields, rule_name
from simulator.timeline.explain.story import Story, Tell, Teller
from simulator.trace.events import Rule, TraceEvent
from simulator.trace.trace import Step
from simulator.words import section

NOVICE = "novice"
"""The level of the sentences: for somebody who sees this for the first time."""


class Told(NamedTuple):
    """``why`` is "" where nothing was decided, ``predicate`` None where the event has no rule."""

    what: str
    why: str
    word: str
    predicate: str | None


class Narrator:
    """Tells the steps of one run, in order: a sentence may go back to earlier ones."""

    def __init__(self, teller: Teller, buffers: BufferFacts, level: str = NOVICE) -> None:
        self._teller = teller
        self._stories: Mapping[type[TraceEvent], Tell] = {
            **incoming.STORIES,
            **windowing.STORIES,
            **keeping.STORIES,
            **waiting.stories(buffers),
        }
        texts = section("explain", language=teller.language)
        self._words: Mapping[str, str] = texts["trail"]
        self._what: Mapping[str, str] = texts[level]["what"]
        self._why: Mapping[str, str] = texts[level]["why"]
        self._rules: Mapping[str, str] = texts[level]["rule"]

    def tell(self, step: Step) -> Told:
        """The step in words. Call it after the facts of the step are told."""
        event = step.event
        story = self._stories[type(event)](self._teller, step, event)
        rule: Rule | None = getattr(event, "rule", None)
        return Told(
            what=_sentence(self._what[story.what], story.fields),
            why=self._because(step, story),
            word=self._words[type(event).__name__],
            predicate=None if rule is None else predicate(rule, self._teller),
        )

    def _because(self, step: Step, story: Story) -> str:
        if story.why:
            return _sentence(self._why[story.why], story.fields)
        if story.rule is None:
            return ""
        fields = rule_fields(story.rule, self._teller, step)
        return _sentence(self._rules.get(rule_name(story.rule), self._rules["any"]), story.fields | fields)


def _sentence(template: str, fields: Mapping[str, Any]) -> str:
    """The template filled in; it begins with a capital whatever comes first."""
    text = template.format_map(fields)
    return text[:1].upper() + text[1:]
