"""A slice of ``make small``: in each setting some of its streams of two or three records of one key."""

from dataclasses import replace

from tidemark.simulator.scenario.model import Window

from tests.small.family import Setting, family
from tests.small.trying import Tried, tried


def some_of(setting: Setting, number: int) -> Tried:
    """Few streams of each of the many windows, more of the others; two inputs have a watermark with two records."""
    operator = setting.scenario.operator
    records, stride = (3, 23) if operator.is_join else (2, 11) if isinstance(operator, Window) else (2, 3)
    return tried(replace(setting, shapes=((range(records, records + 1), 1, 1),)), stride, number % stride)


def test_both_sides_have_the_same_rows_on_small_streams() -> None:
    found = [some_of(each, number) for number, each in enumerate(family())]
    assert [text for each in found for text in each.different] == []
    assert len({each.name for each in found}) == len(found) > 300
    assert sum(each.streams for each in found) > 1500


def test_every_operator_and_every_generator_is_among_the_settings() -> None:
    settings = family()
    assert len({type(each.scenario.operator) for each in settings}) == 8
    assert {each.scenario.operator.api for each in settings} == {"datastream", "sql", "tvf"}
    assert len({each.scenario.inputs[0].watermark for each in settings}) == 6
