"""Hints for the author of a scenario: what the run shows that was probably not intended. And the state of its goals.

A hint refuses nothing; what ``check`` refuses is in ``simulator.teaching.lint``.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from tidemark.simulator.engine.values.errors import Problem
from tidemark.simulator.engine.values.items import End, Item, Record, Status, Watermark
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.explore.questions import Examiner
from tidemark.simulator.explore.runs import RESULTS, Ran, moments_of
from tidemark.simulator.explore.settings import with_operator
from tidemark.simulator.scenario.languages import older
from tidemark.simulator.scenario.model import (
    AfterEndOfWindow,
    ContinuousEventTimeTrigger,
    EventTimeTrigger,
    Generated,
    Goal,
    InputSpec,
    ProcessingTimeTrigger,
    PurgingTrigger,
    Scenario,
)
from tidemark.simulator.teaching.lint import Look, counted_by, look, place_of, wanted_by
from tidemark.simulator.teaching.topics import TOPICS, said
from tidemark.simulator.timeline.stops import StepIndex, evaluate_goals
from tidemark.simulator.timeline.wording import SECONDS, TimeFormat, duration, time_format
from tidemark.simulator.words import listed, words

from tidemark import simulator

Path = tuple[str | int, ...]

SECONDS_SINCE_EPOCH: Final = range(10**9, 10**10)
"""A plain number in this range is a recent time in seconds; as ms it would be a day in 1970."""

MOST_NAMED: Final = 3
"""A hint names at most this many things of a kind, then says how many more there are."""

MOST_ASKED: Final = 1_500
"""Predictions are checked only in runs of at most this many micro-steps: each one runs every wrong belief as well."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Something that the author may not have intended. ``kind`` names it, ``fix`` says what to do about it.

    ``line`` and ``column`` (from 1) locate it in the file, ``path`` in the document.
    """

    kind: str
    line: int
    column: int
    message: str
    fix: str
    path: Path


@dataclass(frozen=True, slots=True)
class GoalNow:
    """A goal with the number of rows or events that the run produces, and both in ``words``."""

    goal: Goal
    met: bool
    found: int
    words: str


def goals_now(scenario: Scenario, run: Look | None = None) -> list[GoalNow]:
    """Each goal with what the run produces now.

    ``run`` is the finished run of this scenario, if there is one. Raises the same errors as ``look``.
    """
    if not scenario.goals:
        return []
    run = run or look(scenario)
    found = []
    for result in evaluate_goals(scenario, run.rows, run.events):
        name = f"hints.goal.{'met' if result.met else 'unmet'}"
        text = words(name, what=counted_by(result.goal), wanted=wanted_by(result.goal), found=result.found)
        found.append(GoalNow(result.goal, result.met, result.found, text))
    return found


def hints(scenario: Scenario, run: Look | None = None) -> list[Hint]:
    """What the author may want to know, in the order of the file. ``run`` and errors as in ``goals_now``.

    Results that an exact goal counts are intended, so windows that never fire are then not mentioned.
    """
    run = run or look(scenario)
    found = [
        *_titles(run),
        *_units(run),
        *_tiny_spans(run),
        *_arrivals(run),
        *_epoch(run),
        *_twins(run),
        *_channels(run),
        *_unused(run),
        *_predictions(run),
        *_translations(run),
    ]
    if "OperatorFailed" not in run.events and not _counts_results(run):
        found += _nothing_comes(run) or _unfired(run)
    return sorted(found, key=lambda hint: (hint.line, hint.column))


def warnings_of(scenario: Scenario, run: Look | None = None) -> list[Problem]:
    """The hints as ``check`` prints them: warnings that refuse nothing. Arguments and errors as in ``hints``."""
    return [
        Problem(scenario.file, hint.line, hint.column, words("hints.warning", hint=hint.message, fix=hint.fix), True)
        for hint in hints(scenario, run)
    ]


def _hint(run: Look, kind: str, path: Path, *, fix: str = "", **fields: Any) -> Hint:
    """``fix`` selects one of the fixes, for a kind that has several."""
    line, column = place_of(run.scenario, path)
    message = words(f"hints.{kind}.message", **fields)
    return Hint(kind, line, column, message, words(f"hints.{kind}.{fix or 'fix'}", **fields), path)


# --- what the title promises ---------------------------------------------------------------------------------------


def _titles(run: Look) -> Iterator[Hint]:
    """Compare title and tags with the run; report each topic at its first place only."""
    scenario = run.scenario
    title = scenario.title or {}
    for topic in TOPICS:
        spoken = [(language, word) for language, text in title.items() if (word := said(topic, language, text))]
        if any(word.denied for _, word in spoken) or topic.shown(run):
            continue
        missing = words(f"hints.missing.{topic.name}")
        tags = [number for number, tag in enumerate(scenario.teaches) if tag in topic.tags]
        if spoken:
            language, word = spoken[0]
            yield _hint(run, "title", ("title", language), said=word.text, missing=missing)
        elif tags:
            yield _hint(run, "tag", ("teaches", tags[0]), said=scenario.teaches[tags[0]], missing=missing)


# --- results that never come ---------------------------------------------------------------------------------------


def _counts_results(run: Look) -> bool:
    """Whether a goal gives the exact number of results and is met."""
    found = evaluate_goals(run.scenario, run.rows, run.events)
    return any(each.met and each.goal.count is not None and each.goal.rows in RESULTS for each in found)


def _nothing_comes(run: Look) -> list[Hint]:
    if run.results or not any(isinstance(item, Record) for item in run.stream):
        return []
    operator = run.scenario.operator
    hint = operator.without_results
    if operator.in_sql and any(row["until_step"] is None for row in run.facts.tables["queue"]):
        hint = "rows_wait"
    elif run.unfired:
        return [_waiting(run, "none_fires")] if hint == "no_firing" else []
    return [_hint(run, hint, ("stream",))] if hint else []


def _unfired(run: Look) -> list[Hint]:
    """With Spark's rules there is no end of input, so the last windows always wait."""
    return [_waiting(run, "unfired")] if run.unfired and run.scenario.engine != "spark" else []


