"""Whether the rows of a scenario depend on the order in which an engine reads its channels."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any

from tidemark.simulator import run
from tidemark.simulator.engine.values.items import End, Item
from tidemark.simulator.programs import printed
from tidemark.simulator.programs.facts import ROWS, facts_of
from tidemark.simulator.scenario.model import Scenario

Rows = Counter[str]

MOST_ORDERS = 24


def canonical(row: Any) -> str:
    """A row as a text that equal rows share: 3 and 3.0 are equal."""
    return json.dumps(_plain(row), sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value == int(value) else float(f"{value:.9g}")
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def rows_of(scenario: Scenario) -> Rows:
    """The rows that a program of ``scenario`` prints."""
    rows: Rows = Counter()
    run(scenario, lambda row: rows.update([canonical(printed(row))] if row["row"] in ROWS else []))
    return rows


def is_open(scenario: Scenario) -> bool:
    """Whether another order of the channels gives other rows; then the engine decides, and nothing can be compared."""
    expected = rows_of(scenario)
    return any(rows_of(replace(scenario, stream=order)) != expected for order in _orders(scenario))


def _orders(scenario: Scenario) -> Iterator[tuple[Item, ...]]:
    """The stream with the channels one after another, in every order."""
    facts = facts_of(scenario, columns=True)
    channels: dict[tuple[str, int], list[Item]] = {}
    for item in facts.items:
        key = (getattr(item, "input", ""), getattr(item, "channel", 0))
        channels.setdefault(key, []).append(item)
    if len(channels) < 2:
        return
    end = (End(),) if facts.ends else ()
    for number, order in enumerate(permutations(channels.values())):
        if number == MOST_ORDERS:
            return
        yield (*(item for channel in order for item in channel), *end)
