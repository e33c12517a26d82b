"""Everything that the player shows of one scenario, as plain data: each part comes from the file of its subject.

Theory of operation. One traced run gives the facts; everything else is worked out from them, in this order:

1. the tables of the timeline, with columns that only the screen needs (what is taken off, the outlook of a channel);
2. tables derived from these for the Why cards and for what changes: they read the completed columns of 1;
3. the picture, which reads both, since it draws derived facts too (``drawn.py``);
4. beats and predictions: they are worded from the facts, and a prediction is left out where the author asks.

Facts go over raw. Text stands in the parts that are the same at every step: configuration, templates, questions.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tidemark.simulator import timeline
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Key, plain_key
from tidemark.simulator.engine.values.window import Namespace
from tidemark.simulator.explore.runs import Ran, moments_of
from tidemark.simulator.scenario.model import Data, InputSpec, Scenario
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.ids import bounds, scope_id
from tidemark.simulator.timeline.laws import laws_of
from tidemark.simulator.timeline.state import KEY_GROUPS, key_hashes, lifetimes
from tidemark.simulator.timeline.wording import time_format
from tidemark.simulator.words import section, words
from tidemark.ui.catalogue import text_of
from tidemark.ui.catalogue.walkable import walked
from tidemark.ui.payload.brief import about, brief, records_in, with_taken
from tidemark.ui.payload.chain import chain_of
from tidemark.ui.payload.charts.lanes import lanes
from tidemark.ui.payload.charts.plane import BEHIND, behind
from tidemark.ui.payload.columns import code, for_telling, telling
from tidemark.ui.payload.drawn import derived, drawn, in_processing_time, numbers
from tidemark.ui.payload.predictions import Predictions, beats
from tidemark.ui.payload.query import query
from tidemark.ui.payload.schema import Owners
from tidemark.ui.payload.sentence import sentence
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.payload.why import firing_of, why_tables, with_outlook

# What the state drawer needs besides the facts: key groups, lifetimes, and the watermark generators.


def state_part(scenario: Scenario, facts: Timeline) -> dict[str, Any]:
    """Static lists; what changes from step to step is in the tables. ``key_groups``: 0 where there are none (Spark)."""
    return {
        "key_groups": KEY_GROUPS if scenario.engine == "flink" else 0,
        "hashes": key_hashes(facts),
        "lifetimes": lifetimes(facts),
        "generators": {each.name: _generator(scenario, each) for each in scenario.inputs},
        "lateness": scenario.operator.allowed_lateness,
    }


def _generator(scenario: Scenario, input: InputSpec) -> dict[str, Any]:
    """Its kind, what the drawer ``says`` of it, and the lengths of time (ms) that it takes off the largest timestamp.

    Spark has none: there it is ``delay``, or ``without`` for an input that has no watermark.
    """
    spec = input.watermark
    if scenario.engine == "spark":
        kind, delay = ("without", []) if input.delay is None else ("delay", [input.delay])
        says = words(f"player.state.watermark.batch.{kind}")
        return {"kind": kind, "says": says, "minus": delay, "emit": 0, "idle_timeout": 0}
    says = section(f"generators.{spec.type}")["state"]
    minus = list(spec.takes_off)
    return {"kind": spec.type, "says": says, "minus": minus, "emit": spec.emit, "idle_timeout": spec.idle_timeout}


# What frames the steps of a scenario: what it is about, what to look for, and what it showed.


def story_of(scenario: Scenario) -> dict[str, str]:
    """{summary, look_for, takeaway} in the current language; "" for a text that the file does not have."""
    texts = {name: text_of(getattr(scenario, name)) for name in ("summary", "look_for", "takeaway")}
    return {name: " ".join(text.split()) for name, text in texts.items()}


# The marks on the scrubber and the steps that the reader can jump to.

Row = dict[str, Any]

MARK_OF_TIMING = {"early": "early", "late": "update"}
"""The mark of a pane that is not on time."""

MARKS_OF_FIRINGS = frozenset({"fired", *MARK_OF_TIMING.values()})
MARK_OF_FATE = {"late-accepted": "late", "dropped": "dropped", "side": "side"}
MARK_OF_EVENT = {"CheckpointTaken": "checkpoint", "Restored": "restored"}
RESULTS = frozenset({"pane", "joined", "group", "emitted", "ranked"})

JUMP_OF_EVENT = {
    "WindowsMerged": "merge",
    "SessionsMerged": "merge",
    "WatermarkCombined": "watermark",
    "WatermarkMoved": "watermark",
    "TimerFired": "timer",
    "CheckpointTaken": "checkpoint",
    "Restored": "checkpoint",
}
"""The jumps that are found by the event alone; restores are found together with checkpoints."""

JUMPS = ("firing", "late", "merge", "watermark", "timer", "checkpoint")
"""Every kind of jump, in the order in which they are offered."""


def marks_of(tables: Mapping[str, list[Row]]) -> list[Row]:
    """Steps worth a mark on the scrubber: firings by their timing, late and dropped records, checkpoints, restores."""
    marks: list[Row] = []
    for fact in tables["outputs"]:
        row = fact["row"]
        if row["row"] in RESULTS and row.get("change") != "-U":
            kind = MARK_OF_TIMING.get(row.get("timing", "on-time"), "fired")
            marks.append({"step": fact["from_step"], "kind": kind})
    marks += [
        {"step": step["step"], "kind": MARK_OF_EVENT[step["event"]]}
        for step in tables["steps"]
        if step["event"] in MARK_OF_EVENT
    ]
    judged = set()
    for fact in tables["records"]:
        judgement = MARK_OF_FATE.get(fact["fate"])
        if judgement and (fact["id"], judgement) not in judged:
            judged.add((fact["id"], judgement))
            marks.append({"step": fact["from_step"], "kind": judgement})
    return sorted(marks, key=lambda mark: mark["step"])


def jumps_of(steps: Sequence[Row], marks: Sequence[Row]) -> dict[str, list[int]]:
    """The steps for every kind of ``JUMPS`` in ascending order, each once; empty if the run has none."""
    found: dict[str, list[int]] = {kind: [] for kind in JUMPS}
    for step in steps:
        if kind := JUMP_OF_EVENT.get(step["event"]):
            found[kind].append(step["step"])
    for mark in marks:
        if mark["kind"] in MARK_OF_EVENT.values():
            continue
        steps_of_kind = found["firing" if mark["kind"] in MARKS_OF_FIRINGS else "late"]
        if not steps_of_kind or steps_of_kind[-1] != mark["step"]:
            steps_of_kind.append(mark["step"])
    return found


def first_steps(steps: Sequence[Row]) -> list[int]:
    """The first step of each run of steps that belong to one stream item."""
    return [s["step"] for i, s in enumerate(steps) if i == 0 or steps[i - 1]["item"] != s["item"]]


# What the legend explains: exactly the marks that occur in the run.

Tables = Mapping[str, list[Row]]

FATES = {"late-accepted": "late", "dropped": "dropped", "side": "side", "skipped": "skipped", "filtered": "filtered"}


def legend(scenario: Scenario, tables: Tables) -> dict[str, list[str]]:
    """Kinds of marks by view: the ``plane``, and for a join by time the two sides, ``join``."""
    told = {"plane": _of_plane(scenario, tables)}
    if scenario.operator.joins_by_time:
        told["join"] = _of_join(tables)
    return told


def _fates(tables: Tables) -> list[str]:
    found = {record["fate"] for record in tables["records"]}
    return [*(["on-time"] if "on-time" in found else []), *[FATES[fate] for fate in FATES if fate in found]]


def _of_plane(scenario: Scenario, tables: Tables) -> list[str]:
    results = [fact["row"] for fact in tables["outputs"]]
    kinds = set()
    for row in results:
        if row.get("change") in ("-U", "-D"):
            kinds.add("minus")
        elif row["row"] in ("pane", "joined", "group", "emitted", "ranked"):
            kinds.add(MARK_OF_TIMING.get(row.get("timing", "on-time"), "fired"))
    marks = [kind for kind in ("fired", "early", "update", "minus") if kind in kinds]
    inputs = {record["input"] for record in tables["records"]}
    sides = [f"{side}-input" for side in ("left", "right") if side in inputs]
    clock = scenario.operator.time == "processing"
    moves = not clock and any(fact["value"] is not None for fact in tables["watermark"])
    disorder = not clock and any(row["out_of_order"] for row in tables["records"])
    events = {step["event"] for step in tables["steps"]}
    overtaken = set() if clock else behind(tables)
    saved = any(row["fate"] == "on-time" and row["id"] in overtaken for row in tables["records"])
    fates = _fates(tables)
    return [
        *([*fates[:1], BEHIND, *fates[1:]] if saved else fates),
        *(sides if inputs <= {"left", "right"} else []),
        *marks,
        *(["void"] if tables["void"] and any(f["row"]["row"] != "watermark" for f in tables["void"]) else []),
        "ahead",
        *(["watermark"] if moves else []),
        *(["connector"] if disorder else []),
        *(["batch"] if tables["batches"] else []),
        *(["slice"] if scenario.operator.keeps_slices else []),
        *(["stop"] if events & {"CheckpointTaken", "Restored"} else []),
    ]


def _of_join(tables: Tables) -> list[str]:
    matches = ["match"] if any(fact["row"]["row"] == "joined" for fact in tables["outputs"]) else []
    return [*_fates(tables), "ahead", "watermark", *matches, "kept"]


# The key and the window of each step, so that steps can be found by them.


def owners(trace: Trace) -> Owners:
    """Each key and window once, and for each step its place among them.

    A step whose event names no key has none.
    """
    places: dict[str, int] = {}
    found: Owners = {"names": [], "of": []}
    for step in trace:
        key: Key | None = getattr(step.event, "key", None)
        if key is None:
            found["of"].append(-1)
            continue
        namespace: Namespace = getattr(step.event, "window", getattr(step.event, "namespace", None))
        start, end = bounds(namespace).values()
        owner = scope_id(key, start, end)
        if owner not in places:
            places[owner] = len(places)
            found["names"].append((plain_key(key), start, end))
        found["of"].append(places[owner])
    return found


def payload(scenario: Scenario, choices: Sequence[Mapping[str, str]] = (), *, predict: bool = False) -> dict[str, Any]:
    """Everything that the player shows of ``scenario``.

    ``predict``: with questions at what is worth asking about, which takes some runs more.
    """
    records = records_in(scenario)
    left_out = scenario.stream.known.unreadable if isinstance(scenario.stream, Data) else 0
    scenario, trace = walked(scenario)
    facts = timeline.build(scenario, trace)
    style = TimeStyle(time_format(scenario))
    tables = facts.by_name()
    tables["channels"] = [with_taken(row, scenario) for row in with_outlook(tables["channels"], facts)]
    tables |= why_tables(facts)
    tables |= derived(scenario, tables)
    marks = marks_of(tables)
    predictions = Predictions(Ran(scenario, trace, facts, moments_of(scenario)), style)
    told = beats(scenario, trace, style, predictions)
    return {
        "name": scenario.name,
        "title": text_of(scenario.title) or scenario.name,
        "about": about(scenario, tables, records, left_out),
        "sentence": sentence(scenario),
        "numbers": numbers(scenario),
        "brief": brief(scenario),
        "query": query(scenario, tables["steps"]),
        "chain": chain_of(scenario, tables),
        "minutes": scenario.minutes,
        "edition": "full",
        **drawn(facts, tables),
        "lanes": lanes(tables, slices=scenario.operator.keeps_slices, span=style.on_axis),
        "state": state_part(scenario, facts),
        "tables": {**tables, "steps": for_telling(tables["steps"]), "laws": laws_of(facts)},
        "telling": telling(scenario, tables["steps"]),
        "code": code(scenario),
        "story": story_of(scenario),
        "beats": told,
        "predictions": predictions.suggested([beat["step"] for beat in told if beat["choices"]]) if predict else [],
        "marks": marks,
        "jumps": jumps_of(tables["steps"], marks),
        "owners": owners(trace),
        "firing": firing_of(scenario),
        "items": first_steps(tables["steps"]),
        "legend": legend(scenario, tables),
        "combined": _combined(scenario),
        "time": "processing" if in_processing_time(scenario) else "event",
        "library": list(choices) or [{"name": scenario.name, "title": text_of(scenario.title), "lesson": ""}],
    }


def beats_of(scenario: Scenario) -> list[dict[str, Any]]:
    """The beats of ``payload`` alone."""
    scenario, trace = walked(scenario)
    style = TimeStyle(time_format(scenario))
    run = Ran(scenario, trace, timeline.build(scenario, trace), moments_of(scenario))
    return beats(scenario, trace, style, Predictions(run, style))


def _combined(scenario: Scenario) -> str:
    """The label of the operator's watermark: the minimum of its channels, except under Spark's rules."""
    if scenario.engine != "spark":
        return words("player.minimum")
    marked = [each for each in scenario.inputs if each.delay is not None]
    policy = (scenario.operator.watermark_policy or "min") if len(marked) > 1 else "single"
    return words(f"player.batches.{policy}")
