"""Rules with their numbers: as a predicate, ``7.999 <= 8.999``, and as fields of a sentence."""

import re
from typing import Any, Final

from simulator.timeline.explain.story import Teller
from simulator.timeline.format import duration
from simulator.trace.events import Rule
from simulator.trace.trace import Step
from simulator.values.time import wrap

DURATIONS: Final = frozenset(
    {"allowed_lateness", "bound", "idle_timeout", "interval", "timeout", "gap", "lower", "upper", "delay"}
)
"""Numbers of a rule that are lengths of time."""

COUNTS: Final = frozenset({"count", "max", "value", "threshold"})
"""A rule with one of these numbers is not about time at all; other numbers are points in time."""

NEGATED: Final = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "==": "!=", "!=": "=="}

_COMPARISON = re.compile(r" (<=|<|>=|>|==|!=) ")
_TERM = re.compile(r"([+-])?\s*(\w+)")


def predicate(rule: Rule, teller: Teller) -> str | None:
    """The rule with its numbers, each side added up; turned round where it does not hold, so that it is true.

    None where the rule is no plain comparison.
    """
    numbers: dict[str, Any] = dict(rule.numbers)
    texts, signs = _COMPARISON.split(rule.formula)[::2], _COMPARISON.findall(rule.formula)
    if not signs or " or " in rule.formula or (len(signs) > 1 and not rule.holds):
        return None
    if not rule.holds:
        signs = [NEGATED[signs[0]]]
    sides = [_side(text, numbers, teller) for text in texts]
    return " ".join([sides[0], *(f"{sign} {side}" for sign, side in zip(signs, sides[1:], strict=True))])


def _side(text: str, numbers: dict[str, Any], teller: Teller) -> str:
    """``max_timestamp + allowed_lateness`` as one number: a time, a length of time, or a count."""
    total, points_in_time = 0, 0
    for sign, name in _TERM.findall(text):
        factor = -1 if sign == "-" else 1
        total += factor * (int(name) if name.isdigit() else numbers[name])
        if not name.isdigit() and name not in DURATIONS:
            points_in_time += factor
    if not COUNTS.isdisjoint(numbers):
        return teller.value(total)
    return teller.times.exact(wrap(total)) if points_in_time else teller.times.span(total)


def rule_fields(rule: Rule, teller: Teller, step: Step) -> dict[str, Any]:
    """Each number as a sentence writes it, ``predicate``, and where the watermark ``stands``."""
    fields: dict[str, Any] = {"predicate": predicate(rule, teller), "stands": teller.stands(step.watermark)}
    counts = any(name in COUNTS for name, _ in rule.numbers)
    for name, number in rule.numbers:
        if name == "value":
            fields["new"] = teller.value(number)  # where a window fires, its result is the value
        elif counts:
            fields[name] = teller.value(number)
        elif name in DURATIONS:
            fields[name] = duration(int(number))
        else:
            fields[name] = teller.times.exact(int(number))
    return fields


def rule_name(rule: Rule) -> str:
    """Its name in the catalogue: with ``_fails`` where the condition does not hold.

    Some have a variant that reads better: timers by their clock, the interval that is the last, no bound.
    """
    name = rule.name.replace("-", "_")
    numbers = dict(rule.numbers)
    if rule.name == "timer-due":
        name = "timer_due_clock" if "clock" in numbers else name
    if rule.name == "timer-at-interval" and numbers.get("timer", 0) == numbers.get("max_timestamp"):
        name = "timer_at_window_end"
    if numbers.get("bound") == 0:
        name += "_no_bound"
    return name if rule.holds else f"{name}_fails"
