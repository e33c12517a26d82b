"""The record that a Why card names, sent on its channel after this item, fires the window; 1 ms less does not."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from tidemark.simulator.engine.values.items import Advance, Item, Record, Status
from tidemark.simulator.scenario.model import Scenario
from tidemark.ui.payload.contents import with_outlook

from tests.examples import examples
from tests.js.node import answering, needs_node
from tests.random_scenarios.flink import SHORT, scenarios
from tests.timeline.remedies import Standing, held_back

pytestmark = needs_node


@pytest.fixture(scope="module")
def card() -> Iterator[Any]:
    """The card's own functions."""
    with answering() as ask:
        yield ask


def _remedies(card: Any, standing: Standing) -> Iterator[tuple[str, dict[str, Any], dict[str, Any] | None]]:
    """The card's answer for each window that waits for the watermark: (window, remedy, the idle channel that would)."""
    facts = standing.timeline
    channels = [row for row in with_outlook(facts.tables["channels"], facts) if row["until_step"] is None]
    watermark = standing.now("watermark")[0]["value"]
    nearest = standing.nearest("watermark")
    waiting = [{"needs": needs, "channels": channels, "watermark": watermark} for needs in nearest.values()]
    remedy = card("remedies", waiting=waiting)
    for window, (records, idle) in zip(nearest, remedy, strict=True):
        yield window, records, idle


def _holds(card: Any, scenario: Scenario) -> None:
    standing = Standing(scenario)
    for window, remedy, idle in _remedies(card, standing):
        if idle is not None:
            mark = Status("idle", idle["channel"]["input"], idle["channel"]["channel"])
            assert standing.fires(window, [mark], "on_event_time"), (window, idle)
        if remedy["kind"] != "records" or any(each["kind"] == "watermark" for each in remedy["each"]):
            continue
        every = max(each["channel"]["every"] for each in remedy["each"])
        if every and standing.clock_matters:
            continue  # the clock, which must advance here, may change what the window waits for
        assert standing.fires(window, _items(standing, remedy, every), "on_event_time"), (window, remedy)
        for index, each in enumerate(remedy["each"]):
            if each["kind"] == "record":
                almost = _items(standing, remedy, every, less=index)
                assert not standing.fires(window, almost, "on_event_time"), (window, remedy)


def _items(standing: Standing, remedy: dict[str, Any], every: int, less: int | None = None) -> list[Item]:
    """The named records, the one at index ``less`` a millisecond earlier, and time for the generators to be polled."""
    records: list[Item] = []
    for index, each in enumerate(remedy["each"]):
        if each["kind"] == "record":
            channel = each["channel"]
            record: Record = standing.record(channel["input"], channel["channel"], each["ts"] - (index == less))
            records.append(record)
    return [*records, Advance(every)] if every else records


@settings(max_examples=examples(120), deadline=None)
@given(scenario=scenarios(uses=SHORT))
def test_the_record_that_the_card_names_fires_the_window(card: Any, scenario: Scenario) -> None:
    _holds(card, scenario)


@settings(max_examples=examples(120), deadline=None)
@given(scenario=held_back())
def test_the_record_that_the_card_names_fires_the_window_behind_several_channels(card: Any, scenario: Scenario) -> None:
    _holds(card, scenario)
