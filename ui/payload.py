"""What goes to the browser for one scenario: its facts, the plane's rows, words and a few lists, gzipped, once."""

import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

import simulator
from simulator import timeline
from simulator.scenario.model import Generated, Scenario
from simulator.timeline.facts import Timeline
from simulator.timeline.format import time_format
from simulator.values.items import Record
from simulator.values.time import MAX, MIN
from simulator.words import section, words
from ui.beats import beats
from ui.catalogue import Entry, text_of
from ui.charts import axes, plane, sources
from ui.charts.lanes import lanes
from ui.sentence import sentence
from ui.times import TimeStyle
from ui.walkable import shortened

Row = dict[str, Any]

MARK_OF_FATE = {"late-accepted": "late", "dropped": "dropped", "side": "side"}
RESULTS = frozenset({"pane", "joined", "group", "emitted"})

_EXACT_IN_BROWSER = 2**53


@st.cache_resource(show_spinner=False)
def _plane_spec() -> dict[str, Any]:
    return plane.compiled()


@st.cache_resource(show_spinner=False, max_entries=60)
def packed(_entry: Entry, name: str, stamp: str, choices: tuple[tuple[str, str, str], ...]) -> tuple[bytes, int]:
    """The payload of a scenario and its number of steps. ``choices``: (name, title, lesson) of the whole library."""
    assert _entry.scenario is not None
    contents = payload(_entry.scenario, [dict(zip(("name", "title", "lesson"), c, strict=True)) for c in choices])
    return pack({**contents, "spec": _plane_spec()}), contents["steps"]


