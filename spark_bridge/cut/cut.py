"""The whole way from a stream to the scenario of a cut."""

from dataclasses import dataclass, field, replace
from typing import Final

from tidemark.simulator.limits import SCENARIO_BYTES
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.teaching.lint import problems_of_run
from tidemark.simulator.timeline.format import duration
from tidemark.spark_bridge.cut.around import Around, CutFails, Dropped, FindingOf, RecordOf, WindowOf
from tidemark.spark_bridge.cut.case import Case, of_record, of_window
from tidemark.spark_bridge.cut.choosing import choose, input_of, operator_of
from tidemark.spark_bridge.cut.finding import Where, of_finding
from tidemark.spark_bridge.cut.records import written
from tidemark.spark_bridge.cut.rules import Rules
from tidemark.spark_bridge.cut.story import told
from tidemark.spark_bridge.cut.whole import ALL, Whole

DEFAULT: Final = Rules()

MOST: Final = 40
"""How many records a cut has at most, unless asked otherwise."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is cut: ``around`` what, by which rules, at most how many records (>= 1), with or without names.

    ``where`` is what the finding of ``around`` says, empty for everything else.
    """

    around: Around
    rules: Rules = DEFAULT
    most: int = MOST
    anonymous: bool = False
    where: Where = field(default_factory=dict)


def cut(whole: Whole, asked: Asked) -> Scenario:
    """The scenario that shows ``asked.around`` as it is in ``whole``. Raises ``CutFails`` if there is none."""
    case = find(whole, asked)
    chosen = choose(whole, case, asked.most)
    made = written(chosen, case.rules, anonymous=asked.anonymous)
    bare = Scenario(
        name_of(asked.around),
        operator_of(case.rules, made.function),
        made.items,
        (input_of(case.rules, len(chosen.channels)),),
        origin=made.origin,
    )
    numbers = dict(zip(chosen.records, whole.number(chosen.records), strict=True))
    return told(bare, case, chosen, made, numbers, whole.channels)


def find(whole: Whole, asked: Asked) -> Case:
    """What is shown. All channels of the stream count, even if fewer are asked for. Raises ``CutFails``."""
    rules = replace(asked.rules, channels=max(asked.rules.channels, len(whole.channels)))
    match asked.around:
        case Dropped():
            found = whole.dropped(rules, ALL, 1)
            if not found:
                lengths = {"bound": rules.bound, "lateness": rules.lateness, "size": rules.size}
                raise CutFails("nothing_dropped", **{name: duration(ms) for name, ms in lengths.items()})
            return of_record(whole, rules, found[0])
        case RecordOf(number):
            record = whole.record(number)
            if record is None:
                raise CutFails("no_record", number=f"{number:,}")
            return of_record(whole, rules, record)
        case WindowOf(key, ts):
            return of_window(whole, rules, key, rules.window_of(ts))
        case FindingOf(code, _):
            return of_finding(whole, rules, code, asked.where)


def cut_text(whole: Whole, asked: Asked) -> str:
    """The text of the file of that scenario, which ``python -m simulator check`` accepts."""
    text = as_yaml(cut(whole, asked))
    if len(text.encode()) > SCENARIO_BYTES:
        raise CutFails("too_large", most=SCENARIO_BYTES)
    problems = problems_of_run(parse(text))
    assert not problems, problems
    return text


def name_of(around: Around) -> str:
    """The name of the scenario, and of its file without the ending."""
    match around:
        case Dropped():
            return "cut-dropped"
        case RecordOf(number):
            return f"cut-record-{number}"
        case WindowOf():
            return "cut-window"
        case FindingOf(code, nth):
            return f"cut-{code}" if nth == 1 else f"cut-{code}-{nth}"
