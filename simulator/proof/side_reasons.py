"""Why a result of Flink differs from that of Spark: derived from what happened to the records, never guessed.

A code is a name in ``side_by_side.reasons``. Several may hold at once; the most specific one comes first.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from tidemark.simulator.proof.sides import ONLY_FLINK, ONLY_SPARK, OTHER_MOMENT, Given, Reason, Row, Sides, Window
from tidemark.simulator.values.key import Key, key_of
from tidemark.simulator.values.time import MAX

CODES: Final = (
    "taken_in_batch", "before_epoch", "allowed_lateness", "late_in_spark", "sessions_merge_otherwise", "buffer_cleaned",
    "end_of_input", "watermark_not_reached", "flink_watermark_behind", "fired_again", "next_batch", "end_of_batch",
    "one_millisecond", "when_batch_ends", "session_zone", "arithmetic",
)  # fmt: skip


def reasons_of(
    verdict: str, row: Row, flink: Sequence[Given], spark: Sequence[Given], sides: Sides
) -> tuple[Reason, ...]:
    """The reasons for ``verdict`` (any but ``same``) about the result of ``row``; at least one."""
    joins = row["row"] == "joined"
    if (
        verdict in (ONLY_FLINK, ONLY_SPARK)
        and sides.zoned
        and not sides.merges
        and (row["start"], row["end"]) not in sides.common_windows
    ):
        return (Reason("session_zone"),)
    found = list(_of_late_records(row, flink, sides))
    if verdict == ONLY_FLINK:
        found += _without_spark(row, flink, sides) if not found else ()
    elif verdict == ONLY_SPARK:
        found += _without_flink(row, joins=joins, sides=sides) if not found else ()
    elif verdict == OTHER_MOMENT:
        found = list(_of_moments(row, flink, spark, sides, joins=joins))
    if not found:
        # The only causes left: rows that Flink lost in its buffer, or the same records, added up in another order.
        found.append(
            Reason("session_zone" if sides.zoned else "sessions_merge_otherwise" if sides.merges else "arithmetic")
        )
    return tuple(found)


# --- records that one side did not take ----------------------------------------------------------------------------


def _of_late_records(row: Row, flink: Sequence[Given], sides: Sides) -> Iterator[Reason]:
    skipped, filtered = _late_for(row, sides)
    if taken := sorted(skipped - filtered):
        numbers = {"batch": sides.batch_of[taken[0]], "late_watermark": _batch_of(taken[0], sides).late_watermark}
        yield Reason("taken_in_batch", tuple(taken), numbers)
    by_code: dict[str, list[int]] = {}
    again = {given.item for given in flink if given.timing == "late"}
    for item in sorted(filtered - skipped):
        by_code.setdefault(_why_filtered(item, again, sides), []).append(item)
    for code, late in by_code.items():
        numbers = {"late_watermark": _batch_of(late[0], sides).late_watermark}
        yield Reason(code, tuple(late), numbers | ({} if row.get("end") is None else {"end": row["end"]}))


def _why_filtered(item: int, again: set[int], sides: Sides) -> str:
    if _batch_of(item, sides).late_watermark == 0:
        return "before_epoch"
    if item in again or "allowed_lateness" in sides.lost:
        return "allowed_lateness"
    return "sessions_merge_otherwise" if sides.merges else "late_in_spark"


def _late_for(row: Row, sides: Sides) -> tuple[set[int], set[int]]:
    """The items that Flink, and those that Spark, did not take for the result of ``row``."""
    key = key_of(row["key"])
    if row["row"] == "joined":
        of_pair = {
            item
            for item, record in sides.records.items()
            for side in ("left", "right")
            if (record.input, key_of(record.key), record.ts) == (side, key, row[side]["ts"])
            and repr(record.value) == repr(row[side]["value"])
        }
        late = (set(side.get((key, None), ())) & of_pair for side in (sides.skipped, sides.filtered))
        return next(late), next(late)
    window = (row["start"], row["end"])
    if not sides.merges:
        return set(sides.skipped.get((key, window), ())), set(sides.filtered.get((key, window), ()))
    # A session has different bounds with and without a record: whatever lies in it or touches it is involved.
    return _touching(sides.skipped, key, window, sides), _touching(sides.filtered, key, window, sides)


def _touching(late: Any, key: Key, window: Window, sides: Sides) -> set[int]:
    found: set[int] = set()
    for (other, span), late_items in late.items():
        if other != key:
            continue
        if span is not None:
            found.update(late_items if span[0] <= window[1] and window[0] <= span[1] else ())
        else:
            found.update(item for item in late_items if window[0] <= (sides.records[item].ts or 0) <= window[1])
    return found


# --- results that one side did not emit ----------------------------------------------------------------------------


def _without_spark(row: Row, flink: Sequence[Given], sides: Sides) -> Iterator[Reason]:
    last = sides.batches[-1].watermark if sides.batches else 0
    if row["row"] == "joined":
        yield Reason("late_in_spark", (), {"watermark": last})
    elif flink[0].watermark == MAX:
        yield Reason("end_of_input", (), {"end": row["end"], "watermark": last})
    elif last < row["end"]:
        yield Reason("watermark_not_reached", (), {"end": row["end"], "watermark": last})
    elif sides.merges:
        yield Reason("sessions_merge_otherwise")


def _without_flink(row: Row, *, joins: bool, sides: Sides) -> Iterator[Reason]:
    if joins:
        yield Reason("buffer_cleaned")
        return
    reached = sides.flink_watermarks[-1][1] if sides.flink_watermarks else None
    if reached is None or reached < row["end"] - 1:
        numbers = {"end": row["end"]} | ({} if reached is None else {"watermark": reached})
        yield Reason("flink_watermark_behind", (), numbers)
    elif sides.merges:
        yield Reason("sessions_merge_otherwise")


# --- results at another moment -------------------------------------------------------------------------------------


def _of_moments(
    row: Row, flink: Sequence[Given], spark: Sequence[Given], sides: Sides, *, joins: bool
) -> Iterator[Reason]:
    first, given = flink[0], spark[0]
    assert given.batch is not None
    if again := tuple(each.item for each in flink[1:]):
        yield Reason("fired_again", again)
    if first.item == given.item:
        return
    if joins:
        yield Reason("end_of_batch", (first.item,), {"batch": given.batch, "item": given.item})
        return
    numbers = {"end": row["end"], "batch": given.batch, "watermark": given.watermark or 0, "item": given.item}
    batch = sides.batch_of.get(first.item, len(sides.batches))
    if first.watermark != MAX and batch >= given.batch and first.item < given.item:
        yield Reason("when_batch_ends", (first.item,), numbers)
    elif first.watermark == MAX or batch >= given.batch:
        yield Reason("flink_watermark_behind", (first.item,), numbers)
    elif first.watermark == row["end"] - 1 and "one_millisecond" in sides.lost and batch + 1 < given.batch:
        yield Reason("one_millisecond", (first.item,), numbers)
    else:
        # The watermark made by the records of a batch holds from the next batch on.
        yield Reason("next_batch", (first.item,), numbers | {"batch_of_record": batch})


def _batch_of(item: int, sides: Sides) -> Any:
    return sides.batches[sides.batch_of[item]]
