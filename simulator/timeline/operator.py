"""What the scenario's operator does with records, where the events do not say."""

from typing import Final

from simulator.functions.base import CONTENTS
from simulator.operators.table.window_function import ACCUMULATORS
from simulator.scenario import model
from simulator.values.time import MAX
from simulator.values.window import Window, cleanup_time

CONTENT_STATES: Final = (CONTENTS, ACCUMULATORS)
"""The states that hold what is in a window, of the two APIs."""


def keeps_windows(scenario: model.Scenario) -> bool:
    """Whether state is kept by window; otherwise by key alone."""
    return isinstance(scenario.operator, model.Window | model.WindowJoin)


def windows_end_by_watermark(scenario: model.Scenario) -> bool:
    """Whether a record can be late for a window: not where the clock ends them, and not in the global window."""
    operator = scenario.operator
    if not isinstance(operator, model.Window | model.WindowJoin):
        return False
    return operator.time == "event" and operator.assigner.ends


def keeps_lists(scenario: model.Scenario) -> bool:
    """Whether contents are kept as a list, not as one value."""
    operator = scenario.operator
    return keeps_elements(scenario) or (isinstance(operator, model.Window) and operator.function.call == "process")


def keeps_elements(scenario: model.Scenario) -> bool:
    """Whether such a list is one of whole records, not of values."""
    operator = scenario.operator
    return isinstance(operator, model.WindowJoin) or (
        isinstance(operator, model.Window) and operator.evictor is not None
    )


def keeps_panes(scenario: model.Scenario) -> bool:
    """Whether a window is put together from smaller panes, each accumulated once."""
    operator = scenario.operator
    if not isinstance(operator, model.Window) or operator.api != "sql":
        return False
    return operator.assigner.overlaps


def sides_needed(operator: model.Operator) -> tuple[str, ...]:
    """The inputs that must have records in a window for a firing to emit a row; () if either will do, and for no join.

    A window join pairs; the ``join`` of a coGroup says which side may be missing (``CoGroupFiring``).
    """
    if not isinstance(operator, model.WindowJoin):
        return ()
    needed = {"inner": ("left", "right"), "left": ("left",), "right": ("right",), "full": ()}
    return needed[operator.join if operator.type == "co-group" else "inner"]


def kept_until(scenario: model.Scenario, window: Window) -> int | None:
    """When (ms) the window is cleaned up; None for never.

    The table runtime sets no cleanup timer before 1970, so windows that are over by then stay.
    """
    operator = scenario.operator
    assert isinstance(operator, model.Window | model.WindowJoin)
    lateness = operator.allowed_lateness if windows_end_by_watermark(scenario) else 0
    cleanup = cleanup_time(window.max_timestamp, lateness)
    leaks = cleanup < 0 and isinstance(operator, model.Window) and operator.api == "sql"
    return None if cleanup >= MAX or leaks else cleanup