def _waiting(run: Look, kind: str) -> Hint:
    """The windows that still wait at the end, and what would fire them."""
    times = time_format(run.scenario)
    ends = [row["end"] for row in run.unfired if row["end"] is not None]
    named = [
        words("hints.window", key=row["key"], window=times.window(TimeWindow(row["start"], row["end"])))
        if row["start"] is not None and row["end"] is not None
        else words("hints.global_window", key=row["key"])
        for row in run.unfired[:MOST_NAMED]
    ]
    if (more := len(run.unfired) - MOST_NAMED) > 0:
        named.append(words("hints.more", count=more))
    end = max(ends, default=0)
    path: Path = ("stream",) if isinstance(run.scenario.stream, Generated) else ("stream", len(run.stream) - 1)
    fields = {"windows": listed(named), "watermark": _time(times, end - 1), "clock": _time(times, end)}
    return _hint(run, kind, path, fix=f"fix_{_what_fires(run, bool(ends))}", **fields)


def _time(times: TimeFormat, ms: int) -> str:
    return words("hints.seconds", time=times.exact(ms)) if times.style == SECONDS else times.exact(ms)


def _what_fires(run: Look, bounded: bool) -> str:
    """What the windows wait for: ``end`` (``generated`` in a generated stream), ``clock``, ``batch`` or ``trigger``."""
    operator = run.scenario.operator
    if operator.engine == "spark":
        return "batch"
    trigger = _innermost(operator.trigger)
    ended = any(isinstance(item, End) for item in run.stream)
    if operator.time == "processing" and isinstance(trigger, ProcessingTimeTrigger | AfterEndOfWindow) and bounded:
        return "clock"
    if isinstance(trigger, EventTimeTrigger | ContinuousEventTimeTrigger | AfterEndOfWindow) and bounded and not ended:
        return "generated" if isinstance(run.scenario.stream, Generated) else "end"
    return "trigger"


