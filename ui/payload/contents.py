"""Everything that the player shows of one scenario, as plain data: each part comes from the file of its subject.

Theory of operation. One traced run gives the facts; everything else is worked out from them, in this order:

1. the tables of the timeline, with columns that only the screen needs (what is taken off, the outlook of a channel);
2. tables derived from these for the Why cards and for what changes: they read the completed columns of 1;
3. the picture, which reads both, since it draws derived facts too (``drawn.py``);
4. beats and predictions: they are worded from the facts, and a prediction is left out where the author asks.

Facts go over raw. Text stands in the parts that are the same at every step: configuration, templates, questions.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tidemark.simulator import timeline
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Key, plain_key
from tidemark.simulator.engine.values.window import Namespace
from tidemark.simulator.explore.runs import Ran, moments_of
from tidemark.simulator.explore.settings import BOUND, LATENESS, settings_of
from tidemark.simulator.explore.smallest import Kept, keeping
from tidemark.simulator.programs import NotExpressible, datastream_lines, sql_lines
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.model import Data, InputSpec, Scenario
from tidemark.simulator.scenario.stream import asked_every
from tidemark.simulator.timeline import Timeline
from tidemark.simulator.timeline.conditions import conditions, firings
from tidemark.simulator.timeline.ids import bounds, scope_id
from tidemark.simulator.timeline.laws import laws_of
from tidemark.simulator.timeline.records import null_rowtimes
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
from tidemark.ui.payload.schema import Owners
from tidemark.ui.payload.sentence import clauses, in_words, sentence, words_of_ways
from tidemark.ui.payload.times import TimeStyle

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


# The query of a scenario in three forms, and which of its clauses decides what happens at a step.
#
# Each form is a list of lines: a sentence, Flink SQL, or calls of the DataStream API, written by
# ``simulator/programs``. A line names the clauses that stand in it; an event names the clauses that can decide it,
# the best one first. So ``lateness`` is lit where a record is lost, or ``watermark`` in a query that says nothing of
# lateness.

_WATERMARK: Final = ("watermark",)
_LATE: Final = ("lateness", "watermark")
_FIRING: Final = ("trigger", "window", "watermark")
_COMPUTED: Final = ("aggregate", "window")
_KEPT: Final = ("lateness", "window", "watermark")

DECIDING: Final[dict[str, tuple[str, ...]]] = {
    "RecordArrived": ("key", "window"), "RowFiltered": ("filter",),
    "MaxTimestampRaised": _WATERMARK, "WatermarkEmitted": _WATERMARK, "ChannelAdvanced": _WATERMARK,
    "WatermarkNull": _WATERMARK,
    "WatermarkIgnored": _WATERMARK, "WatermarkCombined": _WATERMARK, "WatermarkForwarded": _WATERMARK,
    "ChannelIdle": _WATERMARK, "ChannelActive": _WATERMARK, "IdlenessProbed": _WATERMARK,
    "LateDropped": _LATE, "LateSideOutput": _LATE, "WindowSkippedLate": _LATE, "ElementSilentlySkipped": _LATE,
    "LateForWindow": _LATE, "RowIgnored": _LATE,
    "WindowsAssigned": ("window",), "WindowTracked": ("window",), "WindowsMerged": ("window",),
    "TimerRegistered": _FIRING, "TimerFired": _FIRING, "TriggerEvaluated": _FIRING, "TriggerStateChanged": _FIRING,
    "PaneFired": _FIRING, "GroupFired": _FIRING,
    "StateCleared": _KEPT, "WindowCleaned": _KEPT, "WindowRetired": _KEPT, "TimerDeleted": _KEPT,
    "ElementsEvicted": ("evictor",),
    "JoinMatched": ("window", "key"), "LeftRowJoined": ("window", "key"),
}  # fmt: skip
"""By event the clauses that can decide it; what an event is computed by, where it is not named here."""

_CLAUSES: Final = {
    "filter": re.compile(r"^WHERE (?!place )"),
    "watermark": re.compile(r"WATERMARK FOR|WatermarkStrategy|assignTimestampsAndWatermarks"),
    "key": re.compile(r"GROUP BY|PARTITION BY|\.keyBy\(|\.where\(|\.k = "),
    "window": re.compile(r"\b(TUMBLE|HOP|CUMULATE|SESSION)\(|BETWEEN|SYSTEM_TIME|\.(window|between)\("),
    "trigger": re.compile(r"\.trigger\(|-fire\."),
    "evictor": re.compile(r"\.evictor\("),
    "lateness": re.compile(r"allow-lateness|\.allowedLateness\(|\.sideOutput\w*LateData\("),
    "aggregate": re.compile(r"\b(SUM|COUNT|MIN|MAX|AVG|ROW_NUMBER)\(|\.(aggregate|process|reduce|apply)\("),
}
"""How a clause is recognised in a line of code."""


def query(scenario: Scenario, steps: Iterable[Row]) -> dict[str, Any]:
    """``forms``: by name the lines, each {text, clauses}; a form that the scenario cannot have is not there.

    ``deciding``: by event of ``steps`` the clauses that can decide it.
    """
    forms: dict[str, list[dict[str, Any]]] = {
        "sentence": [{"text": text, "clauses": list(named)} for text, named in clauses(scenario)]
    }
    for name, lines in (("sql", sql_lines), ("datastream", datastream_lines)):
        try:
            forms[name] = [{"text": each, "clauses": list(_clauses_in(each))} for each in lines(scenario)]
        except NotExpressible:
            continue
    taken = list(steps)
    events = sorted({step["event"] for step in taken})
    deciding = {event: list(DECIDING.get(event, _COMPUTED)) for event in events}
    if null_rowtimes(taken):
        deciding["OperatorFailed"] = list(_WATERMARK)
    return {"forms": forms, "deciding": deciding}


def _clauses_in(line: str) -> Iterator[str]:
    return (name for name, pattern in _CLAUSES.items() if pattern.search(line))


# What the Why cards know: conditions, firings, judgements, what each channel may send next, the trigger in words.


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
