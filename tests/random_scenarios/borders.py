"""The moments that decide something: ends of windows, of lateness, gaps and bounds, and 1 ms beside them."""

from collections.abc import Iterable

from simulator.scenario import model
from simulator.values.time import MAX

STEP_OF_SORT = 100
"""ms between the moments of an event sort, which has no length of its own."""


def step_of(operator: model.Operator) -> int:
    """The distance (ms, at least 1) at which the operator's own borders repeat: what clocks and times go by."""
    match operator:
        case model.Window() | model.WindowJoin() | model.SparkWindow():
            return _step_of_assigner(operator.assigner, operator)
        case model.IntervalJoin(lower, upper):
            return max(abs(lower), abs(upper), 2)
        case model.SparkJoin(lower, upper):
            return max(abs(lower or 0), abs(upper or 0), 5)
        case _:
            return STEP_OF_SORT


def _step_of_assigner(assigner: model.Assigner, operator: model.Operator) -> int:
    match assigner:
        case model.Tumbling(size):
            return size
        case model.Sliding(_, slide):
            return slide
        case model.Cumulative(_, step):
            return step
        case model.Session(gap):
            return gap
        case _:
            intervals = [getattr(each, "interval", 0) for each in _nested(getattr(operator, "trigger", None))]
            return max(intervals, default=0) or STEP_OF_SORT


def _nested(trigger: model.Trigger | None) -> Iterable[model.Trigger]:
    while trigger is not None:
        yield trigger
        trigger = getattr(trigger, "inner", None)


def moments(operator: model.Operator, inputs: tuple[model.InputSpec, ...], start: int, count: int) -> list[int]:
    """Times (ms, ascending) around ``count`` borders from ``start`` on, and a few before it."""
    step = step_of(operator)
    assigner = getattr(operator, "assigner", None)
    first = start - start % step + getattr(assigner, "offset", 0)
    shifts = {0, 1, -1, step // 2, *_shifts(operator, assigner)}
    for spec in inputs:
        bound = spec.watermark.bound if spec.delay is None else spec.delay
        shifts |= {bound, bound + 1, bound - 1}
    return sorted({first + number * step + shift for number in range(-2, count) for shift in shifts})


def _shifts(operator: model.Operator, assigner: model.Assigner | None) -> set[int]:
    """What lies between two moments of interest, beside the operator's step."""
    lengths = [getattr(operator, name, 0) or 0 for name in ("allowed_lateness", "lower", "upper")]
    if isinstance(assigner, model.Sliding | model.Cumulative):
        lengths.append(getattr(assigner, "size", 0))
    return {length + by for length in lengths if length < MAX for by in (-1, 0, 1)}