def _innermost(trigger: object) -> object:
    while isinstance(trigger, PurgingTrigger):
        trigger = trigger.inner
    return trigger


# --- slips of the pen ----------------------------------------------------------------------------------------------

FEW_MS: Final = 1000
MANY_MS: Final = 1000


def _units(run: Look) -> Iterator[Hint]:
    """Seconds written as milliseconds: all records are within one second of the origin, but windows are longer."""
    scenario = run.scenario
    assigner = scenario.operator.assigner
    length = next((getattr(assigner, name) for name in ("size", "max_size", "gap") if hasattr(assigner, name)), 0)
    if isinstance(scenario.stream, Generated) or length < MANY_MS:
        return
    times = [item.ts - scenario.origin for item in run.stream if isinstance(item, Record) and item.ts is not None]
    if len(times) > 2 and len(set(times)) > 2 and all(0 <= ts < FEW_MS for ts in times):
        largest = max(times)
        yield _hint(run, "units", ("stream", 0), largest=largest, length=duration(length))


TINY_MS: Final = 100
"""No longer than this is a length that was meant in seconds, where records are a second or more apart."""

SPANS: Final = (
    (("operator", "assigner"), "size"), (("operator", "assigner"), "max_size"), (("operator", "assigner"), "slide"),
    (("operator", "assigner"), "step"), (("operator", "assigner"), "gap"), (("operator",), "allowed_lateness"),
)  # fmt: skip
"""Where the operator has lengths of time, by the path of what holds them."""


def _tiny_spans(run: Look) -> Iterator[Hint]:
    """A length of a few milliseconds beside records that are seconds apart: the unit was forgotten."""
    scenario = run.scenario
    if isinstance(scenario.stream, Generated):
        return
    times = sorted({item.ts for item in run.stream if isinstance(item, Record) and item.ts is not None})
    if len(times) < 3 or min(after - before for before, after in pairwise(times)) < MANY_MS:
        return
    for path, name in SPANS:
        holder: object = scenario
        for step in path:
            holder = getattr(holder, step, None)
        length = getattr(holder, name, None)
        if isinstance(length, int) and 0 < length < TINY_MS:
            yield _hint(run, "tiny_span", (*path, name), name=name, length=length)
    for spec in scenario.inputs:
        bound = getattr(spec.watermark, "bound", 0)
        if isinstance(bound, int) and 0 < bound < TINY_MS:
            yield _hint(run, "tiny_span", ("inputs", spec.name, "watermark", "bound"), name="bound", length=bound)


def _arrivals(run: Look) -> Iterator[Hint]:
    """An arrival before that of an item further up: the clock never goes back, so it arrives later than it says."""
    if isinstance(run.scenario.stream, Generated):
        return
    times, clock, told = time_format(run.scenario), None, set[str]()
    for number, item in enumerate(run.stream):
        at = getattr(item, "at", None)
        if at is None:
            continue
        if clock is not None and at < clock:
            kind = "end_before_arrival" if isinstance(item, End) else "arrival_behind"
            if kind not in told:
                told.add(kind)
                yield _hint(run, kind, ("stream", number), item=number, at=_time(times, at), clock=_time(times, clock))
        clock = at if clock is None else max(clock, at)


def _epoch(run: Look) -> Iterator[Hint]:
    """Seconds since the epoch written as milliseconds: all records are in the first months of 1970."""
    scenario = run.scenario
    if isinstance(scenario.stream, Generated) or scenario.origin:
        return
    times = [item.ts for item in run.stream if isinstance(item, Record) and item.ts is not None]
    if times and all(ts in SECONDS_SINCE_EPOCH for ts in times):
        first = next(n for n, item in enumerate(run.stream) if isinstance(item, Record) and item.ts is not None)
        yield _hint(run, "epoch_seconds", ("stream", first), number=times[0])


