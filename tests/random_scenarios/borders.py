"""The moments at which outcomes change: ends of windows, of lateness, of gaps and bounds, and 1 ms beside them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hypothesis import strategies as st
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.scenario import model

STEP_OF_SORT = 100
"""The step (ms) for an event sort, which has no length of its own."""


def step_of(operator: model.Operator) -> int:
    """The distance (ms, at least 1) at which the operator's borders repeat; times are drawn in steps of it."""
    match operator:
        case model.Window() | model.WindowJoin() | model.SparkWindow():
            return _step_of_assigner(operator.assigner, operator)
        case model.Over(model.Frame(range=int() as span)):
            return span or STEP_OF_SORT
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


def _behind(spec: model.InputSpec) -> int:
    """How far (ms) after a window's end a record must be for its watermark to just reach that end.

    In Flink the watermark must reach end - 1: two generators subtract the bound, the others 1 ms more.
    """
    if spec.delay is not None:
        return spec.delay
    return spec.watermark.bound - (1 if spec.watermark.type in ("punctuated", "sql") else 0)


@dataclass(frozen=True)
class Borders:
    """Times (ms): the borders ``first + number * step``, and the times at one of ``shifts`` from a border."""

    first: int
    step: int
    shifts: tuple[int, ...]
    """Those at which outcomes change occur several times, so that they are drawn more often."""


def borders(operator: model.Operator, inputs: tuple[model.InputSpec, ...], start: int) -> Borders:
    """The borders around ``start`` and, beside them, the timestamps whose watermark is exactly on a border."""
    step = step_of(operator)
    assigner = getattr(operator, "assigner", None)
    first = start - start % step + getattr(assigner, "offset", 0)
    lateness = getattr(operator, "allowed_lateness", 0)
    ends = {0, getattr(assigner, "size", 0) % step} | ({lateness} if lateness < MAX else set())
    decisive = {0, *(getattr(operator, name, 0) or 0 for name in ("lower", "upper"))}
    for spec in inputs:
        decisive |= {end + _behind(spec) for end in ends}
    beside = {shift + by for shift in decisive for by in (-1, 1)}
    shifts = (*sorted(decisive), *sorted(decisive), -1, step // 2, *sorted(beside))
    return Borders(first, step, shifts)


def times(draw: st.DrawFn, around: Borders, count: int) -> Callable[[], int]:
    """A function that draws the next time within ``count`` borders: either in rough event-time order or any."""
    shifts = st.sampled_from(around.shifts)
    if draw(st.sampled_from([True, False, True])):
        ahead, back, head = st.sampled_from([0, 0, 1, 0, 2]), st.sampled_from([0, 0, 0, 1, 1, 2, 5]), 0

        def roughly() -> int:
            nonlocal head
            head = min(head + draw(ahead), count)
            return around.first + (head - draw(back)) * around.step + draw(shifts)

        return roughly
    numbers = st.integers(-2, count)
    anywhere = st.integers(around.first - 2 * around.step, around.first + count * around.step)
    on_a_border = st.builds(lambda number, shift: around.first + number * around.step + shift, numbers, shifts)
    return lambda: draw(st.one_of(on_a_border, on_a_border, anywhere))
