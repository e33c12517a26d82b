"""What a record's mark on the plane shows in addition to its fate."""

from bisect import bisect_right

from tidemark.ui.charts.rows import Tables

CROSSED = frozenset({"dropped", "side", "skipped"})
"""Fates drawn as a cross."""

BEHIND = "behind"
"""The look of a record that came behind the watermark and is on time all the same."""


def behind(tables: Tables) -> frozenset[str]:
    """Ids of the records whose timestamp the operator's watermark had reached when they arrived.

    Such a record is late only once its windows have passed: a window that is still open takes it on time, and so does a
    session that it merges with. By Spark's rules a batch judges by the watermark of the batch before: none is behind.
    """
    watermarks = tables.get("watermark", [])
    if tables.get("batches"):
        return frozenset()
    begins = [fact["from_step"] for fact in watermarks]
    found = set()
    for record in tables.get("records", []):
        if record["fate"] != "arrived" or record["ts"] is None:
            continue
        place = bisect_right(begins, record["from_step"]) - 1
        value = watermarks[place]["value"] if place >= 0 else None
        if value is not None and record["ts"] <= value:
            found.add(record["id"])
    return frozenset(found)
