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
from tidemark.simulator.explore.runs import Ran, moments_of
from tidemark.simulator.scenario.model import Data, Scenario
from tidemark.simulator.timeline.format import time_format
from tidemark.simulator.timeline.laws import laws_of
from tidemark.simulator.timeline.operator import keeps_slices
from tidemark.simulator.words import words
from tidemark.ui.catalogue import text_of
from tidemark.ui.charts.lanes import lanes
from tidemark.ui.payload.about import about, records_in, with_taken
from tidemark.ui.payload.beats import beats
from tidemark.ui.payload.brief import brief
from tidemark.ui.payload.drawn import derived, drawn, in_processing_time
from tidemark.ui.payload.legend import legend
from tidemark.ui.payload.marks import first_steps, jumps_of, marks_of
from tidemark.ui.payload.numbers import numbers
from tidemark.ui.payload.owners import owners
from tidemark.ui.payload.predictions import Predictions
from tidemark.ui.payload.sentence import sentence
from tidemark.ui.payload.state import state_part
from tidemark.ui.payload.story import story_of
from tidemark.ui.payload.telling import code, for_telling, telling
from tidemark.ui.payload.why import firing_of, why_tables, with_outlook
from tidemark.ui.times import TimeStyle
from tidemark.ui.walkable import walked


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
    tables |= why_tables(facts, trace)
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
        "minutes": scenario.minutes,
        "edition": "full",
        **drawn(facts, tables),
        "lanes": lanes(tables, slices=keeps_slices(scenario), span=style.on_axis),
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
    policy = getattr(scenario.operator, "watermark_policy", "min") if len(marked) > 1 else "single"
    return words(f"player.batches.{policy}")
