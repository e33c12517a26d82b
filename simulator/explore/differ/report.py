"""What was found, in words: the records as lines of a file, why the two differ, and what was tried."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from tidemark.simulator.engine.values.duration import format_duration, format_instant
from tidemark.simulator.engine.values.versions import CHANGES
from tidemark.simulator.explore.differ.reasons import rules_of
from tidemark.simulator.explore.differ.search import Answer, Tried
from tidemark.simulator.scenario.editing.text import Plain, text_value, written
from tidemark.simulator.scenario.versions import OF_SEVERAL_CHANNELS, differing_names
from tidemark.simulator.scenario.writing import as_yaml, members_of_items
from tidemark.simulator.words import words

_TIMES: Final = ("ts", "at", "watermark", "advance")
"""The members of an item that are times."""

_AN_INSTANT: Final = 10**11
"""From here on (ms) a time is a date."""


def lines_of(answer: Answer) -> Iterator[str]:
    """The answer, a line each."""
    said = texts_of(answer)
    if answer.stream is not None:
        yield said["lead"]
        yield from (f"  {line}" for line in said["stream"])
        yield from said["causes"]
        yield from (f"{label}: {rule}" for label, rule in zip("AB", said["rules"], strict=True))
    yield from said["tried"]


def texts_of(answer: Answer) -> dict[str, Any]:
    """{lead, stream, causes, rules, tried}: ``stream`` has a line of a file for each item, ``causes`` what tells
    the two apart, ``rules`` a text for each side, and ``tried`` sentences about the other streams. Without a difference
    there is only ``tried``, with the rules of the versions that other streams may show.
    """
    if answer.stream is None:
        return {"tried": [*tried_lines(answer.tried, 0), *_may_show(answer)]}
    left, (rules, causes) = answer.left, rules_of(answer)
    return {
        "lead": lead(answer.records),
        "stream": [f"- {_line(each, left.origin)}" for each in members_of_items(left, answer.stream)],
        "causes": causes,
        "rules": list(rules),
        "tried": list(tried_lines(answer.tried, answer.records)),
    }


def _may_show(answer: Answer) -> Iterator[str]:
    """A sentence for each rule between the versions of both sides that no stream has shown."""
    alone = sum(each.channels for each in answer.left.inputs) == 1
    for name in differing_names(answer.left, answer.right.flink):
        needs_channels = alone and name in OF_SEVERAL_CHANNELS
        rule = words(f"versions.rules.{name}", since=CHANGES[name].since)
        yield words("differ.shows_on_several" if needs_channels else "differ.may_show", rule=rule)


def lead(records: int) -> str:
    """On how many records they differ."""
    return words("differ.found_one") if records == 1 else words("differ.found", records=records)


def _line(members: Mapping[str, Any], origin: int) -> str:
    """An item as people write it in a file, its times as lengths or as instants."""
    return written({
        name: Plain(_time(each, 0 if name == "advance" else origin)) if name in _TIMES and type(each) is int
        else text_value(each) if isinstance(each, str) else each
        for name, each in members.items()
    })  # fmt: skip


def _time(ms: int, origin: int) -> str:
    return format_instant(ms) if abs(ms) >= _AN_INSTANT else format_duration(ms - origin)


def tried_lines(tried: Tried, records: int) -> Iterator[str]:
    """What was tried beside a stream of so many ``records``, 0 if none was found; and what that leaves open."""
    fields = {name: f"{number:,}" for name, number in asdict(tried).items()}
    if records == 1:
        yield words("differ.fewest")
        return
    if records:
        yield words("differ.smallest" if tried.all_of >= records - 1 else "differ.not_proved")
    if tried.all_of:
        yield words("differ.tried" if records else "differ.none_of_all", **fields)
    if not records:
        if tried.random:
            yield words("differ.none_random", **fields)
        yield words("differ.proves_nothing")


def members_of(answer: Answer) -> dict[str, Any]:
    """The answer as plain data: both scenarios over the stream are texts of files."""
    said = {"differ": answer.stream is not None, **asdict(answer.tried)}
    if answer.stream is None:
        return said | {"may_show": list(differing_names(answer.left, answer.right.flink))}
    (left, right), causes = rules_of(answer)
    return said | {
        "records": answer.records,
        "smallest": answer.tried.all_of >= answer.records - 1,
        "a": as_yaml(answer.left),
        **({"b": as_yaml(answer.right)} if answer.belief is None else {"belief": answer.belief}),
        "causes": causes,
        "rule_a": left,
        "rule_b": right,
    }
