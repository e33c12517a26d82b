"""The scenario of a cut: as few records as still show the same, as items; and its walkthrough in every language.

A pool of records is taken from the whole stream, from rich (the whole window, what else was dropped) to poor (the
record and what decided). The simulator runs a pool in which the value of a record is its number in the pool, so that
each row says which records made it; what does not change the promised rows is left out (``explore.smallest``).

The story says where the watermark moves and what becomes of the record, with a question before it. Numbers of records
are those of the whole stream, from 0. Lengths of time are typed in, times are filled in by the run itself, so an
anonymous cut says nothing of the day.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator import Trace
from tidemark.simulator.engine.trace.events import LateDropped, PaneFired, RecordArrived, TraceEvent
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.explore.smallest import shrink
from tidemark.simulator.scenario import model
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import LANGUAGES, words
from tidemark.spark_bridge.cut.case import MOST_INSIDE, Case, CutFails
from tidemark.spark_bridge.cut.rules import Fate, Maxima, Rules, StreamRecord, Whole, holder, levels_of

from tidemark import simulator

FEW_CHANNELS: Final = 3
"""A stream of so many channels keeps them all; of more only those stay that matter."""

WHOLE_WINDOW: Final = 6
"""A window of at most so many records is kept whole, so that its result is that of the whole stream."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates in order, and what must stay: ``together`` in the first result of the window, all of ``must``."""

    records: tuple[StreamRecord, ...]
    together: frozenset[StreamRecord]
    must: frozenset[StreamRecord]
    result: bool
    """Whether the window's first result must be there, at the watermark of the whole stream."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The records of a cut, in order, and the numbers in the whole stream of the ``channels`` that are left."""

    records: tuple[StreamRecord, ...]
    channels: tuple[int, ...]


def choose(whole: Whole, case: Case, most: int) -> Chosen:
    """At most ``most`` records that show ``case``. Raises ``CutFails`` if so few cannot."""
    least = None
    for pool in _pools(case, most):
        chosen = _fewest(whole, case, pool)
        if chosen is not None and len(chosen.records) <= most:
            return chosen
        if chosen is not None:
            least = len(chosen.records)
    raise CutFails("too_few", most=most, least=least) if least is not None else CutFails("not_alike")


def operator_of(rules: Rules, function: model.Function) -> model.Window:
    """The operator by which a cut runs."""
    assigner = model.Tumbling(rules.size)
    return model.Window(assigner, model.EventTimeTrigger(), function, allowed_lateness=rules.lateness)


def input_of(rules: Rules, channels: int) -> model.InputSpec:
    return model.InputSpec("events", channels, model.BoundedOutOfOrderness(rules.bound))


