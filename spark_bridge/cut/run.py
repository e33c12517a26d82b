"""A cut made of files: opened, the finding looked up where one is asked for, and the scenario written."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tidemark.simulator.words import listed, words
from tidemark.spark_bridge.cut.around import CutFails, FindingOf
from tidemark.spark_bridge.cut.cut import Asked, cut_text
from tidemark.spark_bridge.cut.finding import Where
from tidemark.spark_bridge.cut.table import Table
from tidemark.spark_bridge.execution.stopping import alone
from tidemark.spark_bridge.files.asked import Files
from tidemark.spark_bridge.files.stream import OwnStream
from tidemark.spark_bridge.files.using import own_stream, read_once
from tidemark.spark_bridge.profile.findings.looking import findings_of
from tidemark.spark_bridge.profile.findings.records import Asked as AskedOfFindings
from tidemark.spark_bridge.profile.source import in_order
from tidemark.spark_bridge.stages import Stages


@dataclass(frozen=True, slots=True)
class Cut:
    """The text of a scenario file, and the stream that it was cut from, of which ``unreadable`` records are no part."""

    text: str
    unreadable: int
    stream: OwnStream = field(repr=False)


def cut_files(
    files: Files, asked: Asked, stages: Stages, place: str | None = None, *, judged_by: AskedOfFindings | None = None
) -> Cut:
    """The cut of what ``files`` hold, with the stages ``session`` and ``cut``.

    ``judged_by`` is what the findings are asked, where ``asked`` is around one; by default what a profile without
    options asks. Raises ``CutFails``, and what ``own_stream`` raises.
    """
    fails: CutFails | None = None
    text, unreadable = "", 0
    with own_stream(files, stages, place) as stream, alone(stages), stages.stage("cut"):
        try:
            text, unreadable = cut_of(stream, asked, judged_by or AskedOfFindings()), stream.counted()
        except CutFails as error:  # nothing is wrong with Spark: the session stays
            fails = error
    if fails is not None:
        raise fails
    return Cut(text, unreadable, stream)


def cut_of(stream: OwnStream, asked: Asked, judged_by: AskedOfFindings) -> str:
    """The cut of an open stream."""
    with read_once(stream) as kept:
        table = Table(kept)
        kept.require_some(table.records)
        if isinstance(asked.around, FindingOf) and not asked.where:
            asked = replace(asked, where=_where(kept, asked.around, judged_by))
        return cut_text(table, asked)


def _where(stream: OwnStream, around: FindingOf, judged_by: AskedOfFindings) -> Where:
    """Where that finding is."""
    with in_order(stream, keys=False, wanted=judged_by.wanted) as ordered:
        found = findings_of(ordered, judged_by)
    alike = [each.where for each in found if each.code == around.code]
    if not alike:
        raise CutFails("no_finding", code=around.code, codes=_known([each.code for each in found]))
    if around.nth > len(alike):
        raise CutFails("few_findings", code=around.code, number=len(alike), nth=around.nth)
    return alike[around.nth - 1]


def _known(codes: Sequence[str]) -> str:
    if not codes:
        return words("own_cut.fails.no_findings")
    return words("own_cut.fails.findings", codes=listed(dict.fromkeys(codes)))
