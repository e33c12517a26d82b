"""Rules as sentences name them, and their comparison with its numbers: ``7999 <= 8999``, two times."""

from typing import Any, Final

from tidemark.simulator.engine.trace.event import COMPARISONS, Sign, Term
from tidemark.simulator.engine.trace.events import Rule
from tidemark.simulator.engine.values.time import wrap
from tidemark.simulator.timeline.explain.fields import COUNTS, DURATIONS, Kind
from tidemark.simulator.timeline.explain.story import Raw

NEGATED: Final[dict[Sign, Sign]] = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "==": "!=", "!=": "=="}


def predicate(rule: Rule) -> Raw | None:
    """{kind, sides, signs}: the rule with each side added up, turned round where it does not hold, so that it is true.

    The sides are times or lengths of time (ms) or counts, as ``kind`` says; between two of them stands a sign. None
    where the rule is no plain comparison.
    """
    comparison = COMPARISONS.get(rule.formula)
    if comparison is None or (len(comparison.signs) > 1 and not rule.holds):
        return None
    signs = comparison.signs if rule.holds else [NEGATED[sign] for sign in comparison.signs]
    numbers: dict[str, Any] = dict(rule.numbers)
    sides = [_side(side, numbers) for side in comparison.sides]
    return {"kind": sides[0][0], "sides": [total for _, total in sides], "signs": list(signs)}


def _side(terms: tuple[Term, ...], numbers: dict[str, Any]) -> tuple[Kind, Any]:
    """``max_timestamp + allowed_lateness`` as one number: a time, a length of time, or a count."""
    total, points_in_time = 0, 0
    for of, factor in terms:
        total += factor * (numbers[of] if isinstance(of, str) else of)
        if isinstance(of, str) and of not in DURATIONS:
            points_in_time += factor
    if not numbers.keys().isdisjoint(COUNTS):
        return "value", total
    return ("exact", wrap(total)) if points_in_time else ("span", total)


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
