"""Why two scenarios differ on a stream: what each side makes of the first row that only one of them has, and what tells
the two apart. The sentences are those of the steps that the player shows.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import zip_longest
from typing import Any, Final, get_args

from tidemark.simulator import run_traced, timeline
from tidemark.simulator.engine.trace.events import LOSS_EVENTS
from tidemark.simulator.engine.values.time import Milliseconds
from tidemark.simulator.explore.differ.search import Answer
from tidemark.simulator.explore.differ.sides import Rows, Side, sides_of
from tidemark.simulator.explore.runs import RESULTS
from tidemark.simulator.explore.upgrades import upgrades
from tidemark.simulator.proof.side_by_side import OTHER_MOMENT, SAME, reason_text, side_by_side
from tidemark.simulator.proof.spark_twin import twin_of, why_no_twin
from tidemark.simulator.timeline.conditions import conditions
from tidemark.simulator.timeline.facts import is_true
from tidemark.simulator.timeline.ids import in_instants, result_id
from tidemark.simulator.timeline.judgements import JUDGING, LOST
from tidemark.simulator.timeline.wording import Wording, duration, time_format, together
from tidemark.simulator.words import words

Step = Mapping[str, Any]

MOST_SETTINGS: Final = 6
"""At most so many settings that differ are named."""

_DECIDE: Final = frozenset(each.__name__ for each in JUDGING)
"""The events whose rules are about a row."""

_LOSE: Final = frozenset(each.__name__ for each in LOSS_EVENTS)
"""Those that lose a record."""

_FIRES: Final = ("what.trigger_fire", "what.trigger_fire_and_purge")
"""What a trigger decides where there is a row."""

_ABOUT: Final = ("row", "key", "start", "end", "left", "right")
"""The members of a pane or a pair that say what it is about."""


def rules_of(answer: Answer) -> tuple[tuple[str, str], list[str]]:
    """What each side makes of the first row that only one of them has, and what tells the two apart: their settings,
    the rules of their versions, or of their engines. Beside a belief, the truth and what is believed.
    """
    if answer.belief is not None:
        return (words(f"beliefs.{answer.belief}.truth"), words(f"beliefs.{answer.belief}.claim")), []
    sides = sides_of(answer.left, answer.right)
    one, other = _Run(sides[0], answer.only_left), _Run(sides[1], answer.only_right)
    mixed = answer.left.engine != answer.right.engine
    starts = [
        (each.step_of(each.outputs[0])["item"], number) for number, each in enumerate((one, other)) if each.outputs
    ]
    number = starts[0][1] if mixed else min(starts)[1]
    has, lacks = ((one, other), (other, one))[number]
    output = has.outputs[0]
    partner = lacks.partner_of(has.about(output), None if mixed else has.step_of(output)["item"])
    if partner is None:
        said = has.emission(output), lacks.absence(output, None if mixed else has)
    else:
        said = has.emission(output), lacks.emission(partner)
        if not mixed and has.step_of(output)["at"] != lacks.step_of(partner)["at"]:
            said = has.at_clock(output, said[0]), lacks.at_clock(partner, said[1])
    return (said if number == 0 else said[::-1]), list(_between(answer, output) if mixed else _told_apart(answer))


class _Run:
    """The run of one side. ``outputs``: the rows that the other one has not, in order."""

    def __init__(self, side: Side, only: Rows) -> None:
        scenario = side.scenario
        self._scenario = scenario
        self.facts = timeline.build(scenario, run_traced(scenario)[1])
        self.steps: Sequence[Step] = self.facts.by_name()["steps"]
        self._wording = Wording(scenario, self.steps)
        self._zone = side.zone
        missing = Counter(only)
        found = []
        for fact in reversed(self.facts.by_name()["outputs"]):
            if side.compares(fact["row"]) and missing[each := side.compared(fact["row"])] > 0:
                missing[each] -= 1
                found.append(fact)
        self.outputs = found[::-1]

    def step_of(self, output: Step) -> Step:
        """The step at which a row is emitted."""
        return self.steps[output["from_step"]]

    def at_clock(self, output: Step, said: str) -> str:
        """What is said of a row, with the clock."""
        at = self._wording.writer.write("record_time", self.step_of(output)["at"])
        return words("differ.at", at=at, said=said)

    def about(self, output: Step) -> str | None:
        """What a result is about, None for other rows."""
        return result_id(in_instants(output["row"], self._zone)) if output["row"]["row"] in RESULTS else None

    def partner_of(self, about: str | None, item: int | None) -> Step | None:
        """What stands here in place of a row of the other side: one about the same, or else of the same ``item``."""
        same = next((each for each in self.outputs if about is not None and self.about(each) == about), None)
        return same or next((each for each in self.outputs if item is None or self.step_of(each)["item"] == item), None)

    def emission(self, output: Step) -> str:
        """The step that emits a row, and why."""
        return self._sentence(self.step_of(output))

    def absence(self, output: Step, has: "_Run | None") -> str:
        """Why there is no such row here. ``has``: the other run, if its items are the same."""
        step = None if has is None else self._parting(has, has.step_of(output)["item"])
        step = self._refusal(output) if step is None else step
        if step is not None:
            return self._sentence(step)
        return self._waiting(output, None if has is None else has.step_of(output)["item"]) or words("differ.nothing")

    def _parting(self, has: "_Run", item: int) -> Step | None:
        """The first step of ``item`` that a rule decides, from the one on at which both runs part."""
        mine, others = ([each for each in run.steps if each["item"] == item] for run in (self, has))
        pairs = list(zip_longest(mine, others))
        at = next((at for at, (one, other) in enumerate(pairs) if not (one and other) or _said(one) != _said(other)), 0)
        decided = (each for each in mine[at:] if each["rule"] is not None and each["event"] in _DECIDE)
        return next((each for each in decided if each["story"] not in _FIRES), None)

    def _refusal(self, output: Step) -> Step | None:
        """The step at which the window of a row did not take a record, or the filter did not."""
        said = self.facts.notes["judgements"]
        found = [
            each for each in said
            if each["verdict"] in ("filtered", *LOST)
            or (each["verdict"] == "refused" and each["window"] == output["window"])
        ]  # fmt: skip
        return self.steps[found[0]["step"]] if found else None

    def _waiting(self, output: Step, item: int | None) -> str | None:
        """What the window of a row, or the one here in its place, still waits for after ``item``, or at the end."""
        steps = [each for each in self.steps if item is None or each["item"] <= item]
        row = output["row"]
        if not steps or row.get("start") is None:
            return None
        last = steps[-1]
        windows = (each for each in self.facts.by_name()["windows"] if is_true(each, last["step"]))
        window = next((each for each in windows if each["key"] == row["key"] and _overlap(each, row)), None)
        if window is None:
            return None
        kind, needs = "watermark", window["end"]
        if self._scenario.engine == "flink":
            waits = [each for each in conditions(self.facts) if each["of"] == window["id"]]
            ways = {each["kind"]: each["needs"] for each in waits if is_true(each, last["step"])}
            kinds = ("watermark", "clock")[:: -1 if row.get("timing") == "early" else 1]
            kind = next(filter(ways.__contains__, kinds), "")
            if not kind:
                return None
            needs = ways[kind]
        write = self._wording.writer.write
        named, at = write("window_of_key", window), write("record_time", last["at"])
        if kind == "clock":
            said, moved = words("differ.waits_clock", window=named, needs=write("record_time", needs), at=at), ""
        else:
            stands = write("stands", last["watermark"])
            said = words("differ.waits", window=named, needs=write("exact", needs), stands=stands)
            alone = sum(each.channels for each in self._scenario.inputs) == 1
            moves = "WatermarkEmitted" if alone else "WatermarkCombined"
            moved = next((self._wording.why(each) for each in reversed(steps) if each["event"] == moves), "")
        return together(filter(None, (said[:1].upper() + said[1:], moved)))

    def _sentence(self, step: Step) -> str:
        """What happened and why, with the rule that decided."""
        judged = self.facts.notes["judgements"]
        refused = (self.steps[each["step"]] for each in judged if each["verdict"] == "refused")
        windows = [each for each in refused if each["item"] == step["item"]] if step["event"] in _LOSE else []
        rule = next(filter(None, map(self._wording.predicate, (*windows, step))), "")
        said = together(filter(None, (self._wording.what(step), self._wording.why(step))))
        return words("differ.with_rule", said=said, rule=rule) if rule else said


def _overlap(window: Step, row: Step) -> bool:
    return window["start"] is not None and bool(window["start"] < row["end"] and row["start"] < window["end"])


def _said(step: Step) -> Any:
    """What happens and how its rule turns out, whatever the numbers."""
    rule = step["rule"]
    return step["story"], None if rule is None else (rule["name"], rule["holds"])


def _between(answer: Answer, output: Step) -> Iterator[str]:
    """Why Flink's rules and Spark's have other results, if one scenario is the other by Spark's rules."""
    flink, spark = sorted((answer.left, answer.right), key=lambda each: each.engine)
    twin = None if why_no_twin(flink) else twin_of(flink, size=1)
    if twin is None or (twin.scenario.operator, twin.scenario.inputs) != (spark.operator, spark.inputs):
        return
    times = time_format(flink)
    about = result_id(output["row"])
    for entry in side_by_side(flink, twin).entries:
        named = {name: getattr(entry, name) for name in _ABOUT}
        if entry.verdict not in (SAME, OTHER_MOMENT) and about == result_id(named):
            yield from (reason_text(each, times.exact) for each in entry.reasons)


