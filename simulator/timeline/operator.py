"""What the scenario's operator does with records, where the events do not say."""

from typing import Final

from simulator.functions.base import CONTENTS
from simulator.operators.table.window_function import ACCUMULATORS
from simulator.scenario.model import Operator, Scenario, Window, WindowJoin
from simulator.values.time import MAX
from simulator.values.window import Window as WindowValue

CONTENT_STATES: Final = (CONTENTS, ACCUMULATORS)
"""The states that hold what is in a window, of the two APIs."""


def keeps_windows(scenario: Scenario) -> bool:
    """Whether state is kept by window; otherwise by key alone."""
    return isinstance(scenario.operator, Window | WindowJoin)


def windows_end_by_watermark(scenario: Scenario) -> bool:
    """Whether a record can be late for a window: not where the clock ends them, and not in the global window."""
    operator = scenario.operator
    if not isinstance(operator, Window | WindowJoin):
        return False
    return operator.time == "event" and operator.assigner.ends


def keeps_lists(scenario: Scenario) -> bool:
    """Whether contents are kept as a list, not as one value."""
    operator = scenario.operator
    return keeps_elements(scenario) or (isinstance(operator, Window) and operator.function.call == "process")


def keeps_elements(scenario: Scenario) -> bool:
    """Whether such a list is one of whole records, not of values."""
    operator = scenario.operator
    return isinstance(operator, WindowJoin) or (isinstance(operator, Window) and operator.evictor is not None)


def keeps_panes(scenario: Scenario) -> bool:
    """Whether a window is put together from smaller panes, each accumulated once."""
    operator = scenario.operator
    if not isinstance(operator, Window) or operator.api != "sql":
        return False
    return operator.assigner.overlaps


def sides_needed(operator: Operator) -> tuple[str, ...]:
    """The inputs that must have records in a window for a firing to emit a row; () if either will do, and for no join.

    A window join pairs; the ``join`` of a coGroup says which side may be missing (``CoGroupFiring``).
    """
    if not isinstance(operator, WindowJoin):
        return ()
    needed = {"inner": ("left", "right"), "left": ("left",), "right": ("right",), "full": ()}
    return needed[operator.join if operator.type == "co-group" else "inner"]


def kept_until(scenario: Scenario, window: WindowValue) -> int | None:
    """When (ms) the window is cleaned up; None for never.

    The table runtime sets no cleanup timer before 1970, so windows that are over by then stay.
    """
    operator = scenario.operator
    assert isinstance(operator, Window | WindowJoin)
    lateness = operator.allowed_lateness if windows_end_by_watermark(scenario) else 0
    cleanup = window.max_timestamp + lateness
    leaks = cleanup < 0 and isinstance(operator, Window) and operator.api == "sql"
    return None if cleanup >= MAX or leaks else cleanup
