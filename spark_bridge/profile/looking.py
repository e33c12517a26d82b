"""The findings of a stream in files: what tasks have chosen of it is judged by the rules.

Up to ``MOST`` records are looked at, one by one. Of a longer stream these are whole stretches, chosen by a hash, and
from each of the others the record with the largest timestamp, which may be one of the future. What is found there is
then counted in the whole stream (``whole``), so that all numbers are exact.
"""

from dataclasses import dataclass, replace
from typing import Final

from tidemark.spark_bridge.profile.findings.copies import MOST as MOST_COPIES
from tidemark.spark_bridge.profile.findings.copies import by_chance
from tidemark.spark_bridge.profile.findings.cures import cures_of
from tidemark.spark_bridge.profile.findings.finding import Cause, Finding, applied
from tidemark.spark_bridge.profile.findings.judge import harm, judged
from tidemark.spark_bridge.profile.findings.near import Near
from tidemark.spark_bridge.profile.findings.records import Expectations, different
from tidemark.spark_bridge.profile.findings.whole import Whole, rules_of
from tidemark.spark_bridge.profile.findings.wording import cure_bound, worded
from tidemark.spark_bridge.profile.source import MOST, Ordered

_CLOCKS: Final = ("zone-offset", "skewed-source")


@dataclass(frozen=True)
class Judged:
    """``findings``, most harmful first. ``cure``: what they need together, by engine; {} if there is nothing.

    ``causes``: theirs, with the stream's own names, in the order in which they were taken out.
    """

    findings: list[Finding]
    cure: dict[str, str]
    causes: list[Cause]


def findings_of(
    ordered: Ordered, asked: Expectations, known: tuple[int, int] | None = None, *, most: int = MOST
) -> list[Finding]:
    """What is wrong with a stream, most harmful first: see ``judged_stream``."""
    return judged_stream(ordered, asked, known, most=most).findings


def judged_stream(
    ordered: Ordered, asked: Expectations, known: tuple[int, int] | None = None, *, most: int = MOST
) -> Judged:
    """What is wrong with a stream, and what cures it. Runs a few jobs.

    ``known``: how many records are late with the bound that was asked for, and which bound would do, if that is known.
    ``most``: how many may be looked at.
    """
    ordered = ordered.complete()
    stream, parts = ordered.stream, ordered.parts
    records = sum(parts.records)
    looked = ordered.near(most)
    every = looked.every
    unreadable = parts.unreadable * len(looked.records) // max(records, 1) if every > 1 else parts.unreadable
    found = judged(replace(looked.records, unreadable=unreadable), asked)
    if every > 1:
        whole = Whole(ordered.feed, parts, ordered.columns, asked, looked, known)
        found = whole.counted([*found, *far_copies(looked, found)])
    keys, written = dict(enumerate(looked.keys)), stream.written
    own = [
        replace(each, numbers=each.numbers | {"total": records}) if each.code in _CLOCKS else each for each in found
    ]  # in the order in which they were taken out: later ones are found in what is put right
    findings = [
        worded(cause, asked.bound, stream.channels, keys, written, own[:place]) for place, cause in enumerate(own)
    ]
    causes = [each.cause for each in findings]
    cure = cures_of(causes, cure_bound(asked.bound), written) if any(each.cures for each in findings) else {}
    return Judged(sorted(findings, key=lambda each: harm(each.cause)), cure, causes)


def far_copies(looked: Near, found: list[Cause]) -> list[Cause]:
    """Copies that are no neighbours, in all records with some timestamps."""
    if looked.far is None or any(cause.code in ("duplicates", "replay", "no-timestamps") for cause in found):
        return []
    total, alike = len(looked.far), different(looked.far)
    share = (total - alike) / max(total, 1)
    records, _, dropped = applied(rules_of(found), looked.records)
    if share <= MOST_COPIES or share * len(records) < 2.5 * by_chance(records.where(~dropped)):
        return []
    return [Cause("duplicates", total - alike, numbers={"count": total - alike, "total": total})]
