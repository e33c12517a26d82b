"""What a cure does to the records: rules, each a condition that a job can ask of one record, and what becomes of it.

A job has no number of a record, so no rule asks for it. ``applied`` evaluates the rules over columns; ``cures`` writes
them as code for Flink and Spark, in the same order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from tidemark.spark_bridge.profile.findings.records import Longs, Mask, Records

Range = tuple[int | None, int | None]
"""From the first number on, and below the second one (ms); None: no limit on that side."""

EVER: Final[Range] = (None, None)


@dataclass(frozen=True)
class Rule:
    """What becomes of the records that fulfil all of its conditions.

    ``column``: ``channel`` or ``key``, whose value is one of ``names``; "" asks for neither. ``at``: the arrival.
    ``ts``: the timestamp, as the rules before leave it, in any of these ranges; none asks nothing. ``off``: the
    timestamp minus the arrival. Then the timestamp is divided by ten to the ``power``, or becomes ``by`` ms less, or
    is the arrival (``arrives``), or the record is left out (``drops``).
    """

    column: str = ""
    names: tuple[Any, ...] = ()
    at: Range = EVER
    ts: tuple[Range, ...] = ()
    off: Range = EVER
    power: int = 0
    by: int = 0
    arrives: bool = False
    drops: bool = False

    def called(self, names: Mapping[Any, Any] | Sequence[Any]) -> "Rule":
        """The same with other names for its channels or keys."""
        return replace(self, names=tuple(names[each] for each in self.names))

    @property
    def is_everywhere(self) -> bool:
        """Whether it is about every record."""
        return not self.column and not self.ts and (self.at, self.off) == (EVER, EVER)

    def of(self, records: Records) -> Mask:
        """Which of ``records`` it is about."""
        found = np.ones(len(records), np.bool_)
        if self.column:
            values = getattr(records, self.column)
            names = np.array(self.names, np.int64)
            found &= np.isin(values, names) if len(names) > 1 else values == names[0]
        if self.at != EVER:
            assert records.at is not None
            found &= _within(records.at, self.at)
        if self.off != EVER:
            assert records.at is not None
            found &= _within(records.ts - records.at, self.off)
        if self.ts:
            found &= np.logical_or.reduce([_within(records.ts, each) for each in self.ts])
        return found

    def changed(self, records: Records, which: Mask) -> Longs:
        """The timestamps of ``records`` with those of ``which`` as it makes them."""
        if self.drops:
            return records.ts
        ts = records.ts
        if self.arrives:
            assert records.at is not None
            ts = records.at
        return np.where(which, scaled(ts, self.power) - self.by, records.ts)


def _within(values: Longs, limits: Range) -> Mask:
    low, high = limits
    found = np.ones(len(values), np.bool_)
    if low is not None:
        found &= values >= low
    if high is not None:
        found &= values < high
    return found


def applied(rules: Sequence[Rule], records: Records, left: Mask | None = None) -> tuple[Records, Mask, Mask]:
    """``records`` as ``rules`` leave them, which of them were changed, and which are dropped.

    ``left``: the rules are about these alone; about all if it is None.
    """
    ts, changed, dropped = records.ts, np.zeros(len(records), np.bool_), np.zeros(len(records), np.bool_)
    for rule in rules:
        which = rule.of(records) & ~dropped
        if left is not None:
            which &= left
        if rule.drops:
            dropped |= which
        else:
            records = replace(records, ts=rule.changed(records, which))
    changed = (records.ts != ts) & ~dropped
    return records, changed, dropped


def put_right(rules: Sequence[Rule], records: Records, left: Mask, taken: Mask) -> tuple[Records, Mask]:
    """``records`` after a cause, and which of those that are ``left`` are judged further.

    Of the cause's own, the ``taken``, only those that the rules put right are.
    """
    if not rules:
        return records, left & ~taken
    records, changed, dropped = applied(rules, records, left)
    return records, left & ~dropped & (changed | ~taken)


def scaled(timestamps: Longs, power: int) -> Longs:
    """``timestamps`` that are ``10 ** power`` times too large, put right; what is finer than a ms is cut off."""
    if not power:
        return timestamps
    found: Longs = timestamps // 10**power if power > 0 else timestamps * 10**-power
    return found
