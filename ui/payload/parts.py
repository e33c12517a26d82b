"""A part of a scenario in words: the one place that puts triggers, assigners, evictors and generators into text.

The words of a part stand in the catalogue under its family and its ``type``, once for each form that is needed:
``brief`` (in a few words), ``sentence``, ``why`` (on the card of a window) and ``beside`` (how often, before or after
the end of the window). The fields of a part fill the ``{names}`` of its template: a field of ``Milliseconds`` as a
length of time, a part within a part in words of its own. So a new part needs words and no code.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

from tidemark.simulator.engine.values.part import Part
from tidemark.simulator.engine.values.time import Milliseconds
from tidemark.simulator.scenario import model
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import filled, pieces, section

Parts = list[tuple[str, bool]]
"""Pieces of text; True for a value, which is to stand out."""

WITHIN: Final = {"brief": "beside", "sentence": "beside"}
"""The form of what fires before or after the end, within another form; the others keep theirs."""


def in_words(part: Part, form: str) -> str:
    """The part as text. Raises ``KeyError`` if the catalogue has no such form of it."""
    texts = _texts(part)
    return filled(_template(part, form, texts), _values(part, form, texts))


def in_pieces(part: Part, form: str) -> Parts:
    """The same with its values marked."""
    texts = _texts(part)
    values = _values(part, form, texts)
    inner = getattr(part, "inner", None)
    if inner is None:
        return pieces(_template(part, form, texts), values)
    # The words of the inner part have marks of their own.
    before, _, after = _template(part, form, texts).partition("{inner}")
    return [*pieces(before, values), *in_pieces(inner, form), *pieces(after, values)]


def beside_the_end(trigger: model.AfterEndOfWindow) -> Iterator[Parts]:
    """What fires early and late, in a few words each."""
    texts = _texts(trigger)
    for name in ("early", "late"):
        inner = getattr(trigger, name)
        if inner is not None:
            yield pieces(texts[f"brief_{name}"], {"inner": in_words(inner, "beside")})


def words_of_ways(trigger: Part) -> dict[str, Any]:
    """What the trigger's own ways to fire, and those of the triggers within it, are called on the card of a window."""
    own = _texts(trigger).get("way")
    found = {} if own is None else {trigger.type: own}
    for field in fields(trigger):
        if isinstance(inner := getattr(trigger, field.name), Part):
            found |= words_of_ways(inner)
    return found


def _texts(part: Part) -> Any:
    return section(f"{part.family}.{part.type}")


def _template(part: Part, form: str, texts: Any) -> str:
    """The form's template; the one with ``_one`` where a count of 1 reads differently."""
    text: str = texts.get(f"{form}_one", texts[form]) if getattr(part, "max", None) == 1 else texts[form]
    return text


def _values(part: Part, form: str, texts: Any) -> dict[str, str]:
    return {field.name: _value(field, getattr(part, field.name), form, texts) for field in fields(part)}


def _value(field: Any, value: Any, form: str, texts: Any) -> str:
    if isinstance(value, Part) or value is None:
        clause = texts.get(f"{form}_{field.name}")
        if clause is None:
            return "" if value is None else in_words(value, form)
        return "" if value is None else filled(clause, {"inner": in_words(value, WITHIN.get(form, form))})
    return duration(value) if field.type is Milliseconds else str(value)
