"""The configuration of a scenario as one sentence; its values are marked to stand out."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

from tidemark.simulator.engine.values.part import Part
from tidemark.simulator.engine.values.time import Milliseconds
from tidemark.simulator.engine.values.versions import NEWEST
from tidemark.simulator.scenario import model
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import filled, pieces, section, words

# A part of a scenario in words: the one place that puts triggers, assigners, evictors and generators into text.
#
# The words of a part stand in the catalogue under its family and its ``type``, once for each form that is needed:
# ``brief`` (in a few words), ``sentence``, ``why`` (on the card of a window) and ``beside`` (how often, before or
# after the end of the window). The fields of a part fill the ``{names}`` of its template: a field of
# ``Milliseconds`` as a length of time, a part within a part in words of its own. So a new part needs words and no
# code.

Parts = list[tuple[str, bool]]
"""Pieces of text; True for a value, which is to stand out."""

WITHIN: Final = {"brief": "beside", "sentence": "beside"}
"""The form of what fires before or after the end, within another form; the others keep theirs."""


def in_words(part: Part, form: str) -> str:
    """The part as text. Raises ``KeyError`` if the catalogue has no such form of it."""
    texts = _texts(part)
    return filled(_template_of(part, form, texts), _values(part, form, texts))


def in_pieces(part: Part, form: str) -> Parts:
    """The same with its values marked."""
    texts = _texts(part)
    values = _values(part, form, texts)
    inner = getattr(part, "inner", None)
    if inner is None:
        return pieces(_template_of(part, form, texts), values)
    # The words of the inner part have marks of their own.
    before, _, after = _template_of(part, form, texts).partition("{inner}")
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


def _template_of(part: Part, form: str, texts: Any) -> str:
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


def sentence(scenario: model.Scenario) -> Parts:
    """``Sum per key in **tumbling 5 s** windows; the watermark waits **2 s** (bound), …``"""
    (parts, _), *others = _clauses(scenario)
    for number, (clause, _) in enumerate(others):
        parts = [*parts, (words("app.comma" if number else "app.semicolon"), False), *clause]
    return parts


def clauses(scenario: model.Scenario) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The clauses of the sentence, each as text with the names of what it is about (``ui/payload/contents.py``)."""
    return (("".join(text for text, _ in parts), named) for parts, named in _clauses(scenario))


def _clauses(scenario: model.Scenario) -> list[tuple[Parts, tuple[str, ...]]]:
    operator = scenario.operator
    found: list[tuple[Parts, tuple[str, ...]]] = [
        (pieces(_template(operator), _operator_values(operator)), ("key", "window", "aggregate")),
        (_process(operator), ("aggregate",)),
        (_ttl(operator), ()),
        *((clause, ("filter",)) for clause in _filters(scenario)),
        (_zone(operator), ()),
        (_watermark(scenario), ("watermark",)),
        (_lateness(operator), ("lateness",)),
        (_trigger(operator), ("trigger",)),
        (_evictor(operator), ("evictor",)),
        (_mode(operator), ()),
        (_version(scenario), ()),
    ]
    return [clause for clause in found if clause[0]]


def _ttl(operator: model.Operator) -> Parts:
    ttl = operator.state_ttl
    return [] if ttl is None else pieces(words("player.sentence.state_ttl"), {"state_ttl": duration(ttl)})


def _process(operator: model.Operator) -> Parts:
    function = operator.function
    if function is None or not function.sees_window:
        return []
    counts = "_counts" if function.firings else ""
    return pieces(words(f"player.sentence.process{counts}"), {})


def _filters(scenario: model.Scenario) -> Iterator[Parts]:
    """What each input that filters lets through; of two inputs with its name."""
    for each in scenario.inputs:
        if each.where is not None:
            name = words("player.sentence.filter_of", input=each.name) if len(scenario.inputs) > 1 else ""
            yield [(name, False), *pieces(words("player.sentence.filter"), {"where": each.where})]


def _zone(operator: model.Operator) -> Parts:
    zone = operator.session_zone
    return [] if zone is None else pieces(words("player.sentence.in_zone"), {"zone": zone})


def _template(operator: model.Operator) -> str:
    both = words("player.sentence.included.both") if operator.open_bounds == (False, False) else ""
    return words(f"player.sentence.{operator.said}") + both


def _operator_values(operator: model.Operator) -> dict[str, str]:
    values = setting_values(operator)
    if operator.assigner is not None:
        values["assigner"] = _assigner(operator.assigner)
    if operator.written_bounds is not None and operator.open_bounds is not None:
        values["lower"], values["upper"] = _bounds(operator.written_bounds, operator.open_bounds, operator.one_side)
    return values


