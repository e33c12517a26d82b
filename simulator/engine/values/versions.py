"""The versions of Flink whose rules the engine knows, and the rules in which they differ.

A version stands for its last release: 1.18 is 1.18.1. A rule is a question that one part of the engine asks. The answer
is yes in the newest version and in all since the one in which Flink changed; before, the part does what Flink did then.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.values.time import WindowStart, window_start, window_start_before_1_14

VERSIONS: Final = ("1.13", "1.14", "1.15", "1.16", "1.17", "1.18", "1.19", "1.20", "2.0", "2.1", "2.2", "2.3")
"""From the oldest to the newest."""

NEWEST: Final = VERSIONS[-1]
"""The version of a scenario that names none."""

LATE_OUTPUT_OF_JOIN_SINCE: Final = "1.17"
"""The first version in which an interval join has a side output for late records (FLINK-24907)."""

SESSION_FUNCTION_SINCE: Final = "1.19"
"""The first version in which sessions are a window table function."""


class Change(NamedTuple):
    """Where a rule is from: the ``ticket`` in Flink's tracker, and the first version with it."""

    ticket: str
    since: str


def _changed(ticket: str, since: str) -> Any:
    return field(default=True, metadata={"change": Change(ticket, since)})


@dataclass(frozen=True, slots=True)
class FlinkRules:
    """The answers of one version.

    - ``windows_hold_negative_timestamps``: a window holds the timestamps that fall into it. Before, one below the
      offset by more than the size fell into the window behind it.
    - ``idleness_ignores_record_times``: a source of Flink SQL does not look at its clock for a record. Before, it was
      idle when the last one was longer ago than its timeout.
    - ``past_timers_fire_at_once``: a processing-time timer for a time that is over. Before, it fired a millisecond
      later.
    - ``idle_inputs_are_left_out``: an operator that combines the watermarks of its inputs. Before, it knew no status,
      and an idle input held it back for ever.
    - ``table_functions_restore_watermark``: the watermark of a window table function is in a checkpoint. Before, a
      restore began without one, and took rows whose windows were over.
    - ``idleness_counts_records``: a source of Flink SQL is idle when no record came for its timeout. Before, the
      timeout ran from the last time at which it turned active, however many records came.
    - ``table_functions_by_clock_ignore_watermarks``: processing-time windows of a window table function. Before, a
      watermark ahead of the clock made rows late, and kept others in the buffer.
    - ``continuous_trigger_ends_with_window``: by the clock, the continuous trigger sets no timer at the window's last
      instant. Before, it set the one again that had just fired, for ever.
    - ``restored_timers_have_watermark``: the timers of a restored window table function begin at the watermark of the
      checkpoint. Before, they began without one, and a row that a later window needs fired windows that were over.
    - ``first_row_waits_for_watermark``: a deduplication that keeps the first row is append-only. Before, it emitted at
      once, and took the row back for an earlier one.
    - ``unbounded_frames_emit_before_1970``: an OVER aggregation from the first row on emits a row when the watermark
      reaches it. Before, it emitted no row until the watermark reached 0.
    - ``all_idle_inputs_send_maximum``: the watermark of an operator all of whose inputs are idle. Before, it stayed.
    - ``flushes_lie_on_offset_grid``: the buffer of a window table function with an offset. Before, the flush was on
      the grid without the offset, and windows that ended between two points of it lost rows.
    """

    windows_hold_negative_timestamps: bool = _changed("FLINK-26334", "1.14")
    idleness_ignores_record_times: bool = _changed("FLINK-22881", "1.14")
    past_timers_fire_at_once: bool = _changed("FLINK-23208", "1.14")
    idle_inputs_are_left_out: bool = _changed("FLINK-18934", "1.14")
    table_functions_restore_watermark: bool = _changed("FLINK-24501", "1.15")
    idleness_counts_records: bool = _changed("FLINK-34252", "1.19")
    table_functions_by_clock_ignore_watermarks: bool = _changed("FLINK-35885", "1.19")
    continuous_trigger_ends_with_window: bool = _changed("FLINK-35069", "1.20")
    restored_timers_have_watermark: bool = _changed("FLINK-36663", "2.0")
    first_row_waits_for_watermark: bool = _changed("FLINK-37005", "2.1")
    unbounded_frames_emit_before_1970: bool = _changed("FLINK-37213", "2.1")
    all_idle_inputs_send_maximum: bool = _changed("FLINK-38454", "2.2")
    flushes_lie_on_offset_grid: bool = _changed("FLINK-36664", "2.3")

    @property
    def window_start(self) -> WindowStart:
        """Finds the start of a window or slice."""
        return window_start if self.windows_hold_negative_timestamps else window_start_before_1_14

    @property
    def functions_keep_watermark(self) -> bool:
        """Whether the watermark of a window table function is in a checkpoint."""
        return self.table_functions_restore_watermark

    @property
    def timers_lag(self) -> bool:
        """Whether the timers of a restored window table function do not have the watermark that the function has."""
        return self.functions_keep_watermark and not self.restored_timers_have_watermark

    @property
    def functions_fire_after_restore(self) -> bool:
        """Whether windows of a window table function that were over can fire again after a restore."""
        return self.timers_lag or not self.functions_keep_watermark

    def follows_watermarks(self, *, by_clock: bool) -> bool:
        """Whether watermarks move a window table function."""
        return not by_clock or not self.table_functions_by_clock_ignore_watermarks

    def flush_offset(self, offset: int) -> int:
        """The offset (ms) of the grid on which the buffer of a window table function with ``offset`` is emptied."""
        return offset if self.flushes_lie_on_offset_grid else 0

    def buffers_show(self, *, by_clock: bool, offset: int) -> bool:
        """Whether rows show, in UTC, that a window table function buffers records."""
        if by_clock and self.follows_watermarks(by_clock=True):
            return True
        return self.flush_offset(offset) != offset or (self.timers_lag and not by_clock)

    def of_run(self, *, restores: bool) -> "FlinkRules":
        """The rules that bear on a run: without ``restores`` timers have the watermark."""
        return self if restores else replace(self, restored_timers_have_watermark=True)


CHANGES: Final[dict[str, Change]] = {each.name: each.metadata["change"] for each in fields(FlinkRules)}
"""The rules by name, each with where it is from."""

NEWEST_RULES: Final = FlinkRules()


def is_before(version: str, since: str) -> bool:
    """Whether ``version`` is older than ``since``. Raises ``ValueError`` for an unknown one."""
    return VERSIONS.index(version) < VERSIONS.index(since)


def rules_of(version: str) -> FlinkRules:
    """The rules of ``version``. Raises ``ValueError`` for an unknown one."""
    return FlinkRules(**{name: not is_before(version, change.since) for name, change in CHANGES.items()})
