"""A stream with its cures applied: what their rules make of every record, as columns of its table.

Proof of the cures: they are applied to the very stream, which is then judged again.

Rules and what leaves copies out are applied to its records, all causes together, as the one cure of the stream has
them. What a setting does follows from the stream that this leaves: a bound and an allowed lateness from how far its
records come behind, an idle timeout from what arrives until the channel counts as idle. A cure after which as many
records are left as before does not help: it is not shown, and is no part of the one cure.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.files.stream import OwnStream
from tidemark.spark_bridge.profile.counts.counting import Counting
from tidemark.spark_bridge.profile.counts.figures import Wanted
from tidemark.spark_bridge.profile.findings.cures import cures_of, needed
from tidemark.spark_bridge.profile.findings.finding import Cause, Finding, Proof, Range, Rule
from tidemark.spark_bridge.profile.findings.records import Expectations
from tidemark.spark_bridge.profile.findings.wording import cure_bound
from tidemark.spark_bridge.profile.looking import Judged, judged_stream
from tidemark.spark_bridge.profile.source import in_order
from tidemark.spark_bridge.spark.columns import floor_start, long

KEPT: Final = "kept"
"""The column that says which records the cures do not leave out."""


@dataclass(frozen=True)
class Applied:
    """``table`` has the records of a stream with ``ts`` as the cures leave it, and ``KEPT``.

    ``changed`` and ``dropped`` name its further columns, each with the code of the finding whose cure changes these
    records, or leaves them out.
    """

    table: DataFrame
    changed: dict[str, str]
    dropped: dict[str, str]


def applied_to(stream: OwnStream, causes: Sequence[Cause]) -> Applied:
    """``causes`` are those of a profile, with the stream's own names, in the order in which they were taken out."""
    table = stream.table
    changed, dropped = dict[str, str](), dict[str, str]()
    kept = F.lit(True)
    for place, cause in enumerate(causes):
        if not cause.rules:
            continue
        is_dropped = F.lit(False)
        before = f"ts_{place}"
        table = table.withColumn(before, F.col("ts"))
        for rule in cause.rules:
            which = _condition(rule, stream) & kept
            if rule.drops:
                is_dropped = is_dropped | which
            else:
                table = table.withColumn("ts", F.when(which, _changed(rule)).otherwise(F.col("ts")))
        table = table.withColumn(f"dropped_{place}", is_dropped)
        table = table.withColumn(f"changed_{place}", kept & (F.col("ts") != F.col(before)))
        kept = kept & ~F.col(f"dropped_{place}")
        changed[f"changed_{place}"] = dropped[f"dropped_{place}"] = cause.code
    table = table.withColumn(KEPT, kept)
    again = next((each for each in causes if _is_again(each)), None)
    if again is not None:
        number = F.expr(f"row_number() OVER (PARTITION BY {KEPT}, ts, key, value ORDER BY {', '.join(stream.order)})")
        table = table.withColumn("again", F.col(KEPT) & (number > 1))
        table = table.withColumn(KEPT, F.col(KEPT) & ~F.col("again"))
        dropped["again"] = again.code
    return Applied(table, changed, dropped)


def _is_again(cause: Cause) -> bool:
    return cause.code == "duplicates" or (cause.code, cause.sort) == ("replay", "again")


def _condition(rule: Rule, stream: OwnStream) -> Column:
    """The same as ``Rule.of``, of the table of a stream."""
    found = F.lit(True)
    if rule.column:
        places = [stream.channels.index(each) for each in rule.names] if rule.column == "channel" else list(rule.names)
        found = found & F.col(rule.column).isin(places)
    ranges = [(F.col("at"), (rule.at,)), (F.col("ts"), rule.ts), (F.col("ts") - F.col("at"), (rule.off,))]
    for value, limits in ranges:
        some = [_within(value, each) for each in limits]
        if some:
            either = some[0]
            for each in some[1:]:
                either = either | each
            found = found & either
    return found


def _within(value: Column, limits: Range) -> Column:
    found, (low, high) = F.lit(True), limits
    if low is not None:
        found = found & (value >= long(low))
    return found if high is None else found & (value < long(high))


