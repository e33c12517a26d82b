"""Results on the plane: a box for each, struck through once retracted; bars that span its window; single marks."""

from typing import Any

from ui.charts.axes import Axis
from ui.charts.crowding import WIDTH, Crowding
from ui.charts.rows import Row, Tables, lasting
from ui.charts.text import width

END = 9
"""Room (px) between the text of a box and its end."""

MARK = 15
"""Room (px) that a result takes whose text has none: its square alone."""

LOOK_OF_TIMING = {"early": "early", "late": "late"}
BOXED = frozenset({"pane", "joined", "group"})
WITHDRAWALS = frozenset({"-U", "-D"})


def panes(tables: Tables, x: Axis, y: Axis, crowding: Crowding) -> dict[str, list[Row]]:
    """``boxes``, ``bars`` and (for sorted and joined records) the single marks ``emitted``.

    A box has a ``look``: ``solid``, ``early``, ``late`` or ``minus`` (takes a result back), and may be ``struck``.
    """
    boxes: list[Row] = []
    bars: list[Row] = []
    emitted: list[Row] = []
    used: dict[tuple[float, float], float] = {}
    taken_back = {row["output"]: row["from_step"] for row in tables.get("retracted", [])}
    places: dict[tuple[Any, ...], Row] = {}
    again = _again(tables)
    void = [(fact, True) for fact in tables.get("void", [])]
    for fact, gone in [*((fact, False) for fact in tables.get("outputs", [])), *void]:
        row, life = fact["row"], (fact["from_step"], fact["until_step"])
        at_y = y.clamp(fact["arrival"], y.low)
        alone = row["row"] == "joined" and row.get("start") is None
        if row["row"] == "emitted" or alone:
            at = max(row[side]["ts"] for side in ("left", "right")) if alone else row["ts"]
            if not gone:
                emitted.append(lasting(*life, x=x.clamp(at, x.low), y=at_y, look="solid"))
            continue
        if row["row"] not in BOXED:
            continue
        minus = row.get("change") in WITHDRAWALS
        low, high = x.clamp(row.get("start"), x.low), x.clamp(row.get("end"), x.high)
        if not minus and not gone:
            bars.append(lasting(*life, x=low, x2=high, y=at_y, y2=at_y))
        look = "minus" if minus else LOOK_OF_TIMING.get(row.get("timing", "on-time"), "solid")
        text = pane_text(row)
        # A result that is emitted again after a restore keeps its place.
        here = places.get((low, high, at_y, text, look)) if gone or fact["from_step"] in again else None
        if here is None:
            here = _place(low, high, at_y, text, x, used, crowding)
            places[low, high, at_y, text, look] = here
        box = {**here, "x": low, "y": at_y, "look": look}
        cut = taken_back.get(fact["id"])
        if gone or minus or cut is None or (life[1] is not None and cut >= life[1]):
            boxes.append(lasting(*life, **box, struck=gone or minus))
        else:
            boxes.append(lasting(life[0], cut, **box, struck=False))
            boxes.append(lasting(cut, life[1], **box, struck=True))
    return {"boxes": boxes, "bars": bars, "emitted": emitted}


def _again(tables: Tables) -> frozenset[int]:
    """Steps at which a withdrawn row is emitted again."""
    return frozenset(row["until_step"] for row in tables.get("void", []) if row["until_step"] is not None)


def _place(
    low: float, high: float, at_y: float, text: str, x: Axis, used: dict[tuple[float, float], float], crowding: Crowding
) -> Row:
    """Where a box of ``text`` finds room beside those before it, and how wide it is; else it is its mark alone."""
    offset = used.get((low, at_y), 8.0)
    wide = 24 + width(text) + END
    room = x.px(high, WIDTH) - x.px(low, WIDTH)
    found = crowding.take_box(low, at_y, offset, wide, room)
    if found is None:
        text, wide = "", 0.0
        offset = min(offset, max(room - MARK - 1, 8.0))  # a mark without text does not extend beyond its window
    else:
        offset = found
    used[low, at_y] = offset + (wide + 6 if wide else MARK)
    return {"dx": offset, "w": wide, "text": text}


def pane_text(row: Row) -> str:
    """``a 22 ↻1``: key, value and, for an update, its number; of a join both sides."""
    update = f" ↻{row['pane']}" if row.get("timing") == "late" else ""
    key = str(row["key"]).lower() if isinstance(row["key"], bool) else str(row["key"])
    if row["row"] == "joined":
        return f"{key} {_compact(row['left']['value'])} ⋈ {_compact(row['right']['value'])}"
    if row["row"] == "group":
        return f"{key} {_side(row['left'])} · {_side(row['right'])}"
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
