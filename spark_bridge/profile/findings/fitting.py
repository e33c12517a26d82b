"""The rules that put right the records of a cause, and no others: the conditions are fitted to the stream itself.

A clock that is wrong only for some time is put right from the first record on that is wrong, to the last one; where
right and wrong records take turns, each one's distance from its arrival decides. Without arrivals the written time has
to tell them apart, and what it cannot tell apart stays as it is: no rule changes a record that is right.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from tidemark.spark_bridge.profile.findings.finding import Cause, Range, Rule
from tidemark.spark_bridge.profile.findings.records import AnotherUnit, Longs, Mask, Records, against_others

BESIDE: Final = 256
"""So many records of a source before and after a clock changes may be written by the old one and by the new one."""

STRAY: Final = 0.03
"""Up to this share of a source's records may seem to be on the other side, because they are slow."""

RUNS: Final = 24
"""A rule has at most so many ranges of written times."""

_STANDARD: Final[dict[int, Range]] = {
    -9: (100, 10**5), -6: (10**5, 10**8), -3: (10**8, 10**11), 3: (10**14, 10**17), 6: (10**17, 2**62),
}  # fmt: skip
"""What times of today are as ms that are too large by a power of ten."""

_A_MINUTE: Final = 60_000

_ROUND: Final = (60_000, 30_000, 10_000, 5_000, 1_000, 100, 10)
"""People set clocks wrong by round times (ms)."""


def fitted(cause: Cause, records: Records, is_it: Mask) -> Cause:
    """``cause`` with the rules that put ``is_it``, its records, right; with none where no job could."""
    rules: tuple[Rule, ...] = ()
    if cause.code == "wrong-unit":
        rules = _of_unit(cause, records, is_it)
    elif cause.code in ("zone-offset", "skewed-source"):
        if cause.code == "skewed-source":
            cause = _measured(cause, records, is_it)
        rules = _of_clocks(cause, records, is_it)
    elif cause.code == "future-timestamps":
        rules = _of_the_future(cause, records, is_it)
    elif cause.code == "backfill":
        rules = _of_history(records, is_it)
    numbers = cause.numbers
    if cause.code == "no-timestamps":
        rules = _of_constants(cause, records)
    if cause.code in ("zone-offset", "skewed-source"):
        own = _own(records, cause.where.column or "", cause.where.names)
        numbers = numbers | {"own": int(np.count_nonzero(own))} | _when(rules)
    return replace(cause, rules=rules, numbers=numbers)


def _when(rules: tuple[Rule, ...]) -> dict[str, int]:
    """Since which arrival and until which one the clocks are wrong, if no clock always is."""
    found = dict[str, int]()
    for name, place, pick in (("since", 0, min), ("until", 1, max)):
        limits = [each.at[place] for each in rules]
        if limits and None not in limits:
            found[name] = pick(each for each in limits if each is not None)
    return found


def _measured(cause: Cause, records: Records, is_it: Mask) -> Cause:
    """``cause`` with the offset as exact as the delays allow: of all that it may be, the roundest one."""
    of_group = _own(records, cause.where.column or "", cause.where.names)
    if records.at is not None:
        off = records.ts - records.at
        own, others = off[is_it], off[~of_group]
    else:
        own, others = against_others(records, of_group)[is_it[of_group]], np.zeros(BESIDE, np.int64)
    if len(others) < BESIDE // 8 or not len(own):
        return cause
    by = abs(float(np.median(own) - np.median(others)))
    unsure = 3 * sum(float(np.subtract(*np.quantile(each, [0.75, 0.25]))) / len(each) ** 0.5 for each in (own, others))
    unit = next((unit for unit in _ROUND if abs(round(by / unit) * unit - by) <= unsure), 1)
    return replace(cause, numbers=cause.numbers | {"by": round(by / unit) * unit})


def _of_constants(cause: Cause, records: Records) -> tuple[Rule, ...]:
    """What is no time at all becomes the arrival; without arrivals it is left out."""
    constants = {0, int(cause.numbers["constant"])} if cause.sort == "constant" else {0}
    there = sorted(each for each in constants if (records.ts == each).any())
    rule = Rule(ts=tuple((each, each + 1) for each in there), arrives=records.at is not None, drops=records.at is None)
    return (rule,) if there else ()


def _own(records: Records, column: str, names: tuple[int, ...]) -> Mask:
    return np.isin(getattr(records, column), names) if column else np.ones(len(records), np.bool_)


