"""Regular expressions as Java reads them, matched in a time that grows with the text alone.

Of Java's patterns those are read in which no step depends on what was matched before: sets, groups, alternatives,
repeats, beginnings and ends. A state of the matcher that has failed at a character is never tried there again.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

from tidemark.simulator.limits import SQL_PATTERN_WORK
from tidemark.simulator.sql.types import Failure

_MOST_PARTS: Final = 500
_MOST_GROUPS: Final = 50
_ENDS_OF_LINES: Final = "\n\r\u0085\u2028\u2029"
_DIGITS: Final = frozenset("0123456789")
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_BLANKS: Final = frozenset(" \t\n\x0b\f\r")
_SETS: Final = {"d": _DIGITS, "w": _LETTERS, "s": _BLANKS}
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}

Accepts = Callable[[str], bool]
Spans = dict[int, int]
"""Where groups begin (twice their number) and end (one more); group 0 is all."""


class UnreadPattern(Exception):
    """A pattern that Java does not take, or that is not read here."""


class Pattern:
    """A pattern, compiled. Raises ``UnreadPattern``."""

    def __init__(self, text: str) -> None:
        self.text, self._at, self.groups = text, 0, 0
        self._program: list[tuple[Any, ...]] = []
        self._emit(self._alternatives(0))
        if self._at < len(text):
            raise UnreadPattern(text)
        self._program.append(("found",))

    # What is read is a node: a function that writes parts of the program, and whether it can match nothing.

    def _next(self) -> str:
        return self.text[self._at : self._at + 1]

    def _take(self) -> str:
        found = self._next()
        if not found:
            raise UnreadPattern(self.text)
        self._at += 1
        return found

    def _alternatives(self, depth: int) -> tuple[Any, ...]:
        if depth > _MOST_GROUPS:
            raise UnreadPattern(self.text)
        found = [self._sequence(depth)]
        while self._next() == "|":
            self._at += 1
            found.append(self._sequence(depth))
        return found[0] if len(found) == 1 else ("one of", found)

    def _sequence(self, depth: int) -> tuple[Any, ...]:
        found = []
        while self._next() not in ("", "|", ")"):
            found.append(self._repeated(self._atom(depth)))
        return ("all of", found)

    def _atom(self, depth: int) -> tuple[Any, ...]:
        each = self._take()
        if each == "(":
            number = None
            if self.text.startswith("?:", self._at):
                self._at += 2
            elif self._next() == "?":
                raise UnreadPattern(self.text)
            else:
                self.groups += 1
                number = self.groups
            inner = self._alternatives(depth + 1)
            if self._take() != ")":
                raise UnreadPattern(self.text)
            return inner if number is None else ("group", number, inner)
        if each in "^$":
            return ("at", _at_begin if each == "^" else _at_end)
        if each == "\\" and self._next() and self._next() in "bB":
            wanted = self._take() == "b"
            return ("at", lambda text, at: _at_word(text, at) is wanted)
        if each in "*+?{":
            raise UnreadPattern(self.text)
        if each == ".":
            return ("set", lambda character: character not in _ENDS_OF_LINES)
        if each == "[":
            return ("set", self._class())
        characters, wanted = self._escaped() if each == "\\" else (frozenset(each), True)
        return ("set", lambda character: (character in characters) is wanted)

    def _escaped(self) -> tuple[frozenset[str], bool]:
        each = self._take()
        if each.lower() in _SETS:
            return _SETS[each.lower()], each.islower()
        if each in _CONTROLS:
            return frozenset(_CONTROLS[each]), True
        if each.isalnum():
            raise UnreadPattern(self.text)
        return frozenset(each), True

    def _class(self) -> Accepts:
        negative = self._next() == "^"
        self._at += negative
        parts: list[Accepts] = []
        while (each := self._take()) != "]" or not parts:
            if each in "[]" or (each == "&" and self._next() == "&"):
                raise UnreadPattern(self.text)  # Java's own: unions and intersections
            characters, wanted = self._escaped() if each == "\\" else (frozenset(each), True)
            if self._next() == "-" and self.text[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                last = self._take()
                if last in "[\\" or len(characters) > 1 or not wanted or min(characters) > last:
                    raise UnreadPattern(self.text)
                parts.append(_between(min(characters), last))
            else:
                parts.append(_among(characters, wanted))
        return lambda character: any(accepts(character) for accepts in parts) is not negative

    def _repeated(self, node: tuple[Any, ...]) -> tuple[Any, ...]:
        each = self._next()
        if not each or each not in "*+?{":
            return node
        self._at += 1
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(each) or self._numbers()
        lazy = self._next() == "?"
        self._at += lazy
        if (self._next() and self._next() in "*+?{") or (most is None and _may_be_empty(node)):
            raise UnreadPattern(self.text)
        return ("times", node, least, most, lazy)

    def _numbers(self) -> tuple[int, int | None]:
        inner, closed, _ = self.text[self._at :].partition("}")
        self._at += len(inner) + 1
        least, comma, most = inner.partition(",")
        digits = [each for each in (least, most) if each]
        if not closed or not least or not all(each.isascii() and each.isdigit() and len(each) < 4 for each in digits):
            raise UnreadPattern(self.text)
        found = int(least), int(most) if most else None if comma else int(least)
        if found[1] is not None and found[1] < found[0]:
            raise UnreadPattern(self.text)
        return found

    def _emit(self, node: tuple[Any, ...]) -> None:
        program = self._program
        if len(program) > _MOST_PARTS:
            raise UnreadPattern(self.text)
        match node[0]:
            case "all of":
                for each in node[1]:
                    self._emit(each)
            case "one of":
                ends = []
                for each in node[1][:-1]:
                    fork = self._add("fork")
                    self._emit(each)
                    ends.append(self._add("go"))
                    program[fork] = ("fork", fork + 1, len(program))
                self._emit(node[1][-1])
                for end in ends:
                    program[end] = ("go", len(program))
            case "group":
                program.append(("mark", 2 * node[1]))
                self._emit(node[2])
                program.append(("mark", 2 * node[1] + 1))
            case "times":
                self._emit_times(*node[1:])
            case _:
                program.append(node)

    def _emit_times(self, node: tuple[Any, ...], least: int, most: int | None, lazy: bool) -> None:
        program = self._program
        for _ in range(least):
            self._emit(node)
        forks = []
        for _ in range(1 if most is None else most - least):
            forks.append(self._add("fork"))
            self._emit(node)
        if most is None:
            program.append(("go", forks[0]))
        for fork in forks:
            ways = (fork + 1, len(program))
            program[fork] = ("fork", *(ways[::-1] if lazy else ways))

    def _add(self, what: str) -> int:
        self._program.append((what,))
        return len(self._program) - 1

    def find(self, text: str) -> Spans | None:
        """The first place that it matches."""
        return next(self.finds(text), None)

    def finds(self, text: str) -> Iterator[Spans]:
        """Each place that it matches, as Java's ``find`` goes on. Raises ``Failure`` if that is too much work."""
        work, at = SQL_PATTERN_WORK, 0
        while at <= len(text):
            found, work = self._search(text, at, work)
            if found is None:
                return
            yield found
            at = found[1] + (found[0] == found[1])

    def _search(self, text: str, start: int, work: int) -> tuple[Spans | None, int]:
        program, length = self._program, len(text)
        failed: set[tuple[int, int]] = set()
        for begin in range(start, length + 1):
            stack: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [(0, begin, ())]
            while stack:
                part, at, marks = stack.pop()
                while (part, at) not in failed:
                    failed.add((part, at))
                    work -= 1
                    if work < 0:
                        raise Failure(f"REGEXP '{self.text}'")
                    what = program[part]
                    part += 1
                    if what[0] == "set":
                        if at == length or not what[1](text[at]):
                            break
                        at += 1
                    elif what[0] == "fork":
                        stack.append((what[2], at, marks))
                        part = what[1]
                    elif what[0] == "go":
                        part = what[1]
                    elif what[0] == "mark":
                        marks = (*marks, (what[1], at))
                    elif what[0] == "at":
                        if not what[1](text, at):
                            break
                    else:
                        return {0: begin, 1: at, **dict(marks)}, work
        return None, work


