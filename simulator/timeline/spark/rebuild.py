"""The dialect's visible state at a step, rebuilt from the timeline: proof that its trace leaves nothing out."""

from typing import Any

from tidemark.simulator.engine.values.key import key_of
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.spark.batches import DONE
from tidemark.simulator.timeline.spark.buffers import BUFFER_KIND


def visible_batches(timeline: Timeline, step: int) -> dict[str, Any]:
    """What ``MicroBatches.snapshot()`` returns after ``step``, the last of a batch, in the same shape."""
    true = timeline.at(step)
    (watermark,) = true["watermark"]
    done = [row for row in true["batches"] if row["status"] == DONE]
    last = done[-1] if done else {"watermark": 0, "state_rows": 0}
    state: dict[str, dict[Any, Any]] = {}
    for row in true["state"]:
        table = state.setdefault(row["state"], {})
        if row["kind"] == BUFFER_KIND:
            table[key_of(row["key"]), None] = []
        else:
            value = row["value"]
            assert row["start"] is not None
            assert row["end"] is not None
            window = TimeWindow(row["start"], row["end"])
            table[key_of(row["key"]), window] = tuple(value) if isinstance(value, list) else value
    for buffered in sorted(true["buffers"], key=lambda each: each["order"]):
        state[buffered["side"]][key_of(buffered["key"]), None].append((buffered["ts"], buffered["value"]))
    return {
        "watermark": watermark["value"],
        "late_watermark": last["watermark"],
        "inputs": {
            row["input"]: (row["watermark"], row["max_timestamp"])
            for row in true["channels"]
            if row["watermark"] is not None
        },
        "state": state,
        "state_rows": last["state_rows"],
        "batches": len(done),
    }
