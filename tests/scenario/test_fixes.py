"""Problems that carry their fix as data: what to write, and where. An editor offers the fix on a button."""

import pytest
from tidemark.simulator.engine.values.errors import Fix
from tidemark.simulator.scenario import Problem, ScenarioError, parse

SOUND = """\
scenario: 1
name: small
zone: Europe/Berlin
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
stream:
  - {ts: 1s, key: a, value: 4}
  - {end: true}
"""


def problems(text: str) -> list[Problem]:
    try:
        parse(text)
    except ScenarioError as refusal:
        return refusal.problems
    return []


def fixed(text: str, fix: Fix) -> str:
    """The text with the fix applied."""
    lines = text.split("\n")
    line, start = lines[fix.line - 1], fix.column - 1
    assert line.startswith(fix.found, start)
    lines[fix.line - 1] = line[:start] + fix.write + line[start + len(fix.found) :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("right", "wrong", "fix"),
    [
        ("tumbling", "Tumbling", Fix(4, 43, "Tumbling", "tumbling")),
        ("function:", "functoin:", Fix(4, 64, "functoin", "function")),
        ("type: window", "tpye: window", Fix(4, 12, "tpye", "type")),
        ("key: a", "kye: a", Fix(6, 14, "kye", "key")),
        ("Berlin", "Berln", Fix(3, 7, "Europe/Berln", "Europe/Berlin")),
        ("compute: sum}}", "compute: sum}", Fix(4, 105, "", "}")),
        ("value: 4}", "value: 4", Fix(6, 30, "", "}")),
    ],
)
def test_a_fix_makes_the_file_sound_again(right: str, wrong: str, fix: Fix) -> None:
    text = SOUND.replace(right, wrong)
    (problem,) = problems(text)
    assert problem.fix == fix
    assert fixed(text, fix) == SOUND


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("key: a", '"kye": a'),  # in quotes: the fix would have to find where they end
        ("tumbling", "sideways"),  # no similar name
        ("value: 4}", "value: 4  # the last"),  # the comment would swallow the bracket
        ("value: 4}", 'value: "4'),  # a quote is open, not a bracket
        ("size: 5s}", "size: -5s}"),  # the intended size is unknown
    ],
)
def test_there_is_no_fix_where_the_intention_is_unknown(right: str, wrong: str) -> None:
    found = problems(SOUND.replace(right, wrong))
    assert found
    assert all(problem.fix is None for problem in found)


def test_a_fix_agrees_with_its_message() -> None:
    (problem,) = problems(SOUND.replace("tumbling", "Tumbling"))
    assert str(problem) == "scenario.yaml:4:43: `Tumbling` is not known here; did you mean `tumbling`?"
