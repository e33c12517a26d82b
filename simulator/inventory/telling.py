"""An item in words: its settings, its records as a table, its question, its choices."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.inventory.choices import FINAL, FIRES, RESULTS, STATE, WATERMARK, choices
from tidemark.simulator.inventory.items import Item, scenario_of
from tidemark.simulator.timeline.format import TimeFormat, duration, time_format
from tidemark.simulator.words import words

TICKS: Final = 3
"""So many times are named at which a watermark is emitted."""


def story_of(item: Item, form: str) -> str:
    """What the records are about."""
    return words(f"inventory.items.{item.name}.{form}")


def settings_of(item: Item, form: str, *, bound: str = "") -> list[str]:
    """Windows, bound and whatever else decides, each in a few words. ``bound``: what is said instead of its length."""
    unit = item.forms[form].unit

    def length(units: int) -> str:
        return duration(units * unit)

    told = [words(f"inventory.settings.{'session' if item.session else 'tumbling'}", size=length(item.size))]
    told.append(words("inventory.settings.bound", bound=bound or length(item.bound)))
    if item.lateness:
        told.append(words("inventory.settings.lateness", lateness=length(item.lateness)))
    if item.emit:
        told.append(words("inventory.settings.emit", ticks=listed_text(_ticks(item, form))))
    if item.channels > 1:
        told.append(words("inventory.settings.channels", count=item.channels))
    if item.idle:
        told.append(words("inventory.settings.idle", timeout=length(item.idle)))
    if item.aggregates:
        told.append(words("inventory.settings.count"))
    return told


def _ticks(item: Item, form: str) -> list[str]:
    """When the generator is asked: at multiples of the interval on the clock; the first ones after the first record."""
    look = item.forms[form]
    interval, first = item.emit * look.unit, look.ms(item.records[0].at or 0)
    return [seconds_text((first // interval + number) * interval) for number in range(1, TICKS + 1)]


def seconds_text(ms: int) -> str:
    """A time of an item: all of them are whole seconds."""
    return words("inventory.answer.seconds", time=ms // 1000)


def table_of(item: Item, form: str) -> dict[str, list[Any]]:
    """The records as {head, rows}: number, timestamp, and whatever differs: arrival, key, channel."""
    look = item.forms[form]
    columns = ["record", "ts"]
    columns += ["at"] if item.has_clock else []
    columns += ["key"] if len(look.keys) > 1 else []
    columns += ["channel"] if item.channels > 1 else []
    rows = []
    for number, spot in enumerate(item.records, 1):
        cells = {
            "record": str(number),
            "ts": seconds_text(look.ms(spot.ts)),
            "at": "" if spot.at is None else seconds_text(look.ms(spot.at)),
            "key": look.keys[spot.key],
            "channel": str(spot.channel),
        }
        rows.append([cells[name] for name in columns])
    return {"head": [words(f"inventory.columns.{name}") for name in columns], "rows": rows}


def question_of(item: Item, form: str) -> str:
    """What is asked."""
    look, style = item.forms[form], time_format(scenario_of(item, form))
    kind = item.asks
    if kind == FIRES and len(look.keys) > 1:
        kind = "fires_key"
    if kind == FINAL and item.lateness:
        kind = "final_again"
    window = style.window(TimeWindow(*item.bounds(form)))
    return words(f"inventory.asks.{kind}", window=window, key=look.keys[item.key], record=item.record)


def choice_texts(item: Item, form: str) -> list[str]:
    """The choices in words, in their order."""
    style = time_format(scenario_of(item, form))
    return [answer_text(item, each.value, style) for each in choices(item, form)]


def answer_text(item: Item, value: Any, style: TimeFormat) -> str:
    """An answer in words."""
    if item.asks == WATERMARK:
        return words("inventory.answer.seconds", time=style.exact(value))
    if item.asks == STATE:
        return str(value)
    if item.asks == FIRES:
        return moment_text(item, value)
    return _sessions(item, value) if item.asks == RESULTS else records_text(value)


def moment_text(item: Item, moment: int | None, texts: str = "inventory.answer") -> str:
    """When something happens, told by the records; None for never before the end. ``texts``: where its words are."""
    last = len(item.records)
    if moment is None or moment >= 2 * last - 1:
        return words(f"{texts}.end")
    before, between = divmod(moment, 2)
    if not between:
        return words(f"{texts}.at", record=item.number(before))
    return words(f"{texts}.between", before=item.number(before), after=item.number(before + 1))


def records_text(records: Sequence[int] | None) -> str:
    """Which records, by their numbers; None and none at all for no result."""
    if not records:
        return words("inventory.answer.none")
    if len(records) == 1:
        return words("inventory.answer.one", record=records[0])
    return words("inventory.answer.records", first=listed_text(map(str, records[:-1])), last=records[-1])


def _sessions(item: Item, groups: Sequence[Sequence[int]]) -> str:
    """Which records are together, which alone, which dropped."""
    told = [
        words("inventory.answer.alone", record=group[0])
        if len(group) == 1
        else words("inventory.answer.together", records=_and(group))
        for group in groups
    ]
    kept = {record for group in groups for record in group}
    lost = [number for number in range(1, len(item.records) + 1) if number not in kept]
    if lost:
        told.append(
            words("inventory.answer.dropped", record=lost[0])
            if len(lost) == 1
            else words("inventory.answer.dropped_many", records=_and(lost))
        )
    return words("app.semicolon").join(told)


def _and(records: Sequence[int]) -> str:
    return words("inventory.answer.and", first=listed_text(map(str, records[:-1])), last=records[-1])


def listed_text(parts: Iterable[str]) -> str:
    """Numbers or words one after another."""
    return words("inventory.answer.comma").join(parts)
