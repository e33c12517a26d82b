"""What the scenario's operator does with records, where the events do not say."""

from typing import Final

from tidemark.simulator.engine.functions import CONTENTS
from tidemark.simulator.engine.operators.group_window_functions import ACCUMULATORS
from tidemark.simulator.engine.operators.window_rank import RANKED
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.engine.values.window import Window, cleanup_time
from tidemark.simulator.scenario import model

CONTENT_STATES: Final = (CONTENTS, ACCUMULATORS, RANKED)
"""The states that hold what is in a window: of the two APIs, and of a window Top-N."""


def keeps_windows(scenario: model.Scenario) -> bool:
    """Whether state is kept by window; otherwise by key alone."""
    return isinstance(scenario.operator, model.Windowed)


def windows_end_by_watermark(scenario: model.Scenario) -> bool:
    """Whether a record can be late for a window: not where the clock ends them, and not in the global window."""
    operator = scenario.operator
    if not isinstance(operator, model.Windowed):
        return False
    return operator.time == "event" and operator.assigner.ends


def keeps_lists(scenario: model.Scenario) -> bool:
    """Whether contents are kept as a list, not as one value."""
    operator = scenario.operator
    return keeps_elements(scenario) or (isinstance(operator, model.Window) and operator.function.call == "process")


def keeps_elements(scenario: model.Scenario) -> bool:
    """Whether such a list is one of whole records, not of values."""
    operator = scenario.operator
    return isinstance(operator, model.WindowJoin | model.WindowTopN) or (
        isinstance(operator, model.Window) and operator.evictor is not None
    )


def keeps_panes(scenario: model.Scenario) -> bool:
    """Whether a window is put together from smaller panes, each accumulated once."""
    operator = scenario.operator
    if not isinstance(operator, model.Window) or operator.api not in ("sql", "tvf"):
        return False
    return operator.assigner.overlaps


def keeps_slices(scenario: model.Scenario) -> bool:
    """Whether these are slices of a window table function, which serve several windows each."""
    return keeps_panes(scenario) and getattr(scenario.operator, "api", "") == "tvf"


def has_no_trigger(operator: model.Operator) -> bool:
    """Whether windows fire at their end without a trigger that is asked: window table functions, but for sessions."""
    if isinstance(operator, model.WindowTopN):
        return True
    return isinstance(operator, model.Window) and operator.api == "tvf" and not operator.assigner.merges


def buffers_rows(operator: model.Operator) -> bool:
    """Whether rows wait in a buffer before they come into state, which shows in a session time zone alone."""
    return has_no_trigger(operator) and model.session_zone_of(operator) is not None


def restores_watermark(operator: model.Operator) -> bool:
    """Whether a checkpoint holds the watermark."""
    return model.of_table_function(operator)


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

    The table runtime sets no cleanup timer before 1970, so windows whose allowed lateness is over by then stay.
    """
    operator = scenario.operator
    assert isinstance(operator, model.Windowed)
    lateness = operator.allowed_lateness if windows_end_by_watermark(scenario) else 0
    cleanup = cleanup_time(window.max_timestamp, lateness)
    leaks = cleanup < 0 and lateness > 0 and isinstance(operator, model.Window) and operator.api == "sql"
    return None if cleanup >= MAX or leaks else cleanup
