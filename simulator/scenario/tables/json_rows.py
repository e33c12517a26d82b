"""The objects of JSON Lines or of a JSON array as rows; a member of a member has a dotted path: ``user.id``."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from tidemark.simulator.limits import TABLE_DEPTH, TYPED_CHARACTERS
from tidemark.simulator.scenario.reading.source import CONTROL
from tidemark.simulator.scenario.tables.rows import REPLACED, Quoted, Unreadable, unreadable

MOST_IN_VAIN: Final = 20
"""How often as many characters as a text has are looked at for objects that turn out to be none."""


class Number(str):
    """A number as it is written: nothing is rounded."""

    __slots__ = ()


class Found(NamedTuple):
    """An object: its members by path. ``source`` is the object as it stands in the file."""

    line: int
    members: dict[str, str]
    source: str


_BETWEEN: Final = re.compile(r"[,\[\]\s]*")

_DECODER: Final = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=Number)


def is_json(text: str) -> bool:
    """Whether ``text`` begins as an object or an array of objects does."""
    start = text[:1000].lstrip()
    return start.startswith("{") or (start.startswith("[") and start[1:].lstrip()[:1] in ("{", "]", ""))


def is_one_document(line: str) -> bool:
    """Whether a table whose first line this is must be one JSON document, and not a line for each object."""
    line = line.strip()
    return line.startswith("[") or (line.startswith("{") and not line.endswith("}"))


def objects_of(text: str, line: int = 1) -> Iterator[Found | Unreadable]:
    """The objects of ``text``, whose first line has the number ``line``; separators between them are passed over.

    An object that cannot be read spoils its own line. Where the text would be read again and again for objects that are
    never closed, from there on each must be on one line.
    """
    at = before = vain = 0
    said = -1
    while True:
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        if at >= len(text):
            return
        line += text.count("\n", before, at)
        before = at
        if vain > MOST_IN_VAIN * len(text):
            for number, row in enumerate(text[at:].split("\n"), line):
                yield from objects_of(row, number)
            return
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            failed = error.pos if isinstance(error, json.JSONDecodeError) else len(text)
            vain += at + 10 * (failed - at)  # the error counts the lines before it, which is cheaper than reading
            yield unreadable(line, "json")
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        source = text[at:end]
        if not isinstance(found, dict):
            if line != said:  # the elements of a list on one line are one complaint
                yield unreadable(line, "no_object")
            said = line
        elif REPLACED in source:
            yield unreadable(line, "bytes")
        else:
            members = dict(_members(found))
            strange = next(filter(None, map(CONTROL.search, members.values())), None)
            if strange:
                yield unreadable(line, "control", code=f"{ord(strange[0]):04X}")
            else:
                yield Found(line, members, source)
        at = end


def _members(value: dict[str, Any], path: str = "", depth: int = 1) -> Iterator[tuple[str, str]]:
    for name, each in value.items():
        here = f"{path}{name}"
        if isinstance(each, dict) and each and depth < TABLE_DEPTH and len(here) <= TYPED_CHARACTERS:
            yield from _members(each, f"{here}.", depth + 1)
        else:
            yield here, _cell(each)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return Quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False)