def _told_apart(answer: Answer) -> Iterator[str]:
    """The settings that differ, and the rules of the versions: those that change rows, or all if none does so alone."""
    left, right = answer.left, answer.right
    found = list(_settings(left.operator, right.operator, "operator"))
    for one, other in zip(left.inputs, right.inputs, strict=True):
        found += _settings(replace(one, name=other.name), other, f"inputs.{other.name}")
    yield from (words("differ.setting", name=name, a=a, b=b) for name, a, b in found[:MOST_SETTINGS])
    rules = upgrades(left, right.flink)
    yield from (words("differ.version", rule=each.text) for each in [each for each in rules if each.rows] or rules)


def _settings(left: Any, right: Any, name: str, is_length: bool = False) -> Iterator[tuple[str, str, str]]:
    """The name and both values of each member that differs, named as in a file."""
    if type(left) is type(right) and is_dataclass(left):
        for field in fields(left):
            if field.compare:
                length = field.type is Milliseconds or Milliseconds in get_args(field.type)
                own, other = (getattr(each, field.name) for each in (left, right))
                yield from _settings(own, other, f"{name}.{field.name}", length)
    elif left != right:
        yield name, _value(left, is_length), _value(right, is_length)


def _value(value: Any, is_length: bool) -> str:
    if value is None or value == ():
        return words("differ.no_columns")
    if is_length and type(value) is int:
        return duration(value)
    return str(getattr(value, "type", value))
