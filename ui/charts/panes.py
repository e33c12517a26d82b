"""Results on the plane: a box for each, struck through once retracted; bars that span its window; single marks."""

from typing import Any

from tidemark.ui.charts.axes import Axis
from tidemark.ui.charts.rows import Row, Tables, lasting
from tidemark.ui.times import TimeStyle

LOOK_OF_TIMING = {"early": "early", "late": "late"}
BOXED = frozenset({"pane", "joined", "group", "ranked"})
WITHDRAWALS = frozenset({"-U", "-D"})


def panes(tables: Tables, x: Axis, y: Axis, style: TimeStyle) -> dict[str, list[Row]]:
    """``boxes``, ``bars`` and (for sorted and joined records) the single marks ``emitted``.

    A box has a ``look``: ``solid``, ``early``, ``late`` or ``minus`` (takes a result back), and may be ``struck``.
    ``place`` is the id of the first box that has its place: what is emitted again after a restore stands there too.
    """
    boxes: list[Row] = []
    bars: list[Row] = []
    emitted: list[Row] = []
    taken_back = {row["output"]: row["from_step"] for row in tables.get("retracted", [])}
    places: dict[tuple[Any, ...], str] = {}
    again = _again(tables)
    void = [(fact, True) for fact in tables.get("void", [])]
    for fact, gone in [*((fact, False) for fact in tables.get("outputs", [])), *void]:
        row, life, id = fact["row"], (fact["from_step"], fact["until_step"]), fact["id"]
        at_y = y.clamp(fact["arrival"], y.low)
        alone = row["row"] == "joined" and row.get("start") is None
        if row["row"] == "emitted" or alone:
            at = _own_time(row) if alone else row["ts"]
            if not gone:
                look = "minus" if row.get("change") in WITHDRAWALS else "solid"
                emitted.append(lasting(*life, id=id, x=x.clamp(at, x.low), y=at_y, look=look))
            continue
        if row["row"] not in BOXED:
            continue
        minus = row.get("change") in WITHDRAWALS
        start, end = style.on_axis(row.get("start"), row.get("end"))
        low, high = x.clamp(start, x.low), x.clamp(end, x.high)
        if not minus and not gone:
            bars.append(lasting(*life, id=id, x=low, x2=high, y=at_y, y2=at_y))
        look = "minus" if minus else LOOK_OF_TIMING.get(row.get("timing", "on-time"), "solid")
        text = pane_text(row)
        here = (low, high, at_y, text, look)
        place = places.get(here, id) if gone or fact["from_step"] in again else id
        places[here] = place
        box = {"id": id, "place": place, "x": low, "x2": high, "y": at_y, "text": text, "look": look}
        cut = taken_back.get(fact["id"])
        if gone or minus or cut is None or (life[1] is not None and cut >= life[1]):
            boxes.append(lasting(*life, **box, struck=gone or minus))
        else:
            boxes.append(lasting(life[0], cut, **box, struck=False))
            boxes.append(lasting(cut, life[1], **box, struck=True))
    return {"boxes": boxes, "bars": bars, "emitted": emitted}


def _own_time(row: Row) -> int:
    """The time (ms) of a pair that no window has made; rows of Spark's rules do not carry one."""
    time: int = row["timestamp"] if "timestamp" in row else max(row[side]["ts"] for side in ("left", "right"))
    return time


def _again(tables: Tables) -> frozenset[int]:
    """Steps at which a withdrawn row is emitted again."""
    return frozenset(row["until_step"] for row in tables.get("void", []) if row["until_step"] is not None)


def pane_text(row: Row) -> str:
    """``a 22 ↻1``: key, value and, for an update, its number; of a join both sides."""
    update = f" ↻{row['pane']}" if row.get("timing") == "late" else ""
    key = str(row["key"]).lower() if isinstance(row["key"], bool) else str(row["key"])
    if row["row"] == "joined":
        right = row["right"]
        other = "∅" if right is None else _compact(right["value"])
        return f"{key} {_compact(row['left']['value'])} ⋈ {other}"
    if row["row"] == "group":
        return f"{key} {_side(row['left'])} · {_side(row['right'])}"
    if row["row"] == "ranked":
        return f"{key} {row['rank']}) {_compact(row['value'])}"
    value = row.get("value", "")
    shown = value if isinstance(value, str) else _compact(value)
    return f"{key} {shown}{update}".strip()


def _side(values: Any) -> str:
    """One side of a group; ∅ if it is empty."""
    return "∅" if values is None or values == [] else _compact(values)


def _compact(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        return "{…}"
    if isinstance(value, list):
        text = ", ".join(map(_compact, value))
        return f"[{text}]" if len(text) < 22 else f"[{len(value)}]"
    return str(value)