def setting_values(operator: model.Operator) -> dict[str, str]:
    """The operator's own settings as text."""
    return {each.name: _text(each) for each in operator.settings}


def _text(setting: model.Setting) -> str:
    if setting.name == "compute" and setting.kind == "choice":
        return words(f"player.sentence.compute.{setting.value}")
    return duration(int(setting.value)) if setting.kind == "span" else str(setting.value)


def _bounds(bounds: tuple[int, int], are_open: tuple[bool, bool], one_side: int) -> tuple[str, str]:
    """``2 s before`` and ``less than 1 s after``; without the side where both have the same, which is said once."""
    texts = []
    for bound, is_lower, exclusive in zip(bounds, (True, False), are_open, strict=True):
        after = one_side == 1 or (one_side == 0 and bound >= 0)
        text = duration(abs(bound))
        if exclusive:
            # An exclusive bound is nearer to the record, or further from it.
            nearer = is_lower != after
            text = words(f"player.sentence.included.{'less' if nearer else 'more'}", span=text)
        texts.append(text if one_side else words(f"player.sentence.{'after' if after else 'before'}", span=text))
    return texts[0], texts[1]


def _assigner(assigner: model.Assigner) -> str:
    text = in_words(assigner, "sentence")
    offset = getattr(assigner, "offset", 0)
    return words("player.sentence.offset", assigner=text, offset=duration(offset)) if offset else text


def _watermark(scenario: model.Scenario) -> Parts:
    """How the watermark is generated; with several inputs, each that differs from the first is named."""
    specs = {each.name: each.watermark for each in scenario.inputs}
    if scenario.engine == "spark":
        delays = [each.delay for each in scenario.inputs if each.delay is not None]
        return pieces(words("player.sentence.watermark.delay"), {"bound": duration(delays[0])}) if delays else []
    if scenario.operator.time == "processing":
        return pieces(words("player.sentence.watermark.processing"), {})
    parts: Parts = []
    for name, spec in specs.items():
        clause = in_pieces(spec, "sentence")
        if spec.emit != model.EACH_RECORD:
            clause += pieces(words("player.sentence.watermark.emit"), {"emit": duration(spec.emit)})
        if spec.idle_timeout:
            clause += pieces(words("player.sentence.watermark.idle"), {"idle": duration(spec.idle_timeout)})
        if isinstance(spec, model.SqlWatermark) and spec.when:
            clause += pieces(words("player.sentence.watermark.when"), {"when": spec.when})
        if len(set(specs.values())) == 1:
            return clause
        parts += [(words("app.comma") if parts else "", False), (f"{name}: ", False), *clause]
    return parts


def _lateness(operator: model.Operator) -> Parts:
    if not operator.windows_end_by_watermark:
        return []
    lateness, side = operator.allowed_lateness, operator.late_output == "side"
    if operator.is_table_function:
        # Nothing is late before the last window that a slice serves is over.
        return pieces(words(f"player.sentence.{'late_in_slices' if operator.keeps_slices else 'late_dropped'}"), {})
    if not lateness:
        return pieces(words(f"player.sentence.{'late_side' if side else 'late_dropped'}"), {})
    parts = pieces(words("player.sentence.lateness"), {"lateness": duration(lateness)})
    return parts + (pieces(words("player.sentence.side"), {}) if side else [])


def _evictor(operator: model.Operator) -> Parts:
    evictor = operator.evictor
    if evictor is None:
        return []
    return in_pieces(evictor, f"sentence_{'after' if evictor.after else 'before'}")


def _mode(operator: model.Operator) -> Parts:
    """Spark's output mode, and in a join with two watermarks the policy."""
    mode = operator.output_mode or operator.watermark_policy
    return [] if mode is None else pieces(words(f"player.sentence.mode.{mode}"), {"mode": mode})


def _version(scenario: model.Scenario) -> Parts:
    """Whose rules apply, if not those of the newest version."""
    version = scenario.flink
    return [] if version == NEWEST else pieces(words("player.sentence.version"), {"version": version})


def _trigger(operator: model.Operator) -> Parts:
    trigger = operator.trigger
    if trigger is None:
        return []
    name = "trigger_at" if isinstance(trigger, model.AfterEndOfWindow) else "trigger"
    return pieces(words(f"player.sentence.{name}"), {"trigger": in_words(trigger, "sentence")})