def _of_clocks(cause: Cause, records: Records, is_it: Mask) -> tuple[Rule, ...]:
    """For each channel or key; those that need the same rule share it."""
    column, by = cause.where.column or "", int(cause.numbers["by"]) * (1 if cause.sort == "ahead" else -1)
    found = dict[Rule, list[int]]()
    for name in cause.where.names or (None,):
        own = _own(records, column, (name,) if name is not None else ())
        places = np.flatnonzero(own)
        for rule in _of_one_clock(records.where(own), is_it[places], Rule(by=by)):
            found.setdefault(rule, []).extend([] if name is None else [name])
    return tuple(replace(rule, column=column, names=tuple(names)) for rule, names in found.items())


def _of_one_clock(records: Records, is_off: Mask, rule: Rule) -> list[Rule]:
    """The rules for the records of one source, of which ``is_off`` are wrong by ``rule.by``."""
    if not is_off.any():
        return []
    first, last = _stretch(is_off)
    count = len(records)
    if is_off.all() or (first == 0 and last == count - 1 and np.mean(~is_off) <= STRAY and not _changes(is_off)):
        return [rule]
    if records.at is None:
        return _by_written(records.ts, is_off, rule)
    inner = is_off[first : last + 1]
    if np.mean(~inner) > STRAY:  # it is a matter of each record
        low, high = np.flatnonzero(is_off)[[0, -1]].tolist()
        limits = _limits(records.at, low, high, count)
        return [replace(rule, at=limits, off=_apart(records, is_off, rule.by))]
    by_written = _by_written(records.ts, is_off, rule)
    if len(by_written) == 1 and len(by_written[0].ts) == 1 and _errors(by_written[0], records, is_off) == 0:
        exact = _limits(records.at, first, last, count)
        if _errors(replace(rule, at=exact), records, is_off) > 0:
            return by_written
    return _in_time(records, is_off, rule, first, last)


def _in_time(records: Records, is_off: Mask, rule: Rule, first: int, last: int) -> list[Rule]:
    """All from record ``first`` to ``last``; at either end, where both kinds come, each for itself."""
    at = records.at
    assert at is not None
    since = until = None
    zones = list[Range]()
    if first > 0:
        since, zone = _edge(at, is_off, first)
        zones += zone
    if last < len(at) - 1:
        backwards, zone = _edge(-at[::-1], is_off[::-1], len(at) - 1 - last)
        until = -backwards + 1
        zones += [(1 - (high or 0), 1 - (low or 0)) for low, high in zone]
    apart = _apart(records, is_off, rule.by)
    mixed = [replace(rule, at=zone, off=apart) for zone in zones]
    return [replace(rule, at=(since, until)), *mixed]


def _edge(at: Longs, is_off: Mask, first: int) -> tuple[int, list[Range]]:
    """From which arrival on all are off, and the range before it in which some are: where ``first`` is the first."""
    before = np.flatnonzero(is_off[max(first - BESIDE, 0) : first])
    after = np.flatnonzero(~is_off[first : first + BESIDE])
    begins = int(at[max(first - BESIDE, 0) + before[0]] if len(before) else at[first])
    ends = int(at[first + after[-1]]) + 1 if len(after) else int(at[first])
    if first > 0 and not len(after) and at[first - 1] == at[first]:
        ends = int(at[first]) + 1  # two that arrive at once, one of either kind
    return ends, ([(begins, ends)] if begins < ends else [])


def _changes(is_off: Mask) -> bool:
    """Whether the first or the last records are of the other kind."""
    return bool((~is_off[:8]).sum() > 4 or (~is_off[-8:]).sum() > 4)


def _stretch(is_off: Mask) -> tuple[int, int]:
    """The first and the last place of the stretch in which most are off, and outside of which most are not."""
    score = np.concatenate([[0], np.cumsum(np.where(is_off, 1, -1))])
    lowest = np.minimum.accumulate(score)
    end = int(np.argmax(score - lowest))
    start = int(np.argmin(score[: end + 1]))
    return start, max(end - 1, start)


def _limits(at: Longs, first: int, last: int, count: int) -> Range:
    return (None if first == 0 else int(at[first])), (None if last == count - 1 else int(at[last]) + 1)


def _apart(records: Records, is_off: Mask, by: int) -> Range:
    """The distances from arrival of those that are off: beyond half of the way between the two kinds."""
    assert records.at is not None
    off = records.ts - records.at
    own = off[is_off]
    usual = float(np.median(off[~is_off])) if (~is_off).any() else float(np.median(own)) - by
    middle = round((usual + float(np.median(own))) / 2)
    if (~is_off).any():
        gap = (int(off[~is_off].max()), int(own.min())) if by > 0 else (int(own.max()), int(off[~is_off].min()))
        if gap[0] < gap[1] and not gap[0] < middle <= gap[1]:
            middle = (gap[0] + gap[1]) // 2 + 1
    return (middle, None) if by > 0 else (None, middle)


def _errors(rule: Rule, records: Records, is_off: Mask) -> int:
    return int(np.count_nonzero(rule.of(records) != is_off))


