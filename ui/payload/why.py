"""What the Why cards know: conditions, firings, judgements, what each channel may send next, the trigger in words."""

from collections.abc import Iterator
from typing import Any

from tidemark.simulator.explore.settings import BOUND, LATENESS, settings_of
from tidemark.simulator.explore.smallest import Kept, keeping
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.stream import asked_every
from tidemark.simulator.timeline import Timeline
from tidemark.simulator.timeline.conditions import conditions, firings
from tidemark.ui.payload.sentence import in_words, words_of_ways

Row = dict[str, Any]


def why_tables(facts: Timeline) -> dict[str, list[Row]]:
    """The tables ``conditions``, ``firings``, ``judgements`` and ``remedies``; of micro-batches ``judged`` alone."""
    if facts.scenario.engine == "spark":
        return {"judged": facts.notes["judged"]}
    judgements = facts.notes["judgements"]
    return {
        "conditions": conditions(facts),
        "firings": firings(facts),
        "judgements": judgements,
        "remedies": [_remedy(each) for each in keeping(facts)],
    }


def _remedy(kept: Kept) -> Row:
    """One row of the table ``remedies``; nothing takes a loss back where there are such rows."""
    what = kept.setting.name
    made = {"record": kept.record, "what": what, "before": kept.before, "after": kept.after}
    return {"id": f"remedy:{kept.record}|{what}", **made, "from_step": kept.step, "until_step": None}


def with_outlook(rows: list[Row], facts: Timeline) -> Iterator[Row]:
    """The channels' facts with what a Why card says about them.

    ``since``: where on the arrival axis the channel's watermark came to what it is. ``ahead`` (ms): how far a record
    must be ahead of the watermark that it is to bring; null where watermarks stand in the stream. ``least``: the lowest
    watermark that its generator may still send, null for any. ``pending``: what it sends when it is asked next, null
    for nothing new. ``every`` (ms): how often it is asked, 0 after each record. ``when``: for which records alone, null
    for all.
    """
    specs = {each.name: each.watermark for each in facts.scenario.inputs}
    column = "at" if facts.arrival_axis == "at" else "item"
    moments = [step[column] for step in facts.by_name()["steps"]]
    known: dict[str, tuple[int | None, int | None]] = {}
    for row in rows:
        before, since = known.get(row["id"], (None, None))
        if row["watermark"] != before:
            since = None if row["watermark"] is None else moments[row["from_step"]]
        known[row["id"]] = row["watermark"], since
        each, sent = specs[row["input"]], row["emitted"]
        more: Row = {"since": since, "ahead": None, "least": None, "pending": None, "every": 0, "when": None}
        if each.makes_watermarks:
            lows = [low for low in (each.floor, None if sent is None else sent + 1) if low is not None]
            more |= {"ahead": each.ahead, "least": max(lows, default=None), "every": asked_every(each)}
            more["when"] = getattr(each, "when", None)
            if row["max_timestamp"] is not None:
                pending = row["max_timestamp"] - each.ahead
                more["pending"] = pending if all(pending >= low for low in lows) else None
        elif facts.scenario.engine == "spark":
            more["ahead"] = facts.scenario.input(row["input"]).delay
        yield row | more


def firing_of(scenario: model.Scenario) -> dict[str, Any]:
    """What is the same for all windows of the scenario: {trigger, ways, by_clock, merges, sides, keeps}.

    ``trigger`` in words; ``ways``: what the trigger's own ways to fire are called, by their kind; ``by_clock``:
    windows end by the clock, not by the watermark; ``merges``: they are sessions; ``sides``: the inputs that must both
    have a record for a row, [] for one input or where either will do; ``keeps``: the settings by which a lost record
    might be kept.
    """
    operator = scenario.operator
    keeps = [each.name for each in (BOUND, LATENESS) if each in settings_of(scenario)]
    if operator.trigger is None:
        return {"trigger": "", "ways": {}, "by_clock": False, "merges": False, "sides": [], "keeps": keeps}
    return {
        "trigger": in_words(operator.trigger, "why"),
        "ways": words_of_ways(operator.trigger),
        "by_clock": operator.time == "processing",
        "merges": operator.merges,
        "sides": list(operator.sides_needed),
        "keeps": keeps,
    }