def _may_be_empty(node: tuple[Any, ...]) -> bool:
    match node[0]:
        case "all of":
            return all(map(_may_be_empty, node[1]))
        case "one of":
            return any(map(_may_be_empty, node[1]))
        case "group":
            return _may_be_empty(node[2])
        case "times":
            return node[2] == 0 or _may_be_empty(node[1])
        case _:
            return bool(node[0] == "at")


def _among(characters: frozenset[str], wanted: bool) -> Accepts:
    return lambda character: (character in characters) is wanted


def _between(first: str, last: str) -> Accepts:
    return lambda character: first <= character <= last


def _at_begin(text: str, at: int) -> bool:
    return at == 0


def _at_end(text: str, at: int) -> bool:
    """At the end, or before the end of the last line, as in Java."""
    rest = text[at : at + 3]
    return not rest or rest == "\r\n" or (len(rest) == 1 and rest in _ENDS_OF_LINES and text[at - 1 : at + 1] != "\r\n")


def _at_word(text: str, at: int) -> bool:
    sides = (text[max(at - 1, 0) : at], text[at : at + 1])
    before, behind = (each.isalnum() or each == "_" for each in sides)
    return before is not behind


@lru_cache(maxsize=256)
def pattern(text: str) -> Pattern:
    """Raises ``UnreadPattern``."""
    return Pattern(text)


def extracted(of: Pattern, text: str, group: int) -> str | None:
    """REGEXP_EXTRACT: None where it does not match, has no such group, or that took part in no match."""
    found = of.find(text)
    return None if found is None or 2 * group not in found else text[found[2 * group] : found[2 * group + 1]]


def replaced(of: Pattern, text: str, new: str, most: int) -> str | None:
    """REGEXP_REPLACE; None for more than ``most`` characters."""
    parts, at, length = [], 0, 0
    for found in of.finds(text):
        parts += [text[at : found[0]], new]
        at = found[1]
        length += len(new)
        if length > most:
            return None
    return "".join((*parts, text[at:]))
