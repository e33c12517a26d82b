"""The items of the concept inventory: fifteen tiny scenarios, each written once and told twice, as form A and form B.

``items.toml`` has each item in units of time, without a story: windows, bound, records. A form gives it the length of a
unit, the first window's start, and names for the keys (``Look``), so both forms have the same structure: the same
things happen at the same records. ``tests/inventory`` holds them to it. The stories are in the catalogue.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.scenario.model import Scenario

FORMS: Final = ("A", "B")
"""The form before, and the form after."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A record: its timestamp and arrival in units (``at`` is None where only the order counts), key and channel.

    ``value``: None for its number, counted from 1 in the order of arrival.
    """

    ts: int
    at: int | None
    key: int
    channel: int
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """How a form shows an item: ``unit`` in ms, ``start`` in units, the names of the keys."""

    unit: int
    start: int
    keys: tuple[str, ...]

    def ms(self, units: int) -> int:
        """A point in time of the item as a timestamp (ms)."""
        return (self.start + units) * self.unit


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One item. Lengths are in units.

    ``asks`` is the kind of its question (``asked.KINDS``); ``record``, ``window`` and ``key`` say what it is about:
    the number of a record (from 1), of a window (from 0), of a key (from 0). ``size``: of the tumbling windows, or the
    gap of the sessions. ``emit``: 0 for a watermark after each record. ``idle``: after how long without a record a
    channel is idle, 0 for never. ``aggregates``: whether windows count their records instead of keeping them.
    """

    name: str
    asks: str
    records: tuple[Spot, ...]
    forms: Mapping[str, Look]
    size: int
    bound: int
    session: bool = False
    lateness: int = 0
    emit: int = 0
    idle: int = 0
    channels: int = 1
    aggregates: bool = False
    record: int = 0
    window: int = 0
    key: int = 0

    @property
    def has_clock(self) -> bool:
        """Whether the records have arrival times."""
        return self.records[0].at is not None

    def number(self, place: int) -> int:
        """What the record at ``place`` is called: its value."""
        value = self.records[place].value
        return place + 1 if value is None else value

    def bounds(self, form: str) -> tuple[int, int]:
        """Start and end (ms) of the window that the question is about."""
        look = self.forms[form]
        return look.ms(self.window * self.size), look.ms((self.window + 1) * self.size)


@cache
def inventory() -> tuple[Item, ...]:
    """All items, in the order in which they are asked."""
    return tuple(_item(each) for each in _read()["item"])


def edition() -> str:
    """The edition of the items: answers to another one must not be graded by this one.

    It is written down, although it follows from the answers: a page that opens need not run every item.
    """
    return str(_read()["edition"])


def _read() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("items.toml").read_text(encoding="utf-8"))


def _item(table: dict[str, Any]) -> Item:
    looks = {form: table.pop(form) for form in FORMS}
    spots = tuple(
        Spot(each["ts"], each.get("at"), each.get("key", 0), each.get("channel", 0)) for each in table.pop("records")
    )
    forms = {form: Look(each["unit"], each.get("start", 0), tuple(each["keys"])) for form, each in looks.items()}
    return Item(records=spots, forms=forms, **table)


@cache
def text_of(item: Item, form: str) -> str:
    """The item as a scenario file."""
    return scenario_text(item, form, f"inventory-{item.name}-{form.lower()}")


def scenario_text(item: Item, form: str, name: str) -> str:
    """The item as a scenario file with this name."""
    look = item.forms[form]
    assigner = (
        f"session, gap: {item.size * look.unit}ms" if item.session else f"tumbling, size: {item.size * look.unit}ms"
    )
    emit = f", emit: {item.emit * look.unit}ms" if item.emit else ""
    emit += f", idle_timeout: {item.idle * look.unit}ms" if item.idle else ""
    lateness = f"\n  allowed_lateness: {item.lateness * look.unit}ms" if item.lateness else ""
    function = "{call: aggregate, compute: count}" if item.aggregates else "{call: process, compute: collect}"
    bound = f"bound: {item.bound * look.unit}ms"
    lines = [
        "scenario: 1",
        f"name: {name}",
        "inputs:",
        f"  events: {{channels: {item.channels}, watermark: {{generator: bounded-out-of-orderness, {bound}{emit}}}}}",
        f"operator:\n  type: window\n  assigner: {{type: {assigner}}}{lateness}\n  function: {function}",
        "stream:",
        *(f"  - {{{_record(item, number, look)}}}" for number in range(len(item.records))),
    ]
    last = item.records[-1].at
    # While it waits for the end, an idle channel would fire windows at a time that no record tells.
    wait = 0 if item.idle else item.size
    end = "" if last is None else f", at: {look.ms(last + wait)}ms"
    return "\n".join([*lines, f"  - {{end: true{end}}}", ""])


def _record(item: Item, number: int, look: Look) -> str:
    spot = item.records[number]
    said = [f"ts: {look.ms(spot.ts)}ms", f"key: {look.keys[spot.key]}", f"value: {item.number(number)}"]
    if item.channels > 1:
        said.append(f"channel: {spot.channel}")
    if spot.at is not None:
        said.append(f"at: {look.ms(spot.at)}ms")
    return ", ".join(said)


@cache
def scenario_of(item: Item, form: str) -> Scenario:
    """The item as a scenario of the engine."""
    return scenarios.parse(text_of(item, form), f"{item.name}.yaml")
