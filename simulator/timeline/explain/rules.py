"""Rules with their numbers: as a predicate, ``7.999 <= 8.999``, and as fields of a sentence."""

import re
from typing import Any, Final

from simulator.timeline.explain.story import Teller
from simulator.trace.events import Rule
from simulator.trace.trace import Step
from simulator.values.time import wrap

DURATIONS: Final = frozenset({"allowed_lateness", "bound", "idle_timeout", "interval", "timeout", "gap"})
"""Numbers of a rule that are lengths of time."""

COUNTS: Final = frozenset({"count", "max", "delta", "threshold", "value", "last_value"})
"""Numbers of a rule that are no times at all; all others are points in time."""

NEGATED: Final = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "==": "!=", "!=": "=="}

_COMPARISON = re.compile(r"(.+?) (<=|<|>=|>|==|!=) (.+)")
_TERM = re.compile(r"([+-])?\s*(\w+)")


def predicate(rule: Rule, teller: Teller) -> str:
    """The rule with its numbers, each side added up; turned round where it does not hold, so that it is true."""
    found = _COMPARISON.fullmatch(rule.formula)
    if found is None:
        return rule.formula
    left, comparison, right = found.groups()
    numbers = dict(rule.numbers)
    sign = comparison if rule.holds else NEGATED[comparison]
    return f"{_side(left, numbers, teller)} {sign} {_side(right, numbers, teller)}"


def _side(text: str, numbers: dict[str, int], teller: Teller) -> str:
    """``max_timestamp + allowed_lateness`` as one number: a time, a length of time, or a count."""
    total, points_in_time, counted = 0, 0, False
    for sign, name in _TERM.findall(text):
        factor = -1 if sign == "-" else 1
        total += factor * (int(name) if name.isdigit() else numbers[name])
        counted = counted or name in COUNTS
        if not name.isdigit() and name not in DURATIONS:
            points_in_time += factor
    if counted:
        return teller.value(total)
    if isinstance(total, int):
        total = wrap(total)
    return teller.times.exact(total) if points_in_time else teller.times.span(total)


def rule_fields(rule: Rule, teller: Teller, step: Step) -> dict[str, Any]:
    """Each number as a sentence writes it, ``predicate``, and where the watermark ``stands``."""
    fields: dict[str, Any] = {"predicate": predicate(rule, teller), "stands": teller.stands(step.watermark)}
    for name, number in rule.numbers:
        if name in COUNTS:
            fields[name] = teller.value(number)
        elif name in DURATIONS:
            fields[name] = teller.times.duration(number)
        else:
            fields[name] = teller.times.exact(number)
    return fields


def rule_name(rule: Rule) -> str:
    """Its name in the catalogue: with ``_fails`` where the condition does not hold.

    Some rules have a variant that reads better: timers by their clock, generators with and without a bound.
    """
    name = rule.name.replace("-", "_")
    numbers = dict(rule.numbers)
    if rule.name == "timer-due":
        name = "timer_due_clock" if "clock" in numbers else name
    if numbers.get("bound") == 0:
        name += "_no_bound"
    return name if rule.holds else f"{name}_fails"
