"""The findings of a stream in files: what tasks have chosen of it is judged by the rules.

Up to ``MOST`` records are looked at, one by one. Of a longer stream these are whole stretches, chosen by a hash, and
from each of the others the record with the largest timestamp, which may be one of the future. What is found there is
then counted in the whole stream (``whole``), so that all numbers are exact.
"""

from dataclasses import replace

from spark_bridge.profile.findings.copies import MOST as MOST_COPIES
from spark_bridge.profile.findings.copies import by_chance
from spark_bridge.profile.findings.cures import after
from spark_bridge.profile.findings.finding import Cause, Finding, Where
from spark_bridge.profile.findings.judge import harm, judged
from spark_bridge.profile.findings.near import Near
from spark_bridge.profile.findings.records import Asked, different
from spark_bridge.profile.findings.whole import Whole, put_right
from spark_bridge.profile.findings.wording import worded
from spark_bridge.profile.source import MOST, Ordered


def findings_of(
    ordered: Ordered, asked: Asked, known: tuple[int, int] | None = None, *, most: int = MOST
) -> list[Finding]:
    """What is wrong with a stream, most harmful first. Runs a few jobs.

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
    keys, written, findings = dict(enumerate(looked.keys)), stream.written, list[Finding]()
    for cause in found:  # in the order in which they were taken out: later ones are found in what is put right
        also = _also(cause, found)
        if cause.code in ("zone-offset", "skewed-source"):
            cause = replace(cause, numbers=cause.numbers | {"total": records})
        findings.append(worded(cause, asked.bound, stream.channels, keys, written, also))
        written = after(cause, written)
    return sorted(findings, key=lambda each: harm(each.cause))


def _also(cause: Cause, found: list[Cause]) -> list[Where]:
    """Whose clocks are off by the same time as that of ``cause``: one repair serves all of them."""
    by = cause.numbers.get("by")
    alike = (each for each in found if (each.code, each.sort, each.numbers.get("by")) == (cause.code, cause.sort, by))
    return [each.where for each in alike if each is not cause]


def far_copies(looked: Near, found: list[Cause]) -> list[Cause]:
    """Copies that are no neighbours, in all records with some timestamps."""
    if looked.far is None or any(cause.code in ("duplicates", "replay", "no-timestamps") for cause in found):
        return []
    total, alike = len(looked.far), different(looked.far)
    share = (total - alike) / max(total, 1)
    records = put_right(looked.records, found)
    if share <= MOST_COPIES or share * len(records) < 2.5 * by_chance(records):
        return []
    return [Cause("duplicates", total - alike, numbers={"count": total - alike, "total": total})]
