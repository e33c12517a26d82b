"""What speaks for and against an answer: runs by truth and belief, wrong choices, reasons in the numbers of the run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.explore.beliefs import BELIEFS, Believed
from tidemark.simulator.explore.questions import Fired, fired, fired_in, now
from tidemark.simulator.explore.runs import Ran, run_of, watermark_after
from tidemark.simulator.inventory.choices import listed_text, moment_text, seconds_text
from tidemark.simulator.inventory.items import Item, Spot, scenario_text
from tidemark.simulator.practice.exercise import FORM, AnswerError, Chance
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.wording import time_format
from tidemark.simulator.words import words

from tidemark import simulator


class Quick(NamedTuple):
    """A run without its timeline; ``moments`` as in ``simulator.explore.runs``."""

    trace: Trace
    moments: Sequence[int]


def scenario_of(item: Item) -> Scenario:
    """The scenario of an exercise, whose name is that of its kind."""
    return scenarios.parse(scenario_text(item, FORM, f"practice-{item.name}"), "practice.yaml")


def truth_of(item: Item) -> Ran:
    """The run of an exercise."""
    return run_of(scenario_of(item))


def varied(truth: Ran, scenario: Scenario) -> Ran:
    """The run of a scenario that differs from that of ``truth`` by a number or the order of its records.

    It keeps the timeline of ``truth``, of which beliefs only want to know whether records have times of arrival; so
    many of these can be tried in the time that one timeline takes.
    """
    return replace(truth, scenario=scenario, trace=simulator.run_traced(scenario)[1])


def results(run: Ran | Quick) -> list[Fired]:
    """What fires in a run, in order."""
    return fired(run.trace, run.moments)


def believed(truth: Ran, names: Iterable[str] | None = None) -> Iterator[tuple[str, list[Fired]]]:
    """What fires in the run of each belief that can be run here: (belief, results)."""
    wanted = None if names is None else set(names)
    for belief in BELIEFS:
        if wanted is None or belief.name in wanted:
            parts = [_run(part) for part in belief.believed(truth)]
            if parts:
                yield belief.name, fired_in(parts)


def is_wrong_here(truth: Ran, belief: str) -> bool:
    """Whether the run of a belief has other results than the truth; for no belief ("") there is nothing to ask."""
    return not belief or any(_told(found) != _told(results(truth)) for _, found in believed(truth, [belief]))


def _told(found: Iterable[Fired]) -> list[Fired]:
    return [each._replace(step=0) for each in found]


def _run(part: Believed) -> Quick:
    scenario, moments = part
    return Quick(simulator.run_traced(scenario)[1], moments)


def lost(found: Iterable[Fired], records: int) -> list[int]:
    """The records, by their values from 1 to ``records``, that are in no result."""
    kept = {value for each in found for value in each.value}
    return [number for number in range(1, records + 1) if number not in kept]


def record_text(item: Item, spot: Spot) -> str:
    """A record in a few words: its event time, and whatever tells it from others."""
    look = item.forms[FORM]
    told = [seconds_text(look.ms(spot.ts))]
    told += [look.keys[spot.key]] if len(look.keys) > 1 else []
    told += [words("inventory.axis.channel", channel=spot.channel)] if item.channels > 1 else []
    return " · ".join(told)


MANY: Final = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer. ``belief``: who expects it, "" for nobody in particular."""

    value: Any
    right: bool = False
    belief: str = ""


def mixed(
    chance: Chance, right: Any, expected: Mapping[str, Any], others: Sequence[Any], wanted: str = ""
) -> tuple[Choice, ...]:
    """Up to four choices in some order. ``expected``: the answer of each belief; ``others`` fill up what is missing.

    Where beliefs share an answer it is said to be that of ``wanted``, or of the first; answers of one belief alone come
    first. The answer of ``wanted`` is always among the choices, unless it is right.
    """
    held: dict[Any, list[str]] = {}
    for belief, answer in expected.items():
        if answer != right:
            held.setdefault(answer, []).append(belief)
    wrong = [Choice(answer, belief=wanted if wanted in names else names[0]) for answer, names in held.items()]
    wrong = chance.shuffled(wrong)
    wrong.sort(key=lambda each: (each.belief != wanted or not wanted, len(held[each.value])))
    for answer in others:
        if answer != right and answer not in held:
            held[answer] = []
            wrong.append(Choice(answer))
    return tuple(chance.shuffled([Choice(right, right=True), *wrong[: MANY - 1]]))


def right_one(choices: Sequence[Choice]) -> int:
    """The index of the right choice."""
    return next(index for index, each in enumerate(choices) if each.right)


def chosen(choices: Sequence[Choice], answer: Any) -> Choice:
    """The choice that was made. Raises ``AnswerError``."""
    if type(answer) is not int or not 0 <= answer < len(choices):
        raise AnswerError(words("practice.no_choice"))
    return choices[answer]


