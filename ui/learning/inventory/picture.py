"""What an item is shown with: its picture, and the address of its scenario under its own title."""

from collections.abc import Mapping
from typing import Any, Final

from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.inventory.items import Item
from tidemark.simulator.timeline.wording import time_format
from tidemark.simulator.words import words
from tidemark.ui.payload.charts import plane
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.share.links import token_of

SHOWN: Final = ("bands", "borders", "ideal")
"""What is drawn besides the records. The bands of sessions would tell which records are together."""

ROOM: Final = (0.6, 0.6)
"""The share of the usual width and height of a plane."""

DOT: Final = 20
"""Diameter (px) of a record's mark, which carries its number."""


def picture_of(item: Item, form: str, run: Ran) -> dict[str, Any]:
    """The plane as the browser draws it, at its one step; ``run`` is that of the item."""
    style = TimeStyle(time_format(run.scenario))
    by_item = not item.has_clock
    drawn = plane.plane(run.facts.by_name(), run.facts.number_of_steps, style, by_item, ROOM)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in plane.SOURCES}
    if not item.session:
        rows |= {name: [_still(row) for row in drawn["sources"][name]] for name in SHOWN}
    rows["records"] = _records(item, form, [*drawn["sources"]["ahead"], *drawn["sources"]["records"]])
    signals = drawn["parts"][0]["signals"]
    if by_item:
        signals["y_labels"] = [str(int(tick) + 1) if tick < len(item.records) else "" for tick in signals["y_ticks"]]
    titles = {
        "x_title": words("player.event_time_s"),
        "y_title": words("inventory.axis.record" if by_item else "player.arrival_axis_at_s"),
    }
    return {
        "parts": [{**drawn["parts"][0], "step": 0, "signals": signals}],
        "sources": rows,
        "signals": {**signals, **titles, "dot": DOT},
        "style": style.as_json(),
        "arrival_axis": "item" if by_item else "at",
        "steps": 1,
    }


def _still(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "from_step": 0, "until_step": None}


def _records(item: Item, form: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each record once, whatever becomes of it, with its number in its mark and beside it what tells it from others."""
    first: dict[str, dict[str, Any]] = {}
    for row in rows:
        first.setdefault(row["id"], row)
    found = []
    for number, row in enumerate(sorted(first.values(), key=lambda each: each["y"]), 1):
        label = _label(item, form, number)
        found.append({**_still(row), "fate": "arrived", "letter": str(number), "text": label, "full": label, "rank": 0})
    return found


def _label(item: Item, form: str, number: int) -> str:
    look, spot = item.forms[form], item.records[number - 1]
    told = [look.keys[spot.key]] if len(look.keys) > 1 else []
    told += [words("inventory.axis.channel", channel=spot.channel)] if item.channels > 1 else []
    return " · ".join(told)


def query_of(text: str, titles: Mapping[str, str]) -> dict[str, str]:
    """The query of a scenario that is in no file; ``titles`` by language, none of them with quotes in it."""
    said = ", ".join(f'{language}: "{title}"' for language, title in titles.items())
    return {"s": token_of(f"{text}title: {{{said}}}\n", json=False)}
