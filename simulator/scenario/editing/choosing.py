"""Choosing another kind of a part: what the new kind also takes stays as it is written, and the rest goes."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tidemark.simulator.scenario.editing.edits import put, remove, set_value
from tidemark.simulator.scenario.editing.places import EditError, Path
from tidemark.simulator.scenario.editing.starts import LENGTHS, STEPS, fits, starts
from tidemark.simulator.scenario.editing.text import ScenarioText
from tidemark.simulator.scenario.editing.written import Plain, Value
from tidemark.simulator.scenario.format.structs import Members, Struct, Variant

DEEP = 3
"""How many steps lead to the parts that may stand empty: an input keeps its name."""

INNER = "inner"
"""The member of a trigger that holds another one."""


class Chosen(NamedTuple):
    """The text after a choice, and the paths of what it does not take."""

    text: ScenarioText
    gone: tuple[Path, ...]


def choose(text: ScenarioText, variant: Variant, path: Path, name: str, also: Iterable[str] = ()) -> Chosen:
    """``text`` with the kind ``name`` of ``variant`` at ``path``.

    ``also``: keys that other variants take, which go as well. Raises ``EditError`` for a kind that it is not.
    """
    if name not in variant.cases:
        raise EditError("no_value")
    before = text.value(path) if text.has(path) else {}
    if not isinstance(before, dict):
        raise EditError("not_simple")
    case = _struct(variant.cases[name], before)
    if not before:
        return Chosen(put(text, path, {variant.key: Plain(name), **starts(case, {}, case.required)}), ())
    if isinstance(inner := before.get(INNER), dict) and inner.get(variant.key) == name:
        return Chosen(set_value(text, path, inner), ())
    if INNER in case.required and INNER not in before and fits(case.kinds[INNER], before):
        more = starts(case, before, tuple(each for each in case.required if each != INNER))
        return Chosen(set_value(text, path, {variant.key: Plain(name), INNER: before, **more}), ())
    kept = {key for key, value in before.items() if key in case.kinds and fits(case.kinds[key], value)}
    taken = {variant.key, *_choosers(variant.cases[name])}
    known = {*variant.keys(), *also}
    gone = tuple(key for key in before if key in known and key not in kept and key not in taken)
    text = set_value(text, (*path, variant.key), Plain(name))
    for key in gone:
        text = remove(text, (*path, key))
    more = starts(case, before, tuple(key for key in case.required if key not in kept))
    for key, value in more.items():
        text = set_value(text, (*path, key), value)
    carried = (*LENGTHS, *STEPS) if not more.keys().isdisjoint(LENGTHS) else ()
    return Chosen(text, tuple((*path, key) for key in gone if key not in carried))


def leave_out(text: ScenarioText, path: Path, optional: bool) -> ScenarioText:
    """``text`` without what is at ``path``; with the last member goes an empty mapping around it.

    Raises ``EditError`` where it cannot be left out.
    """
    if not optional:
        raise EditError("needed")
    if not text.has(path):
        return text
    above = text.value(path[:-1])
    if len(path) > DEEP and isinstance(above, dict) and len(above) == 1:
        return leave_out(text, path[:-1], optional)
    return remove(text, path)


def _struct(case: Members, before: dict[str, Value]) -> Struct:
    """The members of a kind, with those choices below it that ``before`` has made."""
    if isinstance(case, Variant):
        written = before.get(case.key)
        name = written if isinstance(written, str) and written in case.cases else str(case.default)
        return _struct(case.cases[name], before)
    assert isinstance(case, Struct)
    return case


def _choosers(case: Members) -> Iterator[str]:
    """The keys that choose within a kind."""
    if isinstance(case, Variant):
        yield case.key
        for each in case.cases.values():
            yield from _choosers(each)