def _by_written(ts: Longs, is_off: Mask, rule: Rule) -> list[Rule]:
    """The rule for written times that are wrong in any case; nothing where hardly any of them tells."""
    ranges = written_ranges(ts, is_off)
    return [replace(rule, ts=ranges)] if ranges else []


def written_ranges(ts: Longs, is_it: Mask, least: float = 0.02) -> tuple[Range, ...]:
    """Ranges of timestamps in which there is none but those of ``is_it``: the largest ones, each with at least the
    share ``least`` of them. A range is open where there is no other beyond it."""
    values, place = np.unique(ts, return_inverse=True)
    good = np.bincount(place[~is_it], minlength=len(values)) > 0
    edges = np.flatnonzero(np.diff(np.concatenate([[1], good.astype(np.int8), [1]])))
    starts, ends = edges[::2], edges[1::2]  # where nothing but wrong ones begins and ends
    if not len(starts):
        return ()
    own = np.concatenate([[0], np.cumsum(np.bincount(place[is_it], minlength=len(values)))])
    counts = own[ends] - own[starts]
    chosen = np.flatnonzero(counts >= max(least * np.count_nonzero(is_it), 1))
    chosen = np.sort(chosen[np.argsort(-counts[chosen], kind="stable")][:RUNS])
    return tuple(
        (
            int(values[starts[each]]) if starts[each] else None,
            int(values[ends[each] - 1]) + 1 if ends[each] < len(values) else None,
        )
        for each in chosen.tolist()
    )


def _of_history(records: Records, is_it: Mask) -> tuple[Rule, ...]:
    """Records of a history are left to a job of their own: they arrive long after they happened."""
    rule = Rule(drops=True)
    if records.at is not None:
        off = records.ts - records.at
        highest, lowest = int(off[is_it].max()), int(off[~is_it].min(initial=0))
        if highest < lowest:
            return (replace(rule, off=(None, (highest + lowest + 1) // 2)),)
    ranges = written_ranges(records.ts, is_it)
    return (replace(rule, ts=ranges),) if ranges else ()


def _of_unit(cause: Cause, records: Records, is_it: Mask) -> tuple[Rule, ...]:
    """Timestamps of another unit are far from all others; where they are not, the channel or key has to tell."""
    if not isinstance(cause.sign, AnotherUnit) or len(cause.sign.powers) == 1:
        return _of_power(cause, records, is_it, int(cause.numbers["power"]))
    ratios = cause.sign.ratios(records)
    found = (
        _of_power(replace(cause, sort="some"), records, own, power)
        for power in cause.sign.powers
        if (own := is_it & cause.sign.of_power(ratios, power)).any()
    )
    return tuple(rule for rules in found for rule in rules)


def _of_power(cause: Cause, records: Records, is_it: Mask, power: int) -> tuple[Rule, ...]:
    rule, standard = Rule(power=power), _STANDARD[power]
    usual = replace(rule, ts=(standard,))
    inside = usual.of(records)
    is_all = cause.sort == "all"
    if is_it.all() or (is_all and inside.all()):
        return (rule,)
    if (inside | ~is_it).all() and (is_all or not (inside & ~is_it).any()):
        return (usual,)
    column = cause.where.column or ""
    if column:
        whole = replace(rule, column=column, names=cause.where.names)
        if _errors(whole, records, is_it) == 0:
            return (whole,)
    ranges = written_ranges(records.ts, is_it)
    if is_all and not ranges:
        return (rule,)
    return (replace(rule, ts=ranges),) if ranges else ()


def _of_the_future(cause: Cause, records: Records, is_it: Mask) -> tuple[Rule, ...]:
    """Records of the future are left out: by their distance from arrival, or because nobody else writes such times."""
    rule = Rule(drops=True)
    if records.at is not None:
        off = records.ts - records.at
        highest, lowest = int(off[~is_it].max(initial=np.iinfo(np.int64).min)), int(off[is_it].min())
        if highest < lowest:
            limit = _A_MINUTE if highest < _A_MINUTE < lowest else lowest - min((lowest - highest) // 2, lowest // 2)
            return (replace(rule, off=(limit, None)),)
    named = [name for name in ("channel", "key") if getattr(cause.where, name) is not None]
    for column in ("", *named):
        names = (getattr(cause.where, column),) if column else ()
        own = _own(records, column, names)
        ranges = written_ranges(records.ts[own], is_it[own], 0.0)
        found = replace(rule, column=column, names=names, ts=ranges)
        if ranges and np.count_nonzero(found.of(records)) == np.count_nonzero(is_it):
            return (found,)
    ranges = written_ranges(records.ts, is_it, 0.0)
    return (replace(rule, ts=ranges),) if ranges else ()
