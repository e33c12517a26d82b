"""Which steps matter to whom: for each step the first level of words at which an arrow key stops there.

A novice stops where something happens to a record, a watermark or a result, about three times a record; a practitioner
also at timers, state and merging; a reader of the source at every micro-step. No level loses a sentence: a step also
says what led to it since the reader's last stop, as far as that is needed (``since``).

What matters may depend on what follows within the same stream item, so this is worked out from the finished steps and
is no column of ``schema.py``, whose facts know nothing of later steps.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from tidemark.simulator.timeline.explain.narrator import LEVELS
from tidemark.simulator.timeline.schema import Level, LevelColumns, Sentence

Row = Mapping[str, Any]

NOVICE: Final = frozenset(
    (
        "added_in_pane_to_value", "added_in_slice_to_value", "added_late_in_slice_to_value", "added_to_list",
        "added_to_value", "arrived", "arrived_on", "buffered", "channel_active", "channel_idle", "checkpoint",
        "dropped", "dropped_from_window", "emitted", "evicted", "failed", "fired_early", "fired_late", "fired_on_time",
        "fired_retraction", "first_watermark", "grouped", "matched", "queued", "ranked", "restored", "sessions_merge",
        "side_output", "skipped", "slices_merged", "trigger_fire_and_purge_one_side", "trigger_fire_one_side",
        "watermark_at_end", "watermark_behind", "watermark_ignored", "watermark_moves", "watermark_restored",
        "first_row_waits", "frame_cleared", "frame_cleared_waiting", "left_alone", "left_joined", "left_row_waits",
        "left_unmatched", "row_displaced", "row_gets", "row_given", "row_ignored", "row_replaced", "row_taken_back",
        "row_waits", "version_begins", "version_ends", "buffer_flushed", "flush_waits", "row_buffered",
        "slice_stranded",
        "withdrawn", "batch_begins", "batch_begins_empty", "batch_begins_without_data", "batch_emitted", "batch_ends",
        "batch_filtered", "batch_filtered_join", "batch_kept", "batch_matched", "batch_partial", "batch_sessions",
        "batch_waits", "batch_waits_on", "batch_watermark_moves", "batch_withdrawn",
    )
)  # fmt: skip
"""What happens that a novice stops at, as ``story`` names it."""

PRACTITIONER: Final = frozenset(
    (
        "assigned", "assigned_none", "channel_advanced", "channel_ended", "cleaned", "contents_removed",
        "contents_removed_in_pane", "contents_removed_in_slice", "forgotten", "joined_in_slice_to_value",
        "flushed_in_slice_to_value",
        "joined_nothing", "joined_to_list", "joined_to_value", "probed_idle", "session_begins", "session_ends",
        "session_grows", "slices_empty", "timer_cleanup", "timer_deleted", "timer_fire", "timer_fire_cleanup",
        "timer_fired", "timer_sort", "trigger_fire", "trigger_fire_and_purge", "trigger_forgets", "trigger_purge",
        "trigger_remembers", "watermark_end", "watermark_generator", "watermark_stream", "window_late",
        "frame_moves", "frame_takes", "timer_emit", "timer_join", "versions_forgotten",
        "withdrawn_nothing", "batch_assigned", "batch_evicted", "batch_forgotten", "batch_input_watermark",
        "batch_state", "batch_watermark_stays",
    )
)  # fmt: skip
"""What a practitioner stops at too."""

ADDED: Final = frozenset(
    (
        "added_in_pane_to_value",
        "added_in_slice_to_value",
        "added_late_in_slice_to_value",
        "added_to_list",
        "added_to_value",
        "batch_partial",
        "row_buffered",
    )
)
FIRED: Final = frozenset(
    ("fired_early", "fired_late", "fired_on_time", "grouped", "matched", "ranked", "trigger_fire_one_side")
)
SENT: Final = frozenset(("watermark_generator", "watermark_stream"))
CHANNEL: Final = frozenset(("channel_advanced", "channel_ended"))
OPERATOR: Final = frozenset(("first_watermark", "watermark_moves", "watermark_at_end"))
SESSION: Final = frozenset(("session_begins", "session_grows"))
ASSIGNED: Final = frozenset(("assigned", "batch_assigned"))
OVER: Final = frozenset(("window_late", "batch_filtered"))


def levels_of(steps: Sequence[Row]) -> list[LevelColumns]:
    """The ``level`` and ``since`` of each of ``steps``, all steps of a run in order."""
    found: list[LevelColumns] = []
    for _, group in groupby(steps, key=lambda row: row["item"]):
        rows = list(group)
        stories = [str(row["story"]).partition(".")[2] for row in rows]
        levels = _levels(stories)
        found += [{"level": level, "since": [*_since(rows, stories, place)]} for place, level in enumerate(levels)]
    return found


def shown_at(level: str, columns: LevelColumns) -> bool:
    """Whether readers of ``level`` stop at a step with these ``columns``."""
    return LEVELS.index(columns["level"]) <= LEVELS.index(level)


def _levels(stories: Sequence[str]) -> list[Level]:
    """The levels of the steps of one stream item."""
    levels = [_own_level(story) for story in stories]
    for place, story in enumerate(stories):
        after = range(place + 1, len(stories))
        if story in ADDED:
            # Of a record that goes into several windows, the last one stands for all.
            following = next((stories[each] for each in after if levels[each] == "novice"), "")
            if following in ADDED:
                levels[place] = "practitioner"
        elif story in CHANNEL:
            # The operator's own watermark is the news, unless another channel holds it where it is.
            following = next((stories[each] for each in after if stories[each] in SENT | OPERATOR), "")
            if following not in OPERATOR:
                levels[place] = "novice"
        elif story == "cleaned" and not any(each in FIRED for each in stories[:place]):
            levels[place] = "novice"
    if "novice" not in levels:
        # Every stream item has a stop, such as the clock's for one that only moves the clock.
        last = [place for place, level in enumerate(levels) if level == "practitioner"] or [len(levels) - 1]
        levels[last[-1]] = "novice"
    return levels


def _own_level(story: str) -> Level:
    return "novice" if story in NOVICE else "practitioner" if story in PRACTITIONER else "source"


def _since(rows: Sequence[Row], stories: Sequence[str], place: int) -> Iterator[tuple[int, Sentence]]:
    """The sentences of earlier steps of the item that belong to the step at ``place``, in order."""
    story = stories[place]
    if story in OPERATOR or story in CHANNEL:
        sent = next((each for each in reversed(range(place)) if stories[each] in SENT), None)
        if sent is None or any(each in OPERATOR for each in stories[sent:place]):
            return
        channel = rows[sent]["fields"].get("channel") or {}
        if story in OPERATOR and any(value is not None for value in channel.values()):
            yield rows[sent]["step"], "story"
        if rows[sent]["reason"]:
            yield rows[sent]["step"], "reason"
    elif story in ADDED:
        for each in range(place):
            if stories[each] in OVER:
                yield rows[each]["step"], "story"
            if stories[each] in SESSION:
                yield rows[each]["step"], "story"
            if stories[each] in ASSIGNED:
                if len(rows[each]["fields"].get("windows", ())) > 1:
                    yield rows[each]["step"], "story"
                if rows[each]["reason"]:
                    yield rows[each]["step"], "reason"
