"""What the page shows of a draft: table, sentence, picture, results, what the last edit changed, checks and goals."""

from collections.abc import Sequence
from typing import Any, Final

from tidemark.simulator.engine.values.errors import Problem, ScenarioError
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.explore.runs import RESULTS, Ran
from tidemark.simulator.scenario.format.document import PREDICTIONS, WAYS
from tidemark.simulator.scenario.model import Beat, Generated, Place, Scenario, Text
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.stops import StepIndex
from tidemark.simulator.timeline.wording import Wording
from tidemark.simulator.words import section, words
from tidemark.ui.author.cells import Clock, clock_of
from tidemark.ui.author.changes import changes
from tidemark.ui.author.controls import as_json, generator, pieces
from tidemark.ui.author.draft import Draft, checks, draft_of, goal_choices, goals, kept_run, run_of_draft
from tidemark.ui.author.rows import MEMBER, stream_of
from tidemark.ui.author.telling import language_of
from tidemark.ui.author.translating import side_by_side
from tidemark.ui.payload.charts import plane
from tidemark.ui.payload.drawn import axis_titles, on_clock
from tidemark.ui.payload.times import TimeStyle

# The story of a draft as its author wrote it: the beats with their steps, and what is said before and after them.


def story(scenario: Scenario, run: Ran) -> dict[str, Any]:
    """``beats``: {number, kind, place, step, line, say, ask, choices, answer, because, note, predict}.

    ``choices``: {text, reply, belief}. ``way``: how a class answers a prediction, "" for the usual way. ``step`` is
    ``None`` if the run never gets there. ``predictions``: kinds of predictions and their labels; ``ways``: the same of
    the ways to answer each, the usual one first. ``beliefs``: names and claims. ``texts``: {summary, look_for,
    takeaway}, "" for none.
    """
    index = StepIndex(run.trace)
    beats = [_beat(number, beat, index, scenario) for number, beat in enumerate(scenario.walkthrough)]
    return {
        "beats": beats,
        "predictions": [[each, words(f"author.story.predict.{each}")] for each in PREDICTIONS],
        "ways": {name: [[each, words(f"author.story.ways.{each}")] for each in ways] for name, ways in WAYS.items()},
        "beliefs": [[name, each["claim"]] for name, each in section("beliefs").items()],
        "texts": {name: _written(getattr(scenario, name)) for name in ("summary", "look_for", "takeaway")},
    }


def _beat(number: int, beat: Beat, index: StepIndex, scenario: Scenario) -> Row:
    place = scenario.marks.get(("walkthrough", number))
    kind = "predict" if beat.predict is not None else "ask" if beat.ask is not None else "say"
    return {
        "number": number,
        "kind": kind,
        "place": _place(beat.at, scenario),
        "step": index.find(beat.at, first=beat.predict is not None),
        "line": place[0] if place else None,
        "say": _written(beat.say),
        "ask": _written(beat.ask),
        "choices": [
            {"text": _written(each.text), "reply": _written(each.reply), "belief": each.belief or ""}
            for each in beat.choices
        ],
        "answer": beat.answer if isinstance(beat.answer, int) else None,
        "way": beat.answer if isinstance(beat.answer, str) else "",
        "because": _written(beat.because),
        "note": _written(beat.note),
        "predict": beat.predict,
    }


def _written(text: Text | None) -> str:
    return "" if text is None else text[language_of(text)].strip()


def _place(place: Place, scenario: Scenario) -> str:
    """A place as people say it: the first time a window fires."""
    if place.event is not None:
        event = words(f"author.story.events.{place.event}")
        first = "_first" if place.occurrence == 1 else ""
        return words(f"author.story.at_event{first}", event=event, number=place.occurrence)
    if place.item is None:
        return words("author.story.step", step=place.step)
    if isinstance(scenario.stream, Generated) or place.item >= len(scenario.stream):
        return words("author.story.at_record", item=place.item, key="…")
    item = scenario.stream[place.item]
    if isinstance(item, Record):
        return words("author.story.at_record", item=place.item, key=item.key)
    kind = words(f"author.table.kinds.{MEMBER[type(item)]}")
    return words("author.story.at_item", item=place.item, kind=kind)


MOST_RESULTS: Final = 400

FLINK_OTHERS: Final = ("watermark", "status", "advance", "checkpoint", "restore", "end")
"""What can be added to a stream besides records."""

TOO_LATE: Final = ("dropped", "side")
WINDOW_RULES: Final = ("window-late", "batch-window-late")
"""The rules by which a window is too late for a record; a record is lost when it has no window left."""

ROOM: Final = (0.6, 0.75)
"""The share of the usual width and height of a plane; table and text need the rest."""


def facts_of(draft: Draft, before: str | None) -> dict[str, Any] | None:
    """Everything shown of a draft that runs; ``None`` for any other. ``before``: the text before the edit.

    Raises ``ScenarioError`` for what the engine does not run.
    """
    scenario = draft.scenario
    if scenario is None:
        return None
    shown = run_of_draft(draft.text, scenario)
    wording = Wording(shown.run.scenario, shown.run.facts.tables["steps"])
    clock = clock_of(scenario)
    past = None if before is None or before == draft.text else _past(before)
    return {
        "name": scenario.name,
        "title": scenario.title[language_of(scenario.title)] if scenario.title else scenario.name,
        "engine": scenario.engine,
        "style": clock.style.as_json(),
        "cut": words("author.cut", count=len(shown.run.trace)) if shown.cut else "",
        "sentence": pieces(scenario),
        "stream": _stream(draft, clock),
        "plane": _plane(shown.run, clock.style),
        "records": _records(shown.run, wording),
        "results": _results(shown.run, clock.style),
        "counts": _counts(shown.run),
        "steps": _steps(shown.run, wording),
        "changes": changes(past, shown.run, clock.style),
        "goals": goals(scenario, shown),
        "goal_choices": goal_choices(scenario.engine),
        "checks": checks(draft, shown),
        "story": story(scenario, shown.run),
        "languages": side_by_side(scenario),
    }