MOST: Final = 2
"""So many records are explained; more would not be read."""


class Value(NamedTuple):
    """The result of a window: its records by their numbers, ascending."""

    key: Any
    start: int
    end: int
    records: tuple[int, ...]


def as_values(found: Iterable[Fired]) -> tuple[Value, ...]:
    """Results without their steps, in an order of their own."""
    return tuple(sorted(Value(each.key, each.start, each.end, tuple(sorted(each.value))) for each in found))


def results_text(scenario: Scenario, values: Iterable[Value], *, keys: bool) -> str:
    """Results in words; ``keys``: with their keys."""
    told = [
        words(
            f"practice.result{'_key' if keys else ''}",
            window=window_text(scenario, each.start, each.end),
            key=each.key,
            records=listed_text(map(str, each.records)),
        )
        for each in values
    ]
    return words("app.semicolon").join(told)


def window_text(scenario: Scenario, start: int, end: int) -> str:
    """A window as everywhere else."""
    return time_format(scenario).window(TimeWindow(start, end))


def time_text(scenario: Scenario, ms: int) -> str:
    """A time in seconds, to the millisecond."""
    return words("inventory.answer.seconds", time=time_format(scenario).exact(ms))


def of_firing(item: Item, truth: Ran, each: Fired) -> list[str]:
    """Why a window fires when it does."""
    window = window_text(truth.scenario, each.start, each.end)
    watermark = truth.trace.steps[each.step].watermark
    assert watermark is not None  # nothing else makes a window of event time fire
    reached = time_text(truth.scenario, watermark)
    before = watermark_after(truth.watermarks, each.moment - 1)
    if before is not None and before >= each.end - 1:
        until = time_text(truth.scenario, each.end - 1 + truth.scenario.operator.allowed_lateness)
        name = "again" if each.pane else "at_once"
        said = words(f"practice.why.{name}", window=window, watermark=reached, until=until)
    else:
        last = time_text(truth.scenario, each.end - 1)
        moment = moment_text(item, each.moment)
        said = words("practice.why.fires", window=window, watermark=reached, last=last, moment=moment)
    return [said, *_of_channels(truth, each.step)]


def _of_channels(truth: Ran, step: int) -> list[str]:
    """Where the channels stand, if there are several."""
    channels = now(truth, "channels", step)
    if len(channels) < 2:
        return []
    told = []
    for row in sorted(channels, key=lambda row: row["channel"]):
        name = "idle" if row["status"] == "idle" else "none" if row["watermark"] is None else "at"
        if name == "at" and not row["aligned"]:
            name = "behind"  # it was idle: until it has caught up it does not hold the others back
        at = "" if row["watermark"] is None else time_text(truth.scenario, row["watermark"])
        told.append(words(f"practice.why.channel_{name}", channel=row["channel"], watermark=at))
    return [words("practice.why.channels", channels=words("app.semicolon").join(told))]


def inside(item: Item, moment: int) -> str:
    """A moment in the middle of a sentence."""
    return moment_text(item, moment, "practice.moment")


def of_watermark(item: Item, truth: Ran, moment: int) -> str:
    """Where the watermark is at a moment at which nothing fires."""
    watermark = watermark_after(truth.watermarks, moment)
    when = moment_text(item, moment)
    if watermark is None:
        return words("practice.why.none_yet", moment=when)
    return words("practice.why.only", moment=when, watermark=time_text(truth.scenario, watermark))


def of_record(item: Item, truth: Ran, record: int) -> str:
    """What becomes of a record, and why: ``record`` is its value."""
    place = next(number for number in range(len(item.records)) if item.number(number) == record)
    watermark = watermark_after(truth.watermarks, 2 * place - 1)
    at = "" if watermark is None else time_text(truth.scenario, watermark)
    ts = seconds_text(item.forms[FORM].ms(item.records[place].ts))
    into = next((each for each in results(truth) if record in each.value), None)
    if into is None:
        start, end = window_of(item, place)
        window = window_text(truth.scenario, start, end)
        until = time_text(truth.scenario, end - 1 + item.lateness * item.forms[FORM].unit)
        return words("practice.why.lost", record=record, ts=ts, watermark=at, window=window, until=until)
    window = window_text(truth.scenario, into.start, into.end)
    name = "kept" if at else "kept_first"
    return words(f"practice.why.{name}", record=record, ts=ts, watermark=at, window=window)


def window_of(item: Item, place: int) -> tuple[int, int]:
    """The window (ms) of the record at ``place``; of a session the one that it makes on its own."""
    look, ts = item.forms[FORM], item.records[place].ts
    start = ts if item.session else ts - ts % item.size
    return look.ms(start), look.ms(start + item.size)
