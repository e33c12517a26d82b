"""What a cure does to the records: rules, each a condition that a job can ask of one record, and what becomes of it.

A job has no number of a record, so no rule asks for it. ``applied`` evaluates the rules over columns; ``cures`` writes
them as code for Flink and Spark, in the same order.

What a finding is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import numpy as np
from tidemark.simulator.words import words
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


CODES: Final = (
    "no-timestamps",
    "wrong-unit",
    "zone-offset",
    "future-timestamps",
    "empty-channel",
    "idle-channel",
    "skewed-source",
    "replay",
    "backfill",
    "duplicates",
    "bound-too-small",
)
"""What can be found; of two findings that concern as many records, the one that comes first here goes first."""


@dataclass(frozen=True)
class Where:
    """Which records a finding is about; None where it is no matter of that.

    ``channel`` and ``key`` are numbers of a column until the stream's own names are put in; ``more`` are further ones
    of the same column, if one cause is at work in several. ``at``: the arrival, or without arrivals the timestamp, of
    the first record, in ms. ``first`` and ``last``: their numbers in the stream.
    """

    channel: Any = None
    key: Any = None
    at: int | None = None
    first: int | None = None
    last: int | None = None
    more: tuple[Any, ...] = ()

    @property
    def column(self) -> str | None:
        """The column whose values ``more`` has: ``channel`` or ``key``; None where neither is known."""
        return "channel" if self.channel is not None else None if self.key is None else "key"

    @property
    def names(self) -> tuple[Any, ...]:
        """All channels, or all keys."""
        return () if self.column is None else (getattr(self, self.column), *self.more)

    @property
    def keys(self) -> tuple[Any, ...]:
        """All keys."""
        return () if self.key is None else (self.key, *(() if self.column == "channel" else self.more))

    def called(self, names: Sequence[Any]) -> "Where":
        """The same channels or keys by other names; the first of ``names`` stands for all of them."""
        return self if self.column is None else replace(self, **{self.column: names[0]}, more=tuple(names[1:]))

    def as_json(self) -> dict[str, Any]:
        """The members that are known, as the JSON of a profile has them; ``channels`` or ``keys`` names several."""
        named = {"channel": self.channel, "key": self.key}
        named |= {f"{self.column}s": list(self.names)} if self.more else {}
        named |= {"at": self.at, "from": self.first, "to": self.last}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True)
class Cause:
    """A cause as the rules find it: no words yet.

    ``records``: how many come late because of it, or cannot be right. ``numbers``: what its sentences say, by name;
    durations in ms. ``sort`` tells apart the sentences of one code. ``sign``: how its records are found in a stream
    that was not looked at as a whole; None for a cause that is counted in another way.
    ``rules`` put its records right.
    """

    code: str
    records: int
    where: Where = field(default_factory=Where)
    sort: str = ""
    numbers: dict[str, Any] = field(default_factory=dict)
    sign: Any = field(default=None, repr=False, compare=False)
    rules: tuple[Rule, ...] = field(default=(), compare=False)


def titled(cures: Mapping[str, str]) -> str:
    """The code of all engines as one text."""
    titles = {"flink_java": "Flink (Java)", "flink_sql": "Flink SQL", "spark": "Spark"}
    return "\n\n".join(f"{titles[name]}:\n{text}" for name, text in cures.items())


@dataclass(frozen=True)
class Proof:
    """How many records of a finding there are ``before`` its cure is applied to the stream, and ``after``."""

    before: int
    after: int

    @property
    def helps(self) -> bool:
        """Whether the cure leaves fewer."""
        return self.after < self.before


@dataclass(frozen=True)
class Finding:
    """A cause in words.

    ``cures``: what to configure, by ``flink_java``, ``flink_sql`` and ``spark``; {} if nothing helps. ``before``:
    causes whose rules these cures begin with. ``price``: what the cures cost, one sentence or several. ``proof``: None
    without a cure.
    """

    code: str
    records: int
    where: dict[str, Any]
    text: str
    cures: dict[str, str]
    cause: Cause
    before: Sequence[Cause] = ()
    price: str = ""
    proof: Proof | None = None

    @property
    def cure(self) -> str:
        """All cures as one text; that there is none, if no rule tells the records of the cause from others."""
        if not self.cures:
            return words("own_findings.no_cure" if self.proof is None else "own_findings.no_help")
        return titled(self.cures)

    def as_json(self) -> dict[str, Any]:
        """The members that the contract of the profile names."""
        return {
            "code": self.code,
            "records": self.records,
            "where": self.where,
            "text": self.text,
            "cure": self.cure,
            **({"price": self.price} if self.cures else {}),
            **({} if self.proof is None else {"proof": asdict(self.proof)}),
        }