def _changed(rule: Rule) -> Column:
    ts = F.col("at") if rule.arrives else F.col("ts")
    if rule.power > 0:
        ts = F.call_function("div", floor_start(ts, 0, 10**rule.power), long(10**rule.power))
    elif rule.power:
        ts = ts * long(10**-rule.power)
    return ts - long(rule.by) if rule.by else ts


@dataclass(frozen=True)
class Healed:
    """A stream as its cures leave it, with the bound that was asked for, or that of the cures (ms).

    ``late``: how many records are late, by bound. ``recommended``: the smallest bound that is enough. ``causes``: what
    is found in it, with the stream's own names.
    """

    records: int
    late: dict[int, int]
    recommended: int
    causes: Sequence[Cause]


def proved(stream: OwnStream, asked: Expectations, found: Judged) -> tuple[Judged, Healed | None]:
    """``found`` with the proof of each cure, without those that do not help; and the stream as the cures leave it,
    None if there is no cure. Runs about as many jobs as a profile."""
    if not any(each.cures for each in found.findings):
        return found, None
    bound = cure_bound(asked.bound)
    healed = _healed(stream, asked, found.causes)
    findings = [_with_proof(each, stream, healed, bound) for each in found.findings]
    failed = [each.cause for each in findings if each.proof is not None and not each.proof.helps]
    if not failed:
        return replace(found, findings=findings), healed
    causes = [each for each in found.causes if each not in failed]
    findings = [replace(each, cures={}) if each.cause in failed else each for each in findings]
    if not any(each.cures for each in findings):
        return Judged(findings, {}, causes), None
    return Judged(findings, cures_of(causes, bound, stream.written), causes), _healed(stream, asked, causes)


def _healed(stream: OwnStream, asked: Expectations, causes: Sequence[Cause]) -> Healed:
    if any(each.code == "empty-channel" for each in causes):
        asked = replace(asked, channels=None)  # the channels that bring nothing are idle
    bound = cure_bound(asked.bound)
    needs = [needed([each], bound) for each in causes]
    bounds = {bound, *(need.bound + (need.late or 0) for need in needs)}
    table = applied_to(stream, causes).table.where(KEPT).select(*stream.everything.columns)
    channels = len(stream.channels)
    with in_order(replace(stream, everything=table), keys=False, as_written=False) as ordered:
        parts = ordered.parts
        if not sum(parts.records):
            return Healed(0, dict.fromkeys(bounds, 0), 0, [])
        counting = Counting(parts.before, channels, asked.wanted)
        wanted = Wanted(parts.records, tuple(sorted(bounds)), Fraction(asked.target))
        figures = ordered.figures(counting, wanted)
        late = dict(figures.late)
        known = None if asked.bound is None else (late[asked.bound], figures.recommended)
        causes = judged_stream(ordered, asked, known).causes
    return Healed(sum(parts.records), {each: late[each] for each in bounds}, figures.recommended, causes)


def _with_proof(finding: Finding, stream: OwnStream, healed: Healed, bound: int) -> Finding:
    if not finding.cures:
        return finding
    return replace(finding, proof=Proof(finding.records, _left(finding.cause, stream, healed, bound)))


def _left(cause: Cause, stream: OwnStream, healed: Healed, bound: int) -> int:
    """How many records of ``cause`` its cure leaves."""
    need = needed([cause], bound)
    if cause.code == "bound-too-small" or need.late is not None:
        return healed.late[need.bound + (need.late or 0)]
    if need.idle is not None:
        return _until_idle(cause, stream, need.idle)
    return sum(each.records for each in healed.causes if _comes_again(cause, each))


def _comes_again(cause: Cause, found: Cause) -> bool:
    ours, others = set(cause.where.names), set(found.where.names)
    return cause.code == found.code and (not ours or not others or bool(ours & others))


def _until_idle(cause: Cause, stream: OwnStream, idle: int) -> int:
    """How many records arrive, without a watermark that moves, until a channel counts as idle."""
    time = F.col("at" if stream.by_arrival else "ts")
    table = stream.table
    start = cause.where.at
    if start is None:  # no channel has brought anything yet
        row = table.agg(F.min(time)).first()
        start = 0 if row is None or row[0] is None else int(row[0])
    names = [stream.channels.index(each) for each in cause.where.names]
    arrives = (time >= long(start)) & (time < long(start + idle))
    return table.where(arrives & ~F.col("channel").isin(names) if names else arrives).count()
