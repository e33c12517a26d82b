"""When exactly a clock begins and ends to be wrong, in a stream of which only some stretches were looked at.

These bracket the moment; the records of that clock between them are fetched, and the rules fitted once more.
"""

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from tidemark.spark_bridge.profile.feeding import Feed
from tidemark.spark_bridge.profile.findings.finding import Cause
from tidemark.spark_bridge.profile.findings.fitting import BESIDE, fitted
from tidemark.spark_bridge.profile.findings.near import Near
from tidemark.spark_bridge.profile.findings.records import LEAST, Mask, Records
from tidemark.spark_bridge.profile.findings.repairs import EVER, Rule, applied
from tidemark.spark_bridge.profile.findings.telling import Teller, joined
from tidemark.spark_bridge.profile.parts import Piece

Span = tuple[int, int]


def with_exact_times(feed: Feed, starts: Any, looked: Near, found: Sequence[Cause]) -> list[Cause]:
    """``found`` with rules whose times are exact. A pass, if there are any that are limited in time by arrivals."""
    if looked.records.at is None:
        return [replace(each, rules=tuple(_open(rule) for rule in each.rules)) for each in found]
    spans = {number: _spans(each, looked.records) for number, each in enumerate(found) if _is_timed(each)}
    if not spans:
        return list(found)
    every = sorted(span for own in spans.values() for span in own)
    keys = looked.keys if any(each.where.key is not None for each in found) else []
    more = _fetched(feed, Teller([], keys, starts), every, found, list(spans))
    own = replace(looked.records, value=None, key=looked.records.key if keys else None)
    records = _sorted(joined([own, *more]))
    causes = list[Cause]()
    for number, cause in enumerate(found):
        if number in spans:
            is_it = cause.sign.look(records, LEAST).counted
            cause = fitted(cause, records, is_it)
        records, _, dropped = applied(cause.rules, records)
        records = records.where(~dropped)
        causes.append(cause)
    return causes


def _open(rule: Rule) -> Rule:
    """Between the timestamps that were looked at there may be others: only beyond all of them there are none."""
    ranges = tuple(each for each in rule.ts if None in each)
    return rule if rule.drops or not ranges else replace(rule, ts=ranges)


def _is_timed(cause: Cause) -> bool:
    is_clock = cause.code in ("zone-offset", "skewed-source") and cause.sign is not None
    return is_clock and any(rule.at != EVER for rule in cause.rules)


def _spans(cause: Cause, records: Records) -> list[Span]:
    """The numbers of the records around each moment at which a clock changes."""
    assert records.at is not None
    found = list[Span]()
    last = len(records) - 1
    for limit in {each for rule in cause.rules for each in rule.at if each is not None}:
        place = int(np.searchsorted(records.at, limit))
        own = np.flatnonzero(_own(cause, records))
        middle = int(np.searchsorted(own, place))
        low = own[max(middle - BESIDE, 0)] if len(own) else 0
        high = own[min(middle + BESIDE, len(own) - 1)] if len(own) else last
        found.append((int(records.item[low]), int(records.item[high])))
    return found


def _own(cause: Cause, records: Records) -> Mask:
    column = cause.where.column
    return np.isin(getattr(records, column), cause.where.names) if column else np.ones(len(records), np.bool_)


def _fetched(
    feed: Feed, teller: Teller, spans: Sequence[Span], found: Sequence[Cause], numbers: list[int]
) -> list[Records]:
    causes = [replace(found[number], sign=None) for number in numbers]

    def work(pieces: Iterator[Piece]) -> Iterator[tuple[Any, ...]]:
        for _, records in teller.records(pieces):
            inside = np.zeros(len(records), np.bool_)
            for low, high in spans:
                inside |= (records.item >= low) & (records.item <= high)
            if not inside.any():
                continue
            mine = np.logical_or.reduce([_own(each, records) for each in causes])
            yield ([pickle.dumps(replace(records.where(inside & mine), value=None))],)

    rows = feed.mapped(work, {"records": "binary"}, keys=bool(teller.keys)).collect()
    return [pickle.loads(row[0]) for row in rows]


def _sorted(records: Records) -> Records:
    _, place = np.unique(records.item, return_index=True)
    columns = {name: getattr(records, name) for name in ("item", "ts", "at", "channel", "key")}
    return Records(**{name: own[place] for name, own in columns.items() if own is not None})
