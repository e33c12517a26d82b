"""Every regular expression of the tree, the ways it is used in, and the texts that make a backtracking matcher slow."""

import ast
import builtins
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from pathlib import Path
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as codes
from re import _parser as parser
from typing import Any, Final

from tests.architecture import parsed

ROOT: Final = Path(__file__).parents[2]
PARTS: Final = ("simulator", "spark_bridge", "ui")
WAYS: Final = frozenset(("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"))

FURTHER: Final = {
    "simulator/sql/texts.py": "the parts of a LIKE between its %, each of one length, which is bounded",
    "simulator/sql/times.py": "digits between separators, each a bounded number of times",
    "simulator/teaching/topics.py": "tried in test_words_that_are_looked_for_in_texts_are_found_in_linear_time",
    "spark_bridge/spark/stages.py": "alternatives of literals, in Spark's own messages",
}
"""Where a pattern is only known at runtime, and where it is tried instead."""


@dataclass(frozen=True)
class Pattern:
    """``where`` it stands; ``ways``: the functions of ``re`` that it is used with."""

    where: str
    text: str | bytes
    flags: int
    ways: frozenset[str]


class _Sample(str):
    """Stands for what is known at runtime alone."""

    name = "x"


class _Names(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            return getattr(builtins, name)
        return _Sample(",")


def found(root: Path = ROOT) -> tuple[list[Pattern], list[str]]:
    """The patterns of the Python code below ``root``, and the places whose patterns cannot be known by reading."""
    files = [path for part in PARTS for path in sorted((root / part).rglob("*.py"))] + [root / "app.py"]
    trees = {path: parsed(path.read_text(encoding="utf-8")) for path in files}
    used = _ways_of_names(trees)
    patterns, unknown = [], []
    for path, tree in trees.items():
        inside = path.relative_to(root)
        names: dict[ast.expr, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                names[node.value] = ast.unparse(target).rpartition(".")[2]
        for call in ast.walk(tree):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            way = call.func.attr
            if way not in WAYS | {"compile"} or ast.unparse(call.func.value) != "re":
                continue
            where = f"{inside}:{call.lineno}"
            name = names.get(call, "")
            ways = used[str(inside) if name.startswith("_") else "", name] if way == "compile" else {way}
            known = _known(call, inside)
            if known is None:
                unknown.append(where)
            else:
                patterns.append(Pattern(where, *known, frozenset(ways) or WAYS))
    return patterns, unknown


def _ways_of_names(trees: dict[Path, ast.Module]) -> dict[tuple[str, str], set[str]]:
    """By file ("" for all of them) and name: the ways in which a compiled pattern of this name is used."""
    used: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in WAYS:
                either = [node.value.body, node.value.orelse] if isinstance(node.value, ast.IfExp) else [node.value]
                for file, each in product((str(path.relative_to(ROOT)), ""), either):
                    used[file, ast.unparse(each).rpartition(".")[2]].add(node.attr)
    return used


def _known(call: ast.Call, inside: Path) -> tuple[str | bytes, int] | None:
    """The text and flags of the pattern that ``call`` names; None if they are known at runtime alone."""
    module = import_module(".".join(inside.with_suffix("").parts))
    names = _Names(vars(module))
    if isinstance(call.args[0], ast.Name) and call.args[0].id not in names:
        return None
    try:
        text = eval(compile(ast.Expression(call.args[0]), "", "eval"), {}, names)
        at = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(call.func.attr, 2)  # type: ignore[attr-defined]
        given = [each.value for each in call.keywords if each.arg == "flags"] + call.args[at : at + 1]
        flags = eval(compile(ast.Expression(given[0]), "", "eval"), {}, names) if given else 0
        re.compile(text, flags)
    except (LookupError, NameError, TypeError, AttributeError, re.error):
        return None
    return text, int(flags)


# --- texts -----------------------------------------------------------------------------------------------------------

COMMON: Final = (" ", "\n", "a", "0", "水", '"', "\\")
ENDS: Final = ("", "\n", "\0", "!")
REPEATS: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
BOUNDED: Final = 1_000


def attacks(text: str | bytes, flags: int) -> Iterator[tuple[str, str, str]]:
    """What a text may begin with, what it repeats, and how it ends, so that a matcher has to go back again and again.

    It begins like a text that matches, up to any point; it repeats a character of any class of the pattern, or what
    any part of the pattern matches; and it ends as no match does.
    """
    tree = parser.parse(text, flags)
    begins = list(dict.fromkeys(_beginnings(tree)))
    if not begins:
        return
    parts = [*_letters(tree), *COMMON, *_bodies(tree), *begins, *_starts(tree)]
    repeated = list(dict.fromkeys(parts))
    yield from product(("", *begins), filter(None, repeated), ENDS)


def _example(tree: Any) -> str:
    """A short text that the tree matches, assertions and back references aside."""
    return "".join(_of(code, value) for code, value in tree)


def _of(code: Any, value: Any) -> str:
    if code is codes.LITERAL:
        return chr(value)
    if code in (codes.NOT_LITERAL, codes.ANY, codes.IN):
        return next(_members(code, value), "")
    if code is codes.BRANCH:
        return _example(value[1][0])
    if code in REPEATS:
        low, high, body = value
        return _example(body) * max(low, min(1, high))
    if code is codes.SUBPATTERN:
        return _example(value[3])
    return _example(value) if code is codes.ATOMIC_GROUP else ""


def _members(code: Any, value: Any) -> Iterator[str]:
    """Characters of a class: one of each of its parts, or of those that are in everybody's texts."""
    one = parser.SubPattern(parser.State(), [(code, value)])
    letters = [chr(each[1] if each[0] is codes.LITERAL else each[1][0]) for each in value if each[0] in
               (codes.LITERAL, codes.RANGE)] if code is codes.IN else []  # fmt: skip
    matches = compiler.compile(one, 0)
    for letter in dict.fromkeys([*letters, *COMMON, "-", ".", "A", "_", "x", ","]):
        if matches.fullmatch(letter):
            yield letter


def _children(code: Any, value: Any) -> Iterator[Any]:
    if code is codes.BRANCH:
        yield from value[1]
    elif code in REPEATS:
        yield value[2]
    elif code is codes.SUBPATTERN:
        yield value[3]
    elif code is codes.ATOMIC_GROUP:
        yield value
    elif code in (codes.ASSERT, codes.ASSERT_NOT):
        yield value[1]


def _letters(tree: Any) -> Iterator[str]:
    for code, value in tree:
        if code is codes.LITERAL:
            yield chr(value)
        elif code in (codes.NOT_LITERAL, codes.ANY, codes.IN):
            yield from list(_members(code, value))[:2]
        for child in _children(code, value):
            yield from _letters(child)


def _bodies(tree: Any) -> Iterator[str]:
    for code, value in tree:
        for child in _children(code, value):
            if example := _example(child):
                yield example
            yield from _bodies(child)


def _starts(tree: Any) -> Iterator[str]:
    """What each first part of the pattern matches, up to any character: where a search may begin over and over."""
    example = _example(tree)[:12]
    yield from (example[:end] for end in range(1, len(example)))


def _beginnings(tree: Any, before: str = "") -> Iterator[str]:
    """What may stand before each of the parts that may repeat without an end: elsewhere nothing grows."""
    for code, value in tree:
        if code in REPEATS and value[1] > BOUNDED:
            yield before
            yield before + _example(value[2])
        for child in _children(code, value):
            yield from _beginnings(child, before)
        before += _of(code, value)