def _pools(case: Case, most: int) -> Iterator[Pool]:
    """From rich to poor."""
    inside = case.on_time if case.fires else []
    if case.record is None or case.fate is Fate.IN_TIME:  # the window is what is shown
        first = (case.in_question,)
        rest = [each for each in case.on_time if each not in first]
        whole = most if case.record is None else WHOLE_WINDOW
        everything = len(rest) if len(case.on_time) <= min(whole, MOST_INSIDE - 1) else 0
        for part in dict.fromkeys((everything, min(3, len(rest)), 0)):
            yield _pool(case, (*first, *rest[:part]), case.also)
        yield _pool(case, first, ())
        return
    if inside:
        if len(inside) <= WHOLE_WINDOW:
            yield _pool(case, tuple(inside), case.also)
        yield _pool(case, tuple(inside[:1]), case.also)
        yield _pool(case, tuple(inside[:1]), case.also[: most // 3])
    yield _pool(case, (), case.also)
    yield _pool(case, (), ())


def _pool(case: Case, together: Sequence[StreamRecord], also: Sequence[StreamRecord]) -> Pool:
    shown = () if case.record is None else (case.record,)
    culprit = () if case.culprit is None else (case.culprit,)
    decider = () if case.decider is None else (case.decider,)
    must = frozenset({*shown, *also, *together, *case.beside, *culprit, *decider})
    found = {*must, *(case.arrival or {}).values()}
    result = bool(together) and case.fires
    if result:
        assert case.fired is not None
        found.update(case.fired.values())
    elif case.record is None or case.fate is Fate.IN_TIME:
        found.update(case.end.values())
        found.update(() if case.fired is None else case.fired.values())
    return Pool(tuple(sorted(found)), frozenset(together), must, result)


def _channels(case: Case, pool: Pool) -> tuple[int, ...]:
    channels = case.rules.channels
    if channels <= FEW_CHANNELS:
        return tuple(range(channels))
    decisive = {record.channel for record in pool.must}
    moments: list[Maxima | None] = [case.arrival, case.fired if pool.result else case.end]
    decisive |= {holder(maxima, channels) for maxima in moments if maxima is not None}
    return tuple(sorted(decisive))


def _fewest(whole: Whole, case: Case, pool: Pool) -> Chosen | None:
    """The fewest records of ``pool`` that show ``case``; None if not even all of them do."""
    channels = _channels(case, pool)
    records = [record for record in pool.records if record.channel in channels]
    before = whole.levels([record.place for record in records])
    fates = [
        case.rules.fate(record.ts, case.rules.watermark(levels)) for record, levels in zip(records, before, strict=True)
    ]
    promise = _Promise(case, pool, records, fates)
    scenario = model.Scenario(
        "cut",
        operator_of(case.rules, model.Function("process", "collect")),
        tuple(
            Record(record.key, record.ts, number, channel=channels.index(record.channel))
            for number, record in enumerate(records)
        ),
        (input_of(case.rules, len(channels)),),
    )
    found = shrink(scenario, promise.holds)
    return None if found is None else Chosen(tuple(records[number] for number in found.kept), channels)


@dataclass(frozen=True, slots=True)
class _Promise:
    """What a run of a part of the pool must have in common with the whole stream."""

    case: Case
    pool: Pool
    records: Sequence[StreamRecord]
    fates: Sequence[Fate]

    def holds(self, rows: Sequence[Mapping[str, Any]], trace: Trace) -> bool:
        """Every record fares as in the whole stream, and what is shown comes at the same watermark."""
        case, rules = self.case, self.case.rules
        arrived: set[StreamRecord] = set()
        for step in trace:
            if not isinstance(step.event, RecordArrived):
                continue
            record = self.records[step.event.value]
            arrived.add(record)
            if rules.fate(record.ts, step.watermark) is not self.fates[step.event.value]:
                return False
            if record == case.record and step.watermark != rules.watermark(levels_of(case.arrival or {})):
                return False
        if not self.pool.must <= arrived:
            return False
        results = [row for row in rows if row["row"] == "pane" and self._is_of_window(row)]
        if self.pool.result:
            return bool(results) and self._is_first(results[0])
        if case.record is None or case.fate is Fate.IN_TIME:  # it has not fired, and never will
            marks = [row["ts"] for row in rows if row["row"] == "watermark"]
            return not results and (marks[-1] if marks else None) == rules.watermark(levels_of(case.end))
        return True

    def _is_of_window(self, row: Mapping[str, Any]) -> bool:
        window = self.case.window
        return bool(row["key"] == self.case.key and row["start"] == window.start and row["end"] == window.end)

    def _is_first(self, row: Mapping[str, Any]) -> bool:
        assert self.case.fired is not None
        within = {self.records[number] for number in row["value"]}
        at = self.case.rules.watermark(levels_of(self.case.fired))
        return bool(row["timing"] == "on-time" and row["watermark"] == at and self.pool.together <= within)


EXACT: Final = 2**53
"""Whole numbers below this are added without loss, in whatever order."""


@dataclass(frozen=True, slots=True)
class CutItems:
    """The items of a cut, what the window computes from their values, and where its clock starts (ms)."""

    items: tuple[Record, ...]
    function: model.Function
    origin: int
    shift: int
    """How much earlier (ms) all times are than in the stream; 0 unless anonymous."""
    anonymous: bool


def items_of(chosen: Chosen, rules: Rules, *, anonymous: bool) -> CutItems:
    """The records as items. ``anonymous``: keys become ``key-1``, values small whole numbers, the same ones the same;
    all times are earlier by as many whole windows as bring the first of them near 0."""
    records = chosen.records
    start = _floor(min((each.at for each in records if each.at is not None), default=records[0].ts), rules.size)
    fits = all(MIN < each.ts - start <= MAX for each in records)
    shift = start if anonymous and fits else 0
    values = [_value(each.value) for each in records]
    if anonymous:
        values = _numbers(values)
    names = _names([each.key for each in records]) if anonymous else {}
    items = tuple(
        Record(
            names.get(each.key, each.key),
            each.ts - shift,
            value,
            channel=chosen.channels.index(each.channel),
            at=None if each.at is None else each.at - shift,
        )
        for each, value in zip(records, values, strict=True)
    )
    return CutItems(items, _function(values), start - shift, shift, anonymous)


def _floor(time: int, size: int) -> int:
    return max(time - time % size, MIN)


def _value(value: Any) -> Any:
    """``value`` as a scenario can hold it: a number within bounds, a text, or None."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, bool) or (isinstance(value, int) and not MIN <= value <= MAX):
        return str(value)
    return value if isinstance(value, int | float | str) else str(value)


def _numbers(values: Sequence[Any]) -> list[Any]:
    """A whole number from 1 for each value, in the order in which they come first; no value stays none."""
    known: dict[tuple[type, Any], int] = {}
    return [None if each is None else known.setdefault((type(each), each), len(known) + 1) for each in values]


def _names(keys: Sequence[str]) -> dict[str, str]:
    return {key: f"key-{number}" for number, key in enumerate(dict.fromkeys(keys), start=1)}


def _function(values: Sequence[Any]) -> model.Function:
    """A sum where every value can be added, else the number of records."""
    can_add = all(isinstance(each, float) or (type(each) is int and abs(each) < EXACT) for each in values)
    return model.Function("aggregate", "sum" if can_add else "count")


Say = Callable[[str], model.Text]
"""The text of the beat of that name."""

WAITING: Final = ("waits", "silent", "unfinished")
"""The stories in which the window does not fire; the last beat of each has the same name."""


def beats_of(kind: str, case: Case, chosen: Chosen, written: CutItems, trace: Trace, say: Say) -> list[model.Beat]:
    """The beats of the story ``kind`` in the order of the run ``trace``, each at a step of its own."""
    found: dict[int, model.Beat] = {}
    for step, beat in sorted(_beats(kind, case, chosen, written, trace, say), key=lambda each: each[0]):
        found.setdefault(step, beat)
    return list(found.values())


def _beats(
    kind: str, case: Case, chosen: Chosen, written: CutItems, trace: Trace, say: Say
) -> Iterator[tuple[int, model.Beat]]:
    steps = list(trace)
    number, last = chosen.records.index(case.in_question), len(chosen.records) - 1
    decider = None if case.decider is None else chosen.records.index(case.decider)

    def at_item(name: str, item: int) -> tuple[int, model.Beat]:
        return _last(steps, item).step, model.Beat(model.Place(item=item), say=say(name))

    def before_item(predict: str, item: int) -> tuple[int, model.Beat]:
        return next(step.step for step in steps if step.item == item), model.Beat(
            model.Place(item=item), predict=predict
        )

    if case.fires:
        key, start = written.items[number].key, case.window.start - written.shift
        yield from _at_event(steps, say("fires"), lambda event: _gives(event, key, start))
    if kind in ("dropped", "late"):
        if decider is not None:
            yield at_item("moved", decider)
        yield before_item("fate-of-record", number)
    else:
        yield at_item("in_time", number)
    if kind == "dropped":
        yield from _at_event(steps, say("dropped"), _drops, number)
        if number != last and case.also:
            yield from _at_event(steps, say("also"), _drops, last)
    elif kind == "late":
        yield at_item("late", number)
    elif kind in WAITING:
        yield at_item(kind, last)
    elif decider is not None:
        yield before_item("windows-that-fire", decider)


def _gives(event: TraceEvent, key: object, start: int) -> bool:
    return isinstance(event, PaneFired) and event.key == key and event.window.start == start


def _drops(event: TraceEvent) -> bool:
    return isinstance(event, LateDropped)


def _at_event(
    steps: list[Step], text: model.Text, wanted: Callable[[TraceEvent], bool], item: int | None = None
) -> Iterator[tuple[int, model.Beat]]:
    """A beat at the first event that is wanted, of stream item ``item`` if that is given."""
    found = next((each for each in steps if item in (None, each.item) and wanted(each.event)), None)
    if found is not None:
        name = type(found.event).__name__
        occurrence = sum(type(each.event).__name__ == name for each in steps[: found.step + 1])
        yield found.step, model.Beat(model.Place(event=name, occurrence=occurrence), say=text)


def _last(steps: list[Step], item: int) -> Step:
    return [step for step in steps if step.item == item][-1]


HEAD: Final = ("title", "summary", "look_for", "takeaway")

OF_A_FINDING: Final = ("title", "summary", "takeaway")

OF_OLD: Final = ("replay", "backfill")
"""Findings whose summary says of two records how far apart they are, and then what becomes of the first old one."""

TEACHES: Final = {
    "dropped": ("late-data", "watermark", "tumbling-window"),
    "late": ("allowed-lateness", "late-data", "watermark"),
    "silent": ("channels", "watermark"),
    "waits": ("channels", "watermark"),
}
"""The tags of a story, where they are not those of a window that fires."""

OF_A_WINDOW: Final = ("watermark", "tumbling-window")


def with_story(
    scenario: model.Scenario,
    case: Case,
    chosen: Chosen,
    written: CutItems,
    numbers: Mapping[StreamRecord, int],
    channels: Sequence[int | str],
) -> model.Scenario:
    """``scenario``, whose items are those of ``written``, with its story.

    ``numbers``: those in the whole stream. ``channels``: what the stream calls them.
    """
    kind = kind_of(case)
    fields = _fields(case, chosen, written, numbers) | {"channel": _channel(case, chosen, written, channels)}
    head = {name: said(f"story.{kind}.{name}", fields) for name in HEAD}
    if case.code is not None:
        code = case.code.replace("-", "_")
        if code in OF_OLD and case.culprit is None:
            code += "_unseen"
        if code == "future_timestamps" and case.culprit is None:
            code += "_harmless"
        about = {name: said(f"finding.{code}.{name}", fields) for name in OF_A_FINDING}
        if case.code == "bound-too-small" and kind != "dropped":
            del about["takeaway"]  # no bound would keep what is not lost
        if case.culprit is None or case.code in OF_OLD:
            about["summary"] = _joined(about["summary"], head["summary"])
        head |= about
    head["summary"] = _joined(head["summary"], said("left_out", fields))
    if written.anonymous:
        head["summary"] = _joined(head["summary"], said("anonymous", fields))
    rows, trace = simulator.run_traced(scenario)
    counts = {name: sum(row["row"] == name for row in rows) for name in ("dropped", "pane")}
    return replace(
        scenario,
        title=head["title"],
        summary=head["summary"],
        look_for=head["look_for"],
        takeaway=head["takeaway"],
        teaches=TEACHES.get(kind, OF_A_WINDOW),
        level="practitioner",
        minutes=3,
        goals=tuple(model.Goal(rows=name, count=count) for name, count in counts.items()),
        walkthrough=tuple(beats_of(kind, case, chosen, written, trace, lambda name: said(f"beats.{name}", fields))),
    )


def kind_of(case: Case) -> str:
    """Which story ``case`` is, a name in ``own_cut.story``."""
    if case.fate in (Fate.DROPPED, Fate.LATE):
        return "dropped" if case.fate is Fate.DROPPED else "late"
    if case.fires:
        return "window" if case.record is None else "in_time"
    if len(case.end) < case.rules.channels:
        return "silent"
    return "waits" if case.rules.channels > 1 else "unfinished"


def said(name: str, fields: Mapping[str, Any]) -> model.Text:
    """The text ``own_cut.<name>`` in every language."""
    return {
        language: words(
            f"own_cut.{name}",
            language=language,
            **{field: each[language] if isinstance(each, dict) else each for field, each in fields.items()},
        )
        for language in LANGUAGES
    }


def _fields(case: Case, chosen: Chosen, written: CutItems, numbers: Mapping[StreamRecord, int]) -> dict[str, Any]:
    rules, shown, decider = case.rules, case.in_question, case.decider

    def number(record: StreamRecord | None) -> str:
        return "" if record is None else f"{numbers[record]:,}"

    item = written.items[chosen.records.index(shown)]
    beyond = 0 if decider is None else decider.ts - case.window.end + 1
    return {
        "number": number(shown),
        "decider": number(decider),
        "culprit": number(case.culprit),
        "ahead": duration(0 if decider is None else decider.ts - shown.ts),
        "behind": duration(0 if case.culprit is None else abs(case.culprit.ts - shown.ts)),
        "delay": duration(0 if shown.at is None else abs(shown.at - shown.ts)),
        "key": shown_in_message(item.key),
        "lateness": duration(rules.lateness),
        "needed_bound": duration(beyond - rules.lateness),
        "needed_bound_on_time": duration(beyond),
        "needed_lateness": duration(beyond - rules.bound),
        "total": f"{case.inside_total:,}",
        "shown": len(chosen.records),
        "dropped": sum(each in case.also for each in chosen.records) + 1,
    }


def _channel(case: Case, chosen: Chosen, written: CutItems, channels: Sequence[int | str]) -> model.Text | str:
    """The channel that decides as the stream calls it, and in the cut, where this is another number."""
    if case.decider is None:
        return ""
    name, here = channels[case.decider.channel], chosen.channels.index(case.decider.channel)
    if name == here or (written.anonymous and isinstance(name, str)):
        return str(here)
    shown = shown_in_message(str(name))
    return {language: words("own_cut.channel", language=language, name=shown, here=here) for language in LANGUAGES}


def _joined(first: model.Text, second: model.Text) -> model.Text:
    """Two texts, one after the other. Chinese has no space between sentences."""
    return {language: f"{first[language]}{'' if language == 'zh' else ' '}{second[language]}" for language in first}
