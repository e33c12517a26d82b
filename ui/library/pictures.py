"""A small picture of a scenario: its plane at the end of the run, as numbers between 0 and 1 and kinds of marks."""

from typing import Any

from tidemark.ui.charts.axes import Axis
from tidemark.ui.charts.fates import BEHIND

MOST_MARKS = 60


def picture(payload: dict[str, Any]) -> dict[str, Any]:
    """Bands, watermark steps, firings and records of a player's payload (``ui.payload.contents``)."""
    signals, rows = payload["signals"], payload["sources"]
    x = Axis(signals["x0"], signals["x1"], [], [])
    y = Axis(signals["y0"], signals["y1"], [], [])

    def last(name: str) -> list[dict[str, Any]]:
        return [row for row in rows[name] if row["until_step"] is None]

    def at(value: float, axis: Axis) -> float:
        return round(axis.px(value, 1), 3)

    records = last("records")
    kept = records[:: max(1, len(records) // MOST_MARKS)]
    boxes = last("boxes")
    return {
        "bands": [[at(b["x"], x), at(b["x2"], x)] for b in last("bands") if b["shaded"]],
        "steps": [
            [at(s["x"], x), at(s["x2"], x), at(s["y"], y), at(s["y2"], y)] for s in last("segments") if not s["ended"]
        ],
        "bars": [[at(b["x"], x), at(b["x2"], x), at(b["y"], y)] for b in last("bars")][:MOST_MARKS],
        "results": [[at(b["x"], x), at(b["y"], y), b["look"]] for b in boxes][:MOST_MARKS],
        "records": [[at(r["x"], x), at(r["y"], y), "on-time" if r["fate"] == BEHIND else r["fate"]] for r in kept],
    }
