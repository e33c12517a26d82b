"""Whatever a file holds, reading it returns a scenario or raises ``ScenarioError``, never anything else."""

from pathlib import Path
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tidemark.simulator.scenario import Scenario, ScenarioError, parse
from tidemark.simulator.scenario.stream import items

from tests.examples import examples

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "scenarios").glob("*.yaml")) + sorted((ROOT / "tests" / "golden").glob("*.yaml"))
SEEDS = [file.read_text(encoding="utf-8") for file in FILES]

TOKENS = """
0 1 -1 9223372036854775807 9223372036854775808 1.5 .nan 1e999 true null ~ '' {} [] [1,2] & * ! | > % @
tumbling session global sliding count delta never purging sql datastream spark flink event processing
at ts key value in channel watermark status advance checkpoint restore end generate engine origin
5s -5s 1h0 2017-01-20T06:15:13Z 2017-01-20T06:15:13
"""
WORDS = [*TOKENS.split(), "{a: 1}", ""]
PIECES = (*WORDS, "\n", "  ", ": ", "- ", ", ", "{", "}", "[", "]", "'", '"', "#", "\t", "\0", "é", "\u2028", "\ud83d")


def outcome(text: str, *, json: bool = False) -> Scenario | None:
    """The scenario, or None if it is refused with a message."""
    try:
        return parse(text, "fuzzed.yaml", json=json)
    except ScenarioError as refusal:
        problems = refusal.problems
    assert problems
    assert all(problem.text and problem.file == "fuzzed.yaml" for problem in problems)
    return None


def mutated(text: str, chance: Random) -> str:
    """``text`` with a few pieces deleted, doubled, or replaced."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 1, 1, 2, 5, 20)))
        piece = chance.choice((chance.choice(PIECES), text[start:end] * 2, "", chance.choice(WORDS)))
        text = text[:start] + piece + text[end:]
    return text


def word_swapped(text: str, chance: Random) -> str:
    """``text`` with one word or number replaced by another; most results still have the form of a scenario."""
    words = [part for part in text.replace(",", " ").replace("}", " ").replace("{", " ").split() if part[-1] != ":"]
    return text.replace(chance.choice(words), chance.choice(WORDS), 1)


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SEEDS), st.randoms(use_true_random=False))
def test_a_damaged_file_is_read_or_refused(text: str, chance: Random) -> None:
    outcome(mutated(text, chance))


@settings(max_examples=examples(250), suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SEEDS), st.randoms(use_true_random=False))
def test_a_file_with_a_wrong_word_is_read_or_refused(text: str, chance: Random) -> None:
    scenario = outcome(word_swapped(text, chance))
    if scenario is not None:
        for _, item in zip(range(50), items(scenario), strict=False):
            assert item is not None


@settings(max_examples=examples(200))
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_text_is_refused(pieces: list[str]) -> None:
    outcome("".join(pieces))
    outcome("".join(pieces), json=True)


@settings(max_examples=examples(100))
@given(st.text())
def test_any_characters_are_refused(text: str) -> None:
    assert outcome(text) is None
    assert outcome(text, json=True) is None
