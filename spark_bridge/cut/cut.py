"""What a finding of the profile is about, as a case: which of its records is shown, and what has to be seen with it.

The whole way from a stream to the scenario of a cut.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tidemark.simulator.limits import SCENARIO_BYTES
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.teaching.lint import problems_of_run
from tidemark.simulator.timeline.wording import duration
from tidemark.spark_bridge.cut.case import (
    Around,
    Case,
    CutFails,
    Dropped,
    FindingOf,
    RecordOf,
    WindowOf,
    of_record,
    of_window,
)
from tidemark.spark_bridge.cut.rules import ALL, Among, Rules, StreamRecord, Whole, holder
from tidemark.spark_bridge.cut.writing import choose, input_of, items_of, operator_of, with_story

MOST_ALSO: Final = 14
"""The most records, beside the first one, that are dropped for the same reason."""

_AFTER: Final = 200
"""So many records after a channel fell silent are looked at for one that waits because of it."""

_GOING_ON: Final = 4
"""So many channels at most show that they go on while another one is silent."""

_STRETCH: Final = 20
"""So many records from the first one of a replay on are looked at for those that are shown with it."""

Where = Mapping[str, Any]
"""Where a finding is, as the JSON of a profile has it: ``channel`` and ``key`` as the stream calls them, the numbers of
its first and last record (``from``, ``to``). What it says nothing of is absent."""


def of_finding(whole: Whole, rules: Rules, code: str, where: Where) -> Case:
    """The case of the finding ``code``. Raises ``CutFails`` if its records are not in the stream."""
    first = whole.record(where.get("from") or 0)
    if first is None:
        raise CutFails("no_finding", code=code, codes="")
    match code:
        case "empty-channel" | "no-timestamps":
            found = of_record(whole, rules, first)
        case "idle-channel":
            found = _held(whole, rules, first, where)
        case "duplicates":
            found = _twice(whole, rules, first)
        case "replay" | "backfill":
            found = _replayed(whole, rules, first, where)
        case "future-timestamps":
            found = _poisoned(whole, rules, first)
        case _:
            found = _lost(whole, rules, first, where)
    return replace(found, code=code)


def _lost(whole: Whole, rules: Rules, first: StreamRecord, where: Where) -> Case:
    """The first record that is dropped because of the channels or keys that are meant, else the first one of these that
    is dropped, else ``first``. What another source loses for another reason says nothing of this finding."""
    channel = where.get("channel")
    own = Among(None if channel is None else list(whole.channels).index(channel), where.get("key"), first.place)
    found = [whole.dropped(rules, among, MOST_ALSO + 1) for among in dict.fromkeys((own, Among(since=first.place)))]
    blamed = (_because_of(whole, rules, each, where) for each in found)
    for lost in (*blamed, found[0]):
        if lost:
            return replace(of_record(whole, rules, lost[0]), also=tuple(lost[1:]))
    return of_record(whole, rules, first)


def _because_of(
    whole: Whole, rules: Rules, lost: Sequence[StreamRecord], where: Where
) -> list[StreamRecord]:  # fmt: skip
    """Those of the ``lost`` for which a source that is off decided: it is behind and they are its own, or it is ahead
    and has moved the watermark past those of others. What is lost within one source is late for another reason."""
    numbers = {whole.channels.index(name) for name in where.get("channels", [where.get("channel")]) if name is not None}
    keys = {name for name in where.get("keys", [where.get("key")]) if name is not None}

    def is_off(record: StreamRecord) -> bool:
        return record.channel in numbers or record.key in keys

    arrivals = whole.maxima([each.place for each in lost])
    deciders = [arrival[holder(arrival, rules.channels)] for arrival in arrivals]
    return [each for each, decider in zip(lost, deciders, strict=True) if is_off(each) != is_off(decider)]


def _poisoned(whole: Whole, rules: Rules, future: StreamRecord) -> Case:
    """The first record that is dropped because of one from the future, ``future`` or a later one; ``future`` itself
    where other channels hold the watermark."""
    before = whole.levels([future.place])[0].get(future.channel, future.ts)
    lost = whole.dropped(rules, Among(since=future.place), MOST_ALSO + 1)
    if lost:
        found = of_record(whole, rules, lost[0])
        culprit = found.decider
        if (
            culprit is not None
            and culprit.place >= future.place
            and culprit.ts >= future.ts - (future.ts - before) // 2
        ):
            return replace(found, also=tuple(lost[1:]), culprit=culprit)
    return of_record(whole, rules, future)


def _held(whole: Whole, rules: Rules, last: StreamRecord, where: Where) -> Case:
    """The first record after ``last``, the last one of a silent channel, whose window waits for that channel; beside
    it the first records with which others have passed the window's end, and those that they bring in the midst of the
    silence: without them all channels would seem to be silent."""
    later = whole.first(Among(since=last.place), _AFTER)
    waiting = (
        each for each in later if each.channel != last.channel and rules.fires_from(rules.window_of(each.ts)) > last.ts
    )
    record = next(waiting, None)
    if record is None:
        return of_record(whole, rules, last)
    found = of_record(whole, rules, record)
    passed = [each for each in whole.reached(rules.fires_from(found.window)).values() if each.channel != last.channel]
    # The record's own channel first: else it would seem to be silent, too.
    beside = sorted(passed, key=lambda each: (each.channel != record.channel, each.place))
    middle = whole.record(((where.get("from") or 0) + (where.get("to") or 0)) // 2)
    going_on = dict[int, StreamRecord]()
    for each in whole.first(Among(since=middle.place), _AFTER) if middle is not None else ():
        if each.channel != last.channel and each.place > record.place:
            going_on.setdefault(each.channel, each)
    others = sorted(going_on.values())[:_GOING_ON]
    return replace(found, beside=(last, *dict.fromkeys((*beside[:2], *others))))


def _replayed(whole: Whole, rules: Rules, first: StreamRecord, where: Where) -> Case:
    """The first record of a replay that is dropped, else ``first``, beside the newest one that came before it, its
    original if it is a copy, and the next ones of the replay."""
    last = whole.record(where.get("to") or 0) or first
    lost = [each for each in whole.dropped(rules, Among(since=first.place), MOST_ALSO + 1) if each.place <= last.place]
    record = lost[0] if lost else first
    found = of_record(whole, rules, record)
    newest = max(whole.maxima([record.place])[0].values(), key=lambda each: each.ts, default=None)
    if newest is None or newest.ts <= record.ts:
        return replace(found, also=tuple(lost[1:]))
    following = [each for each in whole.first(Among(since=record.place), _STRETCH) if each.ts < newest.ts]
    beside = (newest, *_originals(found, record)[:1], *following[1:3])
    return replace(found, also=tuple(lost[1:]), culprit=newest, beside=beside)


def _originals(found: Case, copy: StreamRecord) -> list[StreamRecord]:
    """The earlier records of the window with the same timestamp and value."""
    return [each for each in found.inside if each.place < copy.place and (each.ts, each.value) == (copy.ts, copy.value)]


def _twice(whole: Whole, rules: Rules, copy: StreamRecord) -> Case:
    """A record that is a copy, beside its original."""
    found = of_record(whole, rules, copy)
    return replace(found, beside=tuple(_originals(found, copy)[:1]))


DEFAULT: Final = Rules()

MOST: Final = 40
"""How many records a cut has at most, unless asked otherwise."""


@dataclass(frozen=True, slots=True)
class CutRequest:
    """What is cut: ``around`` what, by which rules, at most how many records (>= 1), with or without names.

    ``where`` is what the finding of ``around`` says, empty for everything else.
    """

    around: Around
    rules: Rules = DEFAULT
    most: int = MOST
    anonymous: bool = False
    where: Where = field(default_factory=dict)


def cut(whole: Whole, request: CutRequest) -> Scenario:
    """The scenario that shows ``request.around`` as it is in ``whole``. Raises ``CutFails`` if there is none."""
    case = find(whole, request)
    chosen = choose(whole, case, request.most)
    made = items_of(chosen, case.rules, anonymous=request.anonymous)
    bare = Scenario(
        name_of(request.around),
        operator_of(case.rules, made.function),
        made.items,
        (input_of(case.rules, len(chosen.channels)),),
        origin=made.origin,
    )
    numbers = dict(zip(chosen.records, whole.number(chosen.records), strict=True))
    return with_story(bare, case, chosen, made, numbers, whole.channels)


def find(whole: Whole, request: CutRequest) -> Case:
    """What is shown. All channels of the stream count, even if fewer are asked for. Raises ``CutFails``."""
    rules = replace(request.rules, channels=max(request.rules.channels, len(whole.channels)))
    match request.around:
        case Dropped():
            found = whole.dropped(rules, ALL, 1)
            if not found:
                lengths = {"bound": rules.bound, "lateness": rules.lateness, "size": rules.size}
                raise CutFails("nothing_dropped", **{name: duration(ms) for name, ms in lengths.items()})
            return of_record(whole, rules, found[0])
        case RecordOf(number):
            record = whole.record(number)
            if record is None:
                raise CutFails("no_record", number=f"{number:,}")
            return of_record(whole, rules, record)
        case WindowOf(key, ts):
            return of_window(whole, rules, key, rules.window_of(ts))
        case FindingOf(code, _):
            return of_finding(whole, rules, code, request.where)


def cut_text(whole: Whole, request: CutRequest) -> str:
    """The text of the file of that scenario, which ``python -m simulator check`` accepts."""
    text = as_yaml(cut(whole, request))
    if len(text.encode()) > SCENARIO_BYTES:
        raise CutFails("too_large", most=SCENARIO_BYTES)
    problems = problems_of_run(parse(text))
    assert not problems, problems
    return text


def name_of(around: Around) -> str:
    """The name of the scenario, and of its file without the ending."""
    match around:
        case Dropped():
            return "cut-dropped"
        case RecordOf(number):
            return f"cut-record-{number}"
        case WindowOf():
            return "cut-window"
        case FindingOf(code, nth):
            return f"cut-{code}" if nth == 1 else f"cut-{code}-{nth}"
