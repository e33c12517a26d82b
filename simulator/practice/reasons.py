"""Why the right answer is right, in the numbers of its run."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from tidemark.simulator.explore.answers import now
from tidemark.simulator.explore.fired import Fired
from tidemark.simulator.explore.runs import Ran, watermark_after
from tidemark.simulator.inventory.items import Item
from tidemark.simulator.inventory.telling import listed_text, moment_text, seconds_text
from tidemark.simulator.practice.believed import results
from tidemark.simulator.practice.levels import FORM
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.format import time_format
from tidemark.simulator.values.window import TimeWindow
from tidemark.simulator.words import words

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
        until = time_text(truth.scenario, each.end - 1 + getattr(truth.scenario.operator, "allowed_lateness", 0))
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
