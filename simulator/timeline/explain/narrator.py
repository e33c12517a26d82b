"""The narrator: what happened, why, and the short word of it, for every micro-step.

Sentences come from the catalogue: ``explain.LEVEL.what.NAME``, ``explain.LEVEL.why.NAME``, ``explain.LEVEL.rule.NAME``.
A step is one story with one set of fields, whatever the level: another level or language is another set of sentences,
which a browser can fill in by itself. Nothing here knows English.
"""

from collections.abc import Mapping
from string import Formatter
from typing import Any, NamedTuple

from simulator.timeline.buffers import BufferFacts
from simulator.timeline.code.live import CodeWalk
from simulator.timeline.explain import batches, incoming, keeping, waiting, windowing
from simulator.timeline.explain.java import JavaField, java_fields
from simulator.timeline.explain.rules import predicate, rule_fields, rule_name
from simulator.timeline.explain.story import Story, Tell, Teller
from simulator.trace.events import Rule, TraceEvent
from simulator.trace.trace import Step
from simulator.words import section
from simulator.words.filling import filled

NOVICE = "novice"
"""The level of the sentences: for somebody who sees this for the first time."""

LEVELS = (NOVICE, "practitioner", "source")
"""All of them: for newcomers, for those who work with Flink, and with Flink's classes and methods named."""


class Told(NamedTuple):
    """``why`` is "" where nothing was decided, ``predicate`` None where the event has no rule.

    ``story`` and ``reason`` name the two sentences in the catalogue (``what.dropped``, ``rule.window_late``, or "")
    and ``fields`` fills them at every level. ``lines`` are ids of the code walk, the running one last, ``live`` their
    values.
    """

    what: str
    why: str
    word: str
    predicate: str | None
    story: str
    reason: str
    fields: dict[str, str]
    lines: list[str]
    live: list[str]


class Narrator:
    """Tells the steps of one run, in order: a sentence may go back to earlier ones.

    ``buffers``: of Flink's operators; None for micro-batches, whose stories are their own.
    """

    def __init__(self, teller: Teller, buffers: BufferFacts | None, level: str = NOVICE) -> None:
        self._teller = teller
        self._code = CodeWalk(teller.scenario, teller)
        self._stories = batches.STORIES if buffers is None else _stories(buffers)
        texts = section("explain", language=teller.language)
        self._words: Mapping[str, str] = texts["trail"]
        self._level: Mapping[str, Mapping[str, str]] = texts[level]
        self._texts = [texts[each] for each in LEVELS]
        self._plans: dict[tuple[str, str], _Plan] = {}
        self._java = java_fields(teller.scenario)

    def tell(self, step: Step) -> Told:
        """The step in words. Call it after the facts of the step are told."""
        event = step.event
        story = self._stories[type(event)](self._teller, step, event)
        rule: Rule | None = getattr(event, "rule", None)
        shown = None if rule is None else predicate(rule, self._teller)
        names = f"what.{story.what}", self._reason(story)
        plan = self._plans.get(names) or self._planned(names)
        fields: dict[str, Any] = {"predicate": shown or ""}
        if story.rule is not None:
            fields |= rule_fields(story.rule, self._teller, step)
        fields |= story.fields
        for name, field in plan.java:
            fields[name] = field(step)
        lines, live = self._code.tell(event, story.fields, shown)
        return Told(
            what=_sentence(plan.what, fields),
            why=_sentence(plan.why, fields) if plan.why else "",
            word=self._words[type(event).__name__],
            predicate=shown,
            story=names[0],
            reason=names[1],
            fields={name: str(fields[name]) for name in plan.needed},
            lines=lines,
            live=live,
        )

    def _reason(self, story: Story) -> str:
        if story.why:
            return f"why.{story.why}"
        if story.rule is None:
            # Nothing was decided: what such a step is good for, where the catalogue has it.
            return f"why.of_{story.what}" if f"of_{story.what}" in self._level["why"] else ""
        name = rule_name(story.rule)
        return f"rule.{name if name in self._level['rule'] else 'any'}"

    def _planned(self, names: tuple[str, str]) -> "_Plan":
        """What the two sentences ask for, at any level; looked up once."""
        texts = [_text(level, name) for level in self._texts for name in names if name]
        needed = sorted({field for text in texts for _, field, _, _ in Formatter().parse(text) if field})
        what, why = (_text(self._level, name) if name else "" for name in names)
        java = [(name, self._java[name]) for name in needed if name in self._java]
        self._plans[names] = _Plan(what, why, needed, java)
        return self._plans[names]


def _stories(buffers: BufferFacts) -> Mapping[type[TraceEvent], Tell]:
    return {**incoming.STORIES, **windowing.STORIES, **keeping.STORIES, **waiting.stories(buffers)}


class _Plan(NamedTuple):
    """The two sentences of a kind of step, what they need, and which of that is written as in Java."""

    what: str
    why: str
    needed: list[str]
    java: list[tuple[str, JavaField]]


def _text(level: Mapping[str, Mapping[str, str]], name: str) -> str:
    kind, _, own = name.partition(".")
    return level[kind][own]


def _sentence(template: str, fields: Mapping[str, Any]) -> str:
    """The template filled in; one that begins with a field begins with a capital all the same."""
    text = filled(template, fields)
    return text[:1].upper() + text[1:] if template.startswith("{") else text