def _past(text: str) -> Ran | None:
    """The run before the edit; ``None`` if that did not run."""
    kept = kept_run(text)
    if kept is not None:
        return kept.run
    draft = draft_of(text)
    if draft.scenario is None:
        return None
    try:
        return run_of_draft(draft.text, draft.scenario).run
    except ScenarioError:
        return None


def _stream(draft: Draft, clock: Clock) -> dict[str, Any]:
    """The table, or the controls of the generator."""
    assert draft.scenario is not None
    stream = draft.scenario.stream
    if isinstance(stream, Generated):
        return {"generated": [as_json(each) for each in generator(stream)], "total": stream.events}
    assert draft.read is not None
    table = stream_of(draft.scenario, draft.read, clock)
    assert table is not None
    others = ["batch"] if draft.scenario.engine == "spark" else FLINK_OTHERS
    joins = [each.name for each in draft.scenario.inputs] if len(draft.scenario.inputs) > 1 else []
    return {"columns": table.columns, "rows": table.rows, "total": table.total, "inputs": joins,
            "others": others}  # fmt: skip


def _plane(run: Ran, style: TimeStyle) -> dict[str, Any]:
    facts, scenario = run.facts, run.scenario
    by_item = facts.arrival_axis == "item"
    clock = scenario.operator.time == "processing"
    tables = facts.by_name()
    picture = plane.plane(on_clock(tables) if clock else tables, max(facts.number_of_steps, 1), style, by_item, ROOM)
    dot = plane.dot_size(len({row["id"] for row in tables["records"]}))
    signals = {**picture["parts"][0]["signals"], **axis_titles(style, by_item, clock), "dot": dot}
    return {**picture, "signals": signals, "style": style.as_json(), "arrival_axis": facts.arrival_axis,
            "steps": facts.number_of_steps, "clock": clock}  # fmt: skip


def _records(run: Ran, wording: Wording) -> list[Row]:
    """Each record as it is at the end, with the step at which its fate is known.

    ``because`` {why, predicate, formula}: the rule by which a record lost its last window, or ``None``.
    """
    records = {}
    for row in run.facts.by_name()["records"]:
        records[row["item"]] = {name: row[name] for name in ("item", "key", "ts", "at", "arrival", "fate")} | {
            "step": row["from_step"], "because": None,
        }  # fmt: skip
    steps = run.facts.by_name()["steps"]
    by_window: dict[int, Row] = {}
    for step in steps:
        if step["rule"] and step["rule"]["name"] in WINDOW_RULES:
            known = by_window.setdefault(step["item"], step)
            if _window_end(step) > _window_end(known):
                by_window[step["item"]] = step
    for item, record in records.items():
        if record["fate"] in TOO_LATE and item in by_window:
            rule = by_window[item]
            record["because"] = {
                "why": wording.why(rule), "predicate": wording.predicate(rule), "formula": rule["rule"]["formula"],
            }  # fmt: skip
    return [records[item] for item in sorted(records)]


def _window_end(step: Row) -> int:
    """The order among windows that are all too late for a record: the last one to end decides."""
    numbers: dict[str, int] = step["rule"]["numbers"]
    return max(numbers.get(name, MIN) for name in ("max_timestamp", "end"))


def _results(run: Ran, style: TimeStyle) -> list[Row]:
    """The results that remain at the end, in order of emission."""
    results = []
    for fact in run.facts.by_name()["outputs"]:
        row = fact["row"]
        if fact["until_step"] is not None or row["row"] not in RESULTS:
            continue
        end = row.get("watermark") is not None and row["watermark"] >= MAX
        low, high = style.on_axis(row.get("start"), row.get("end"))
        results.append({
            "number": fact["number"], "step": fact["from_step"], "row": row["row"], "key": row["key"],
            "start": row.get("start"), "end": row.get("end"), "timing": row.get("timing", ""),
            "pane": row.get("pane", 0), "value": row.get("value"), "left": row.get("left"), "right": row.get("right"),
            "at": row.get("at"), "item": row.get("item"), "batch": row.get("batch"), "at_end": end,
            "low": low, "high": high,
        })  # fmt: skip
        if len(results) >= MOST_RESULTS:
            break
    return results


def _counts(run: Ran) -> dict[str, int]:
    standing = [fact["row"]["row"] for fact in run.facts.by_name()["outputs"] if fact["until_step"] is None]
    fates = [row["fate"] for row in run.facts.by_name()["records"] if row["until_step"] is None]
    return {
        "records": len(fates),
        "results": sum(each in RESULTS for each in standing),
        "on_time": fates.count("on-time") - len(run.missed),
        "missed": len(run.missed),
        "late": fates.count("late-accepted"),
        "side": fates.count("side"),
        "filtered": fates.count("filtered"),
        "dropped": sum(each in ("dropped", "skipped") for each in fates),
    }


def _steps(run: Ran, wording: Wording) -> list[Row]:
    return [
        {"item": row["item"], "event": row["event"], "what": wording.what(row), "predicate": wording.predicate(row)}
        for row in run.facts.tables["steps"]
    ]


def problems_as_json(problems: Sequence[Problem]) -> list[Row]:
    """What is wrong, with its place (line and column from 1) and its ``fix``, each ``None`` if there is none."""
    return [
        {"line": p.line, "column": p.column, "text": p.text, "warning": p.warning, "fix": p.fix and p.fix._asdict()}
        for p in problems
    ]