def pack(contents: Mapping[str, Any]) -> bytes:
    """JSON, gzipped; the same contents give the same bytes, so that Streamlit sends them once."""
    text = json.dumps(_for_browser(contents), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return gzip.compress(text.encode(), compresslevel=6, mtime=0)


def payload(scenario: Scenario, choices: Sequence[Mapping[str, str]] = ()) -> dict[str, Any]:
    """Everything that the player shows of ``scenario``; the chart itself, ``spec``, is the same for all."""
    records = records_in(scenario)
    scenario = shortened(scenario)
    _, trace = simulator.run_traced(scenario)
    facts = timeline.build(scenario, trace)
    style = TimeStyle(time_format(scenario))
    tables = dict(facts.tables)
    tables["channels"] = [_with_formula(row, scenario, style) for row in tables["channels"]]
    by_item = facts.arrival_axis == "item"
    x, y = _axes(facts, style, by_item)
    marks = _marks(tables)
    return {
        "name": scenario.name,
        "title": text_of(scenario.title) or scenario.name,
        "about": _about(scenario, tables, records),
        "sentence": sentence(scenario),
        "style": style.as_json(),
        "words": section("player"),
        "steps": facts.number_of_steps,
        "arrival_axis": facts.arrival_axis,
        "signals": {
            **axes.as_signals("x", x),
            **axes.as_signals("y", y),
            **_titles(style, by_item),
            "dot": sources.dot_size(len({row["id"] for row in tables["records"]})),
        },
        "sources": sources.plane_rows(tables, x, y, style, by_item),
        "lanes": lanes(tables),
        "tables": tables,
        "beats": beats(scenario, trace, style),
        "marks": marks,
        "items": _first_steps(tables["steps"]),
        "legend": _legend(tables, marks),
        "has_early": any(r["row"].get("timing") == "early" for r in tables["outputs"]),
        "library": list(choices) or [{"name": scenario.name, "title": text_of(scenario.title), "lesson": ""}],
    }


def _axes(facts: Timeline, style: TimeStyle, by_item: bool) -> tuple[axes.Axis, axes.Axis]:
    tables = facts.tables
    timestamps = [r["at"] if r["ts"] is None else r["ts"] for r in tables["records"]]
    windows = {(w["start"], w["end"]) for w in tables["windows"]}
    watermarks = [w["value"] for w in tables["watermark"] if w["value"] is not None]
    key = "item" if by_item else "at"
    arrivals = [r["arrival"] for r in tables["records"]] + [s[key] for s in tables["steps"]]
    return axes.event_time_axis(timestamps, windows, watermarks, style), axes.arrival_axis(arrivals, by_item, style)


def _titles(style: TimeStyle, by_item: bool) -> dict[str, str]:
    unit = "_s" if style.in_seconds else ""
    y = "arrival_axis_item" if by_item else f"arrival_axis_at{unit}"
    return {"x_title": words(f"player.event_time{unit}"), "y_title": words(f"player.{y}")}


def _with_formula(row: Row, scenario: Scenario, style: TimeStyle) -> Row:
    """A channel's fact with the sum that its own watermark comes from: ``11.000 − 2.000 − 0.001``."""
    spec = scenario.input(row["input"]).watermark
    seen = row["max_timestamp"]
    if seen is None or spec.generator == "none" or row["emitted"] in (None, MAX) or row["watermark"] != row["emitted"]:
        return {**row, "formula": ""}
    parts = [style.exact(seen)]
    if spec.generator != "monotonous":
        parts.append(style.format.span(spec.bound))
    if spec.generator in ("bounded-out-of-orderness", "monotonous"):
        parts.append(style.format.span(1))
    return {**row, "formula": " − ".join(parts)}


def _about(scenario: Scenario, tables: Mapping[str, list[Row]], whole: int) -> str:
    """``12 records · 2 keys · 2 channels``; of a stream that was cut, how many of the ``whole``."""
    records = {row["id"]: row for row in tables["records"]}
    keys = {(type(row["key"]).__name__, row["key"]) for row in records.values()}
    channels = sum(each.channels for each in scenario.inputs)
    counts = {"record": len(records), "key": len(keys), "channel": channels}
    parts = [words(f"player.about.{n}_{'one' if c == 1 else 'many'}", count=c) for n, c in counts.items()]
    if len(records) < whole:
        parts[0] = words("player.about.first", count=len(records), whole=whole)
    if isinstance(scenario.stream, Generated):
        parts.append(words("player.about.generated", seed=scenario.stream.seed))
    return " · ".join(parts)


def _marks(tables: Mapping[str, list[Row]]) -> list[Row]:
    """Steps worth a mark on the scrubber: firings, late panes, late and dropped records."""
    marks = []
    for fact in tables["outputs"]:
        row = fact["row"]
        if row["row"] in RESULTS and row.get("change") != "-U":
            update = row.get("timing", "on-time") != "on-time"
            marks.append({"step": fact["from_step"], "kind": "update" if update else "fired"})
    judged = set()
    for fact in tables["records"]:
        kind = MARK_OF_FATE.get(fact["fate"])
        if kind and (fact["id"], kind) not in judged:
            judged.add((fact["id"], kind))
            marks.append({"step": fact["from_step"], "kind": kind})
    return sorted(marks, key=lambda mark: mark["step"])


def _first_steps(steps: Sequence[Row]) -> list[int]:
    """The first step of each run of steps that belong to one stream item."""
    return [s["step"] for i, s in enumerate(steps) if i == 0 or steps[i - 1]["item"] != s["item"]]


def _legend(tables: Mapping[str, list[Row]], marks: Sequence[Row]) -> list[str]:
    kinds = {mark["kind"] for mark in marks}
    there = [kind for kind in ("late", "dropped", "side", "fired", "update") if kind in kinds]
    disorder = ["connector"] if any(row["out_of_order"] for row in tables["records"]) else []
    return ["on-time", *there, "ahead", "watermark", *disorder]


def _for_browser(value: Any) -> Any:
    """Whole numbers that a browser would round become text; the two ends of time are known by their size."""
    match value:
        case bool() | None | str():
            return value
        case int():
            return value if abs(value) <= _EXACT_IN_BROWSER or value in (MIN, MAX) else str(value)
        case float():
            return value if value == value and abs(value) != float("inf") else str(value)
        case Mapping():
            return {name: _for_browser(each) for name, each in value.items()}
        case list() | tuple():
            return [_for_browser(each) for each in value]
        case _:
            return str(value)


def choices_of(entries: Sequence[Entry]) -> tuple[tuple[str, str, str], ...]:
    """The sound scenarios for the player's own list."""
    return tuple(
        (e.name, e.title, (e.scenario.lesson or "").replace("-", " ").capitalize()) for e in entries if e.scenario
    )


def records_in(scenario: Scenario) -> int:
    """How many records the stream holds."""
    if isinstance(scenario.stream, Generated):
        return scenario.stream.events
    return sum(isinstance(item, Record) for item in scenario.stream)