def _twins(run: Look) -> Iterator[Hint]:
    """A record equal to the one before it: an accident unless duplicates are the point."""
    if isinstance(run.scenario.stream, Generated) or {"duplicates", "exactly-once"} & set(run.scenario.teaches):
        return
    before: Item | None = None
    for number, item in enumerate(run.stream):
        if isinstance(item, Record):
            if item == before:
                yield _hint(run, "twin", ("stream", number), item=number, key=item.key)
                return
            before = item


# --- settings and questions without effect -------------------------------------------------------------------------


def _channels(run: Look) -> Iterator[Hint]:
    """A channel without a record, a watermark or a status holds back the watermark of all the others."""
    if (
        run.scenario.engine == "spark"
        or "idleness" in run.scenario.teaches
        or isinstance(run.scenario.stream, Generated)
    ):
        return
    if any(isinstance(item, End) for item in run.stream):
        return
    heard = {(i.input, i.channel) for i in run.stream if isinstance(i, Record | Watermark | Status)}
    for spec in run.scenario.inputs:
        for channel in range(spec.channels):
            if (spec.name, channel) not in heard and _moves(run.scenario.inputs, spec):
                yield _hint(run, "silent_channel", ("inputs", spec.name), channel=channel, input=spec.name)
                break


def _moves(inputs: Sequence[InputSpec], spec: InputSpec) -> bool:
    """Whether other channels would move the watermark, while this input's channels never become idle by themselves."""
    return spec.watermark.idle_timeout == 0 and (spec.channels > 1 or len(inputs) > 1)


def _unused(run: Look) -> Iterator[Hint]:
    """A side output that stays empty; an allowed lateness without which every row would be the same."""
    operator = run.scenario.operator
    if operator.late_output == "side" and not run.events["LateSideOutput"]:
        yield _hint(run, "no_side_output", ("operator", "late_output"))
    if operator.allowed_lateness:
        without = with_operator(run.scenario, allowed_lateness=0)
        if _same(simulator.run_rows(without), simulator.run_rows(run.scenario)):
            lateness = duration(operator.allowed_lateness)
            yield _hint(run, "unused_lateness", ("operator", "allowed_lateness"), lateness=lateness)


def _same(ours: list[simulator.Row], theirs: list[simulator.Row]) -> bool:
    """Whether the rows are the same. Compared as JSON, because NaN does not equal itself."""
    return json.dumps(ours) == json.dumps(theirs)


def _predictions(run: Look) -> Iterator[Hint]:
    """Predictions without a choice of answers: the player omits them."""
    asked = [(number, beat) for number, beat in enumerate(run.scenario.walkthrough) if beat.predict is not None]
    if not asked or len(run.trace) > MOST_ASKED:
        return
    examiner = None
    if run.scenario.engine != "spark":
        examiner = Examiner(Ran(run.scenario, run.trace, run.facts, moments_of(run.scenario)))
    index = StepIndex(run.trace)
    for number, beat in asked:
        step = index.find(beat.at, first=True)
        if step is None:
            continue
        if examiner is None or examiner.question(beat.predict or "", run.trace.steps[step].item) is None:
            yield _hint(run, "no_question", ("walkthrough", number, "predict"), predict=beat.predict)


def _translations(run: Look) -> Iterator[Hint]:
    """Translations that are older than their originals: one hint for each language."""
    found = list(older(run.scenario))
    for language in dict.fromkeys(each.language for each in found):
        paths = [each.path for each in found if each.language == language]
        kind = "older" if len(paths) == 1 else "older_texts"
        yield _hint(run, kind, (*paths[0], language), tag=language, count=len(paths))
