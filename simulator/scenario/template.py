"""``{names}`` in the texts of a walkthrough, filled from a mapping and from nothing else.

This is not ``str.format``, since anybody may have written these texts: a name is never an expression.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

PART: Final = re.compile(r"\{\{|\}\}|\{([a-z_]+)\}|[{}][^{}]{0,20}")

INTERVAL: Final = re.compile(r"\[[^\[\]()]*\)")
"""A window, such as ``[{start}, {end})``."""

UNIT: Final = re.compile(r"\s?(?:m?s|secs?|seconds|milliseconds)\b|\s?毫?秒")
"""The unit that an author has written behind a name."""


class Part(NamedTuple):
    """A part of a template: literal text, or a name.

    ``bare``: a time at this name is written without its unit, since the author has written one behind it or the name
    is within the brackets of a window.
    """

    text: str
    is_name: bool
    bare: bool = False


class TemplateError(ValueError):
    """A brace is neither doubled nor around a name. ``text`` is what stands there."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def parts(template: str) -> list[Part]:
    """The parts of ``template``. Raises ``TemplateError`` for braces without a name in them."""
    found: list[Part] = []
    windows = [match.span() for match in INTERVAL.finditer(template)]
    end = 0
    for match in PART.finditer(template):
        if match.start() > end:
            found.append(Part(template[end : match.start()], False))
        if match[1] is not None:
            within = any(start < match.start() < last for start, last in windows)
            found.append(Part(match[1], True, within or UNIT.match(template, match.end()) is not None))
        elif match[0] in ("{{", "}}"):
            found.append(Part(match[0][0], False))
        else:
            raise TemplateError(match[0])
        end = match.end()
    if end < len(template):
        found.append(Part(template[end:], False))
    return found


def names(template: str) -> list[str]:
    """The names in ``template``, in order, repeated ones included."""
    return [part.text for part in parts(template) if part.is_name]


def fill(template: str, value: Callable[[str, bool], str]) -> str:
    """``template`` with ``value(name, bare)`` in place of each ``{name}``; doubled braces become single ones."""
    return "".join(value(part.text, part.bare) if part.is_name else part.text for part in parts(template))
