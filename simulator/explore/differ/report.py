"""What was found, in words: the records, what each side makes of them, and the rule that tells the two apart.

The rule is that of the first micro-step at which the runs part: what happened on either side there, and why, as the
player says it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from tidemark.simulator import run_traced, timeline
from tidemark.simulator.explore.differ.search import Answer
from tidemark.simulator.explore.differ.sides import Rows
from tidemark.simulator.explore.upgrades import upgrades
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.timeline.wording import Wording
from tidemark.simulator.words import words

Step = Mapping[str, Any]

_ON_THE_WAY: Final = ("MaxTimestampRaised", "WatermarkEmitted", "ChannelAdvanced", "WatermarkCombined")


def lines_of(answer: Answer) -> Iterator[str]:
    """The answer, a line each."""
    said = texts_of(answer)
    if answer.stream is not None:
        yield said["lead"]
        yield from (f"  {line}" for line in said["stream"])
        yield from (f"{label}: {rule}" for label, rule in zip("AB", said["rules"], strict=True))
        yield from said["versions"]
    yield from said["tried"]


def texts_of(answer: Answer) -> dict[str, Any]:
    """{lead, stream, rules, versions, tried}: ``stream`` has a line of YAML for each item, ``rules`` a text for each
    side, ``versions`` the rules between their versions of Flink, ``tried`` sentences about the other streams. Without a
    difference there is only ``tried``.
    """
    if answer.stream is None:
        return {"tried": list(_none(answer))}
    text = as_yaml(answer.left)
    lines = text[text.index("\nstream:") + len("\nstream:\n") :].splitlines()
    return {
        "lead": words("differ.found_one") if answer.records == 1 else words("differ.found", records=answer.records),
        "stream": [line.removeprefix("  ") for line in lines],
        "rules": list(rules_of(answer)),
        "versions": [words("differ.version", rule=each) for each in _between(answer.left, answer.right)],
        "tried": list(_smaller(answer)),
    }


def _between(left: Scenario, right: Scenario) -> list[str]:
    """The rules between their versions that make the difference, in words; all that may, where none does so alone."""
    found = upgrades(left, right.flink)
    return [each.text for each in found if each.rows] or [each.text for each in found]


def _smaller(answer: Answer) -> Iterator[str]:
    if answer.records == 1:
        yield words("differ.fewest")
        return
    yield words("differ.smallest" if answer.is_smallest else "differ.not_proved")
    if answer.all_of:
        yield words("differ.tried", **_fields(answer))


def _none(answer: Answer) -> Iterator[str]:
    if answer.all_of:
        yield words("differ.none_of_all", **_fields(answer))
    if answer.random:
        yield words("differ.none_random", random=f"{answer.random:,}")
    yield words("differ.proves_nothing")


def _fields(answer: Answer) -> dict[str, Any]:
    return {
        "streams": f"{answer.streams:,}",
        "records": answer.all_of,
        "times": answer.times,
        "kinds": answer.kinds,
        "channels": answer.channels,
    }


def rules_of(answer: Answer) -> tuple[str, str]:
    """What happens on each side where they part, and why; between two engines, what each of them emits; beside a
    belief, the truth and what is believed.
    """
    if answer.belief is not None:
        return words(f"beliefs.{answer.belief}.truth"), words(f"beliefs.{answer.belief}.claim")
    if answer.left.engine != answer.right.engine:
        left, right = (_emitted(rows) for rows in (answer.only_left, answer.only_right))
        return left, right
    places = [place for _, place, _, _ in (*answer.only_left, *answer.only_right)]
    item = min(places) if answer.left.engine == "flink" else 0  # a row of Spark's has its batch
    scenarios = answer.left, answer.right
    steps = [_steps(each) for each in scenarios]
    later = [[step for step in each if step["item"] >= item] for each in steps]
    partings = [_parting(later[0], later[1], said) for said in (_decision, _said)]
    at = next((each for each in partings if each is not None), 0)
    left, right = (
        _sentence(Wording(*each), after[at:])
        for each, after in zip(zip(scenarios, steps, strict=True), later, strict=True)
    )
    return left, right


def _emitted(rows: Rows) -> str:
    return "; ".join(text for _, text in rows) or words("differ.nothing")


def _steps(scenario: Scenario) -> Sequence[Step]:
    _, trace = run_traced(scenario)
    return timeline.build(scenario, trace).by_name()["steps"]


def _parting(left: Sequence[Step], right: Sequence[Step], said: Callable[[Step], Any]) -> int | None:
    """The first place at which the steps of both are not the same, as far as ``said`` looks at them."""
    pairs = zip_longest(left, right)
    return next((at for at, (one, other) in enumerate(pairs) if not (one and other) or said(one) != said(other)), None)


def _decision(step: Step) -> Any:
    """What happens and how its rule turns out, whatever the numbers."""
    rule = step["rule"]
    return step["story"], step["item"], None if rule is None else (rule["name"], rule["holds"])


def _said(step: Step) -> Any:
    """The numbers as well, but for those of watermarks on their way."""
    return step["story"], None if step["event"] in _ON_THE_WAY else step["fields"]


def _tells(step: Step) -> bool:
    return step["rule"] is not None or any(each.startswith("output:") for each in step["touches"])


def _sentence(wording: Wording, steps: Sequence[Step]) -> str:
    """The first step of the item that a rule decides or that emits a row, or else the first one."""
    if not steps:
        return words("differ.nothing")
    decided = (step for step in steps if step["item"] == steps[0]["item"] and _tells(step))
    step = next(decided, steps[0])
    rule = wording.predicate(step)
    said = words("differ.between").join(filter(None, (wording.what(step), wording.why(step))))
    return words("differ.with_rule", said=said, rule=rule) if rule else said


def members_of(answer: Answer) -> dict[str, Any]:
    """The answer as plain data: both scenarios over the stream are texts of files."""
    said = {
        "differ": answer.stream is not None,
        "all_of": answer.all_of,
        "streams": answer.streams,
        "times": answer.times,
        "kinds": answer.kinds,
        "channels": answer.channels,
        "random": answer.random,
    }
    if answer.stream is None:
        return said
    left, right = rules_of(answer)
    return said | {
        "records": answer.records,
        "smallest": answer.is_smallest,
        "a": as_yaml(answer.left),
        **({"b": as_yaml(answer.right)} if answer.belief is None else {"belief": answer.belief}),
        "rule_a": left,
        "rule_b": right,
    }
