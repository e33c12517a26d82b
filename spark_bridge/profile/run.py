"""A profile made: files opened, gone through twice, judged, put together."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from tidemark.spark_bridge.files.opening import files_as_stream
from tidemark.spark_bridge.files.request import Files
from tidemark.spark_bridge.files.stream import FileStream
from tidemark.spark_bridge.profile.counts.counting import Counting, course_of, late_firings_of
from tidemark.spark_bridge.profile.counts.figures import Figures, Slicing, Wanted
from tidemark.spark_bridge.profile.findings.records import Expectations
from tidemark.spark_bridge.profile.judging import LEAST_MS, humps_in, in_order, judged_stream
from tidemark.spark_bridge.profile.profile import ChannelProfile, Profile, ProfileRequest, WindowProfile
from tidemark.spark_bridge.profile.repairs import Written, proved, write_repaired
from tidemark.spark_bridge.profile.upgrade import upgraded
from tidemark.spark_bridge.spark.jobs import alone
from tidemark.spark_bridge.spark.stages import Stages
from tidemark.spark_bridge.watermarks.behind import Parts

OFF: Final = {"zone-offset", "skewed-source"}
"""Findings that explain delays with two humps."""


def profile_files(
    files: Files, request: ProfileRequest, stages: Stages, place: str | None = None, repaired: Path | None = None
) -> tuple[Profile, FileStream, Written | None]:
    """The profile of what ``files`` hold, with the stages ``session``, ``open``, ``order``, ``count``, ``judge`` and
    ``prove``.

    ``repaired``: where to write the stream as its cure leaves it, the stage ``write``. Raises what ``files_as_stream``
    raises.
    """
    with files_as_stream(files, stages, place, typed=False, whole=repaired is not None) as stream, alone(stages):
        profile, written = profile_of(stream, request, stages), None
        if repaired is not None:
            with stages.stage("write"):
                written = write_repaired(stream, profile.causes, profile.unreadable, repaired)
        return profile, stream, written


def profile_of(stream: FileStream, request: ProfileRequest, stages: Stages) -> Profile:
    """The profile of an open stream."""
    channels, windows, has_keys = len(stream.channels), request.windows, stream.columns.key is not None
    with ExitStack() as until_done:
        with stages.stage("order"):
            needed = windows is not None and windows.lateness > 0 and has_keys
            opened = in_order(stream, keys=needed)
            ordered = until_done.enter_context(opened)
            feed, parts = ordered.feed, ordered.parts
        with stages.stage("count"):
            counting = Counting(parts.before, channels, request.channels or 1, windows)
            wanted = Wanted(parts.records, request.bounds, request.target, windows)
            figures = ordered.figures(counting, wanted)
            late_firings = 0
            if figures.windows is not None and figures.windows.late:
                late_firings = late_firings_of(feed, counting, has_keys=has_keys)
            keys = 0 if not has_keys else stream.table.select("key").distinct().count()
        course = None
        if request.course:
            with stages.stage("course"):
                limits = [bound for bound, _ in figures.late]
                course = course_of(feed, Slicing.of(parts, request.channels or 1, request.window, limits))
        with stages.stage("judge"):
            question = Expectations(request.bound, request.channels, float(request.target))
            known = None if request.bound is None else (dict(figures.late)[request.bound], figures.recommended)
            found = judged_stream(ordered, question, known)
            humps = None
            if (
                stream.beside is not None
                and figures.behind.longest >= LEAST_MS
                and not OFF & {each.code for each in found.findings}
            ):
                humps = humps_in(stream.beside, stream.few_values)
    upgrade = None
    with stages.stage("prove"):
        found, healed = proved(stream, question, found)
        if request.flink is not None:
            earliest = min((each for each in parts.lowest if each is not None), default=0)
            upgrade = upgraded(stream, request, found.causes, figures.recommended, earliest)
    return replace(
        _profile(stream, request, parts, figures, late_firings, keys),
        findings=tuple(found.findings),
        cure=found.cure,
        causes=tuple(found.causes),
        healed=healed,
        course=course,
        humps=humps,
        upgrade=upgrade,
    )


def _profile(
    stream: FileStream, request: ProfileRequest, parts: Parts, figures: Figures, late_firings: int, keys: int
) -> Profile:
    channels = tuple(
        ChannelProfile(*each)
        for each in zip(
            stream.channels, parts.records, parts.lowest, parts.highest, figures.held, figures.channels, strict=True
        )
    )
    times = [each for each in (*parts.lowest, *parts.highest) if each is not None]
    found, windows = figures.windows, request.windows
    return Profile(
        request=request,
        records=sum(parts.records),
        unreadable=parts.unreadable,
        keys=keys,
        times=(min(times), max(times)) if times else None,
        arrivals=parts.arrivals,
        channels=channels,
        behind=figures.behind,
        late=figures.late,
        recommended=figures.recommended,
        lateness_instead=None if found is None else found.lateness_instead,
        windows=None
        if found is None or windows is None
        else WindowProfile(windows, found.dropped, late_firings, found.wait),
    )
