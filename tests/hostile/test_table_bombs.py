"""Malicious tables: what they would cost is refused before it is done."""

import pytest

from simulator.scenario.tables import look
from tests.fuzz.running import Target, tried

MEMBERS = "\n".join(f'{{"k{number}": 1}}' for number in range(70_000))
LONG_MEMBER = '{"' + "x" * 500_000 + '": {' + ",".join(f'"a{number}": 1' for number in range(40_000)) + "}}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("," * 1_000_000, "many_columns"), ("a," * 100_000 + "\nx", "many_columns"), (",\n" * 400_000, "no_time"),
        ('"\n' * 100_000, "no_time"), ('{"a":[\n' * 900 + "1," * 400_000, "nothing_readable"),
        ('{"a":[\n' * 100_000, "nothing_readable"), (MEMBERS, "many_columns"), (LONG_MEMBER, "no_time"),
    ],
    ids=("names", "equal-names", "lines", "quotes", "open", "deep", "members", "long-member"),
)  # fmt: skip
def test_a_bomb_is_refused_before_it_works(text: str, problem: str) -> None:
    outcomes: list[str] = []
    door = Target("table", list, lambda data: outcomes.append(look(data).problem))
    assert tried(door, text.encode()) is True
    assert outcomes == [problem]
