"""The picture of a run, with what the plane needs to draw it: for the player, and for both sides of a comparison.

The plane shows derived facts too. Those of the Why cards are not among them, and take longer than all others.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Any

from tidemark.simulator.explore.settings import BOUND, LATENESS
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.model import Global, Scenario
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.ids import window_id_of
from tidemark.simulator.timeline.wording import duration, time_format
from tidemark.simulator.words import section, words
from tidemark.ui.payload.charts import plane
from tidemark.ui.payload.times import TimeStyle

# What the picture shows of changes in addition to the facts: withdrawn results, evicted records, counts, join
# ranges.
#
# Each is a table of rows with ``from_step`` and ``until_step``, made once from the timeline's tables.

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]

JUDGED_LATE = frozenset({"dropped", "side"})

LOOKED_AT = frozenset({"MaxTimestampRaised", "JoinMatched", "JoinRowStored"})
"""What a micro-batch does with a record that is not late."""


def changes(scenario: model.Scenario, tables: Tables) -> dict[str, list[Row]]:
    """The tables ``retracted``, ``void``, ``evicted``, ``counts`` and ``ranges``, each in order of ``from_step``."""
    found = {
        "retracted": _retracted(tables["outputs"]),
        "void": _void(tables["outputs"]),
        "evicted": _evicted(tables),
        "counts": _counts(scenario, tables),
        "ranges": _ranges(scenario, tables),
    }
    for rows in found.values():
        rows.sort(key=lambda row: row["from_step"])
    return found


def on_clock(tables: Tables) -> dict[str, list[Row]]:
    """The tables as the plane of windows in processing time takes them: a record lies at its clock, not at its time.

    No watermark ends such a window, and nothing is out of order or behind on an axis that is the clock itself.
    """
    records = [row | {"ts": row["at"], "out_of_order": False} for row in tables["records"]]
    return {**tables, "records": records, "watermark": []}


def with_range(row: Row, operator: model.Operator) -> Row:
    """A buffered record with ``low`` and ``high``: the times (ms) on the other side that match it, and the open one.

    Both are null where any time does, as in a join of Spark's without bounds.
    """
    return row | _range(row["side"], row["ts"], operator)


def _range(side: str, ts: int, operator: model.Operator) -> Row:
    if operator.written_bounds is None:
        return {"low": None, "high": None, "low_open": True, "high_open": True}
    lower, upper = zip(operator.written_bounds, operator.open_bounds or (False, False), strict=True)
    if side == "left":
        ends = (ts + lower[0], lower[1]), (ts + upper[0], upper[1])
    else:
        ends = (ts - upper[0], upper[1]), (ts - lower[0], lower[1])
    (low, low_open), (high, high_open) = ends
    return {"low": low, "high": high, "low_open": low_open, "high_open": high_open}


def _retracted(outputs: Iterable[Row]) -> list[Row]:
    """``output`` (an id) is retracted by the output ``by``, from the step of ``by`` on."""
    last: dict[str, str] = {}
    rows = []
    for fact in sorted(outputs, key=lambda each: each["from_step"]):
        change, window = fact["row"].get("change"), fact["window"]
        if change in ("-U", "-D") and window in last:
            life = {"from_step": fact["from_step"], "until_step": fact["until_step"]}
            rows.append({"output": last[window], "by": fact["id"], **life})
        elif change in ("+I", "+U"):
            last[window] = fact["id"]
    return rows


def _void(outputs: list[Row]) -> list[Row]:
    """Rows that a restore has withdrawn, until the same row is emitted again."""
    starts: dict[int, list[int]] = {}
    for fact in outputs:
        starts.setdefault(fact["number"], []).append(fact["from_step"])
    rows = []
    for fact in outputs:
        since = fact["until_step"]
        if since is not None:
            until = min((start for start in starts[fact["number"]] if start >= since), default=None)
            rows.append(fact | {"id": f"void:{fact['id']}:{since}", "from_step": since, "until_step": until})
    return rows


def _evicted(tables: Tables) -> list[Row]:
    """Records that an evictor removes from a window: from the step of the eviction to the one that writes the rest."""
    steps = tables["steps"]
    said = [step["step"] for step in steps if step["event"] == "ElementsEvicted"]
    rows = []
    for content in tables.get("contents", []):
        gone = content["until_step"]
        if gone is None or not said or steps[gone]["event"] != "StateUpdated":
            continue
        place = bisect_right(said, gone) - 1
        if place >= 0:
            rows.append(content | {"from_step": said[place], "until_step": gone + 1})
    return rows


def _counts(scenario: model.Scenario, tables: Tables) -> list[Row]:
    """The progress of a count trigger in a window (an id): ``count`` of ``most``."""
    most = _most(scenario.operator.trigger)
    if most is None:
        return []
    ids = {fact["id"] for fact in tables.get("windows", [])}
    rows = []
    for state in tables.get("state", []):
        window = window_id_of(state)
        counts = state["kind"] == "trigger" and "count" in state["state"] and isinstance(state["value"], int)
        if counts and window in ids:
            life = {"from_step": state["from_step"], "until_step": state["until_step"]}
            rows.append({"window": window, "count": state["value"], "most": most, **life})
    return rows


def _most(trigger: Any) -> int | None:
    """The number at which a count trigger, or the one inside another, fires."""
    if isinstance(trigger, model.CountTrigger | model.CountElement):
        return trigger.max
    for part in ("inner", "early", "late"):
        found = getattr(trigger, part, None)
        if found is not None and (most := _most(found)) is not None:
            return most
    return None


def _ranges(scenario: model.Scenario, tables: Tables) -> list[Row]:
    """For each record of an interval join what matches it on the other side, while it is worked on and is not late."""
    operator = scenario.operator
    if operator.bounds is None:
        return []
    if operator.engine == "spark":
        return _ranges_in_batches(operator, tables)
    late = {(r["item"], r["from_step"]) for r in tables["records"] if r["fate"] in JUDGED_LATE}
    arrived = {r["from_step"]: r for r in tables["records"] if r["fate"] == "arrived"}
    rows: list[Row] = []
    for step in tables["steps"]:
        number, item = step["step"], step["item"]
        if record := arrived.get(number):
            found = {"item": item, "side": record["input"], "key": record["key"], "ts": record["ts"]}
            life = {"from_step": number, "until_step": number + 1}
            rows.append(found | _range(record["input"], record["ts"], operator) | life)
        elif rows and rows[-1]["until_step"] == number and rows[-1]["item"] == item and (item, number) not in late:
            rows[-1]["until_step"] = number + 1
    return rows


def _ranges_in_batches(operator: model.Operator, tables: Tables) -> list[Row]:
    """The same for a record while its batch processes it."""
    records = {row["item"]: row for row in tables["records"]}
    rows: list[Row] = []
    for step in tables["steps"]:
        if step["event"] not in LOOKED_AT:
            continue
        number, item = step["step"], step["item"]
        if rows and rows[-1]["item"] == item and rows[-1]["until_step"] == number:
            rows[-1]["until_step"] = number + 1
            continue
        record = records[item]
        found = {"item": item, "side": record["input"], "key": record["key"], "ts": record["ts"]}
        life = {"from_step": number, "until_step": number + 1}
        rows.append(found | _range(record["input"], record["ts"], operator) | life)
    return rows


def derived(scenario: Scenario, tables: Tables) -> dict[str, list[Row]]:
    """Tables and columns that the plane needs beside those of the timeline."""
    made = changes(scenario, tables)
    if scenario.operator.joins_by_time:
        made["buffers"] = [with_range(row, scenario.operator) for row in tables["buffers"]]
    return made


def drawn(facts: Timeline, tables: Tables) -> dict[str, Any]:
    """{style, words, steps, arrival_axis, signals, parts, sources} of a run; ``tables``: its facts with ``derived``."""
    style = TimeStyle(time_format(facts.scenario))
    by_item = facts.arrival_axis == "item"
    clock = in_processing_time(facts.scenario)
    picture = plane.plane(on_clock(tables) if clock else tables, facts.number_of_steps, style, by_item)
    return {
        "style": style.as_json(),
        "words": section("player"),
        "steps": facts.number_of_steps,
        "arrival_axis": facts.arrival_axis,
        "signals": {
            **picture["parts"][0]["signals"],
            **axis_titles(style, by_item, clock),
            "dot": plane.dot_size(len({row["id"] for row in tables["records"]})),
        },
        **picture,
    }


def plane_of(facts: Timeline) -> dict[str, Any]:
    """``drawn`` of a run that is shown without the player; its facts need no stories."""
    tables = facts.by_name()
    return drawn(facts, {**tables, **derived(facts.scenario, tables)})


def in_processing_time(scenario: Scenario) -> bool:
    """Whether the run is in processing time: its records lie at their clocks."""
    return scenario.operator.time == "processing"


def axis_titles(style: TimeStyle, by_item: bool, clock: bool) -> dict[str, str]:
    """The labels of both axes of the plane; ``clock``: the run is in processing time."""
    unit = "_s" if style.in_seconds else ""
    x = f"picture.clock_axis{unit}" if clock else f"event_time{unit}"
    y = "arrival_axis_item" if by_item else f"arrival_axis_at{unit}"
    return {"x_title": words(f"player.{x}"), "y_title": words(f"player.{y}")}


# The numbers of a scenario that a reader may change where they stand: in the sentence of the player.

SPANS = ("size", "slide", "max_size", "step", "gap")
"""The lengths of time that an assigner may have."""


def numbers(scenario: Scenario) -> list[dict[str, Any]]:
    """Each number as {name, label, value, ms, text}, in the order of the sentence.

    ``name`` is that of its control on the Author page, ``value`` a length of time in words, ``text`` what stands for it
    in the sentence: the value, or a clause where 0 is not written.
    """
    if scenario.engine != "flink":
        return []
    assigner = scenario.operator.assigner
    found = [_number(name, getattr(assigner, name)) for name in SPANS if hasattr(assigner, name)]
    if scenario.operator.time == "processing":
        return found
    bound = BOUND.read(scenario)
    if bound is not None and len({each.watermark for each in scenario.inputs}) == 1:
        found.append(_number("bound", bound))
    lateness = LATENESS.read(scenario)
    if lateness is not None and not isinstance(assigner, Global):
        side = scenario.operator.late_output == "side"
        clause = words(f"player.sentence.{'late_side' if side else 'late_dropped'}")
        found.append(_number("lateness", lateness) | ({} if lateness else {"text": clause}))
    return found


def _number(name: str, ms: int) -> dict[str, Any]:
    value = duration(ms)
    return {"name": name, "label": words(f"author.controls.{name}"), "value": value, "ms": ms, "text": value}
