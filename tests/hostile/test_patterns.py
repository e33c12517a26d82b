"""Every regular expression of the tree takes a time that grows with its text, not with the square of it."""

import ast
import gc
import json
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any, Final

import pytest
from tidemark.simulator.sql.parsing import grammar
from tidemark.simulator.teaching.topics import DENIED, TOPICS

from tests.hostile.patterns import FURTHER, ROOT, WAYS, Pattern, attacks, found

CHARACTERS: Final = 10_000
"""A linear pattern needs a millisecond for a text of so many, one with a square in it the hundredfold or more."""

MOST_S: Final = 0.2
MOST_TEXTS: Final = 800

HARMLESS: Final = {
    ("simulator/scenario/reading/flow.py", "findall"): "only within what PAIRS has matched, where each pair matches",
}

all_found = cache(found)
"""The patterns of the tree, and the places that hold others. To look for them takes seconds, so collecting does not."""

PARTS: Final = 12


class Slow(BaseException):
    """A text took more than ``MOST_S`` of processor time: the ``re`` module asks for signals as it goes."""


@contextmanager
def limited() -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise Slow

    before = signal.signal(signal.SIGVTALRM, stop)
    gc.disable()  # a callback of the collector would swallow the exception
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)


def _is_slow(compiled: re.Pattern[Any], way: str, text: Any) -> bool:
    try:
        with limited():
            tried(compiled, way, text)
    except Slow:
        return True
    return False


def slow_texts(pattern: Pattern) -> list[str]:
    """By way, the first text that is too slow: its beginning, what is repeated, its end."""
    compiled = re.compile(pattern.text, pattern.flags)
    texts = list(attacks(pattern.text, pattern.flags))
    slow = []
    for way in sorted(pattern.ways):
        if (pattern.where.partition(":")[0], way) in HARMLESS:
            continue
        for begin, repeated, end in texts[:: len(texts) // MOST_TEXTS + 1]:
            text: Any = begin + repeated * (CHARACTERS // len(repeated)) + end
            if isinstance(pattern.text, bytes):
                text = text.encode()
            if all(_is_slow(compiled, way, text) for _ in range(3)):
                slow.append(f"{pattern.where} {way} {pattern.text!r}: {begin!r} + {repeated!r} * n + {end!r}")
                break
    return slow


def tried(compiled: re.Pattern[Any], way: str, text: Any) -> None:
    called: Callable[..., Any] = getattr(compiled, way)
    found = called(text[:0], text) if way in ("sub", "subn") else called(text)
    if way == "finditer":
        list(found)


@pytest.mark.parametrize("part", range(PARTS))
def test_the_patterns_of_the_tree_are_linear(part: int) -> None:
    patterns, _ = all_found()
    assert [slow for each in patterns[part::PARTS] for slow in slow_texts(each)] == []


def test_all_are_found() -> None:
    patterns, unknown = all_found()
    assert len(patterns) > 150
    assert {each.partition(":")[0] for each in unknown} == FURTHER.keys(), "say in FURTHER what is tried instead"


def test_the_patterns_of_the_schema_are_linear() -> None:
    schema = json.loads((ROOT / "scenarios/schema.json").read_text(encoding="utf-8"))
    patterns = set(patterns_in(schema))
    assert len(patterns) > 5
    ways = frozenset(("search",))
    assert [slow for each in sorted(patterns) for slow in slow_texts(Pattern("schema.json", each, 0, ways))] == []


def patterns_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from (value for name, value in schema.items() if name == "pattern" and isinstance(value, str))
        yield from schema.get("patternProperties", {})
    for each in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from patterns_in(each)


def test_the_terminals_of_sql_are_linear() -> None:
    terminals = [(each.name, each.pattern.to_regexp()) for each in grammar().terminals]
    assert len(terminals) > 50
    ways = frozenset(("match",))
    assert [slow for name, text in terminals for slow in slow_texts(Pattern(name, text, 0, ways))] == []


def test_words_that_are_looked_for_in_texts_are_found_in_linear_time() -> None:
    spoken = [pattern for topic in TOPICS for pattern in topic.spoken.values()]
    said = [Pattern("topics", each, re.IGNORECASE, frozenset(("search",))) for each in (*spoken, *DENIED.values())]
    assert [slow for each in said for slow in slow_texts(each)] == []


@pytest.mark.parametrize(
    ("text", "way"),
    [
        (r"[^\n]*\S[^\n]*", "fullmatch"), (r"\s+$", "search"), (r"(?:a|a)*b", "match"), (r"(a+)+b", "match"),
        (r"\d+-?\d+x", "match"), (r"\s*(\d{1,15})\s*([a-z]*)\s*", "fullmatch"), (r'"(?:\\.|[^"\\])*"', "sub"),
        (r"<(.*?)>", "findall"),
    ],
)  # fmt: skip
def test_a_pattern_that_is_not_is_found(text: str, way: str) -> None:
    assert way in WAYS
    assert slow_texts(Pattern("planted", text, 0, frozenset((way,))))


OF_SPARK: Final = ("files.times", "over_files.records", "files.sampling")
"""The modules that have Spark hold patterns against the cells of a file. Java's matcher goes back as Python's does."""


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _patterns_of_spark(name: str) -> set[str]:
    """Those of its constants, and those that are written in a call."""
    module = import_module(f"tidemark.spark_bridge.{name}")
    texts = {text for each, value in vars(module).items() if each.isupper() for text in _strings(value)}
    for node in ast.walk(
        ast.parse((ROOT / "spark_bridge" / f"{name.replace('.', '/')}.py").read_text(encoding="utf-8"))
    ):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SPARKS:
            argument = node.args[SPARKS[node.func.attr]]
            if isinstance(argument, ast.Constant | ast.JoinedStr):
                texts.add(eval(compile(ast.Expression(argument), name, "eval"), vars(module)))
    return {each.replace(r"\z", r"\Z") for each in texts if re.search(r"[*+{]", each) and re.search(r"[\\^$\[(]", each)}


SPARKS: Final = {"rlike": 0, "regexp_replace": 1, "regexp_extract": 1}
"""Spark's functions, and which of their arguments is the pattern."""


@pytest.mark.parametrize("name", OF_SPARK)
def test_the_patterns_that_spark_holds_against_cells_are_linear(name: str) -> None:
    patterns = _patterns_of_spark(name)
    assert patterns
    assert [
        each for text in sorted(patterns) for each in slow_texts(Pattern(name, text, 0, frozenset(("search",))))
    ] == []
