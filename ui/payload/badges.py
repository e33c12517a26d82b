"""The badges beside a scenario's title: which engine emitted how many of the same rows for exactly this scenario.

A badge is shown only with proof: rows of real Flink recorded for the very scenario, or a check by Spark that
ran on it here. Both are found by the scenario's digest, so an edited scenario has none. Where rows differ the badge
stays and says so.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tidemark.simulator.proof import spark_checks
from tidemark.simulator.proof.recordings import (
    GOLDEN,
    GOLDEN_VERSION,
    Comparison,
    Pair,
    Recording,
    UnreadableRecordingError,
    beside,
    compare,
    golden_digests,
    recorded_rows,
)
from tidemark.simulator.proof.spark_checks import KeptCheck
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.wording import time_format
from tidemark.simulator.words import current_language, section, words
from tidemark.ui import catalogue
from tidemark.ui.catalogue import Entry
from tidemark.ui.payload.schema import Badge, BadgeDifference, BadgeRow
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.server.cache import keeping

from tidemark import simulator

# The Flink recording of exactly this scenario, if there is one, compared with the current rows.

# A short text that changes whenever one of the files behind the badges does.


def stamp_of(*folders: Path) -> str:
    """A digest of names, sizes and times of all files in ``folders``; it takes about 1 ms for the golden ones."""
    found = hashlib.sha256()
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                lines = sorted(f"{each.name}/{_times(each)}" for each in entries)
        except OSError:
            lines = []
        found.update(("\n".join(lines) + "\0").encode(errors="surrogateescape"))
    return found.hexdigest()[:16]


def _times(entry: os.DirEntry[str]) -> str:
    try:
        status = entry.stat()
    except OSError:  # removed since it was listed
        return ""
    return f"{status.st_mtime_ns}/{status.st_size}"


@dataclass(frozen=True)
class FlinkProof:
    """A comparison: the recording (the name of its file, the version of Flink) and the outcome."""

    file: str
    version: str
    comparison: Comparison


def flink_proof(scenario: Scenario, digest: str, library: Path) -> FlinkProof | None:
    """The rows of the whole ``scenario`` against those recorded for its ``digest``; None without a recording."""
    recording = _beside(library, stamp_of(library)).get(digest)
    if recording is None:
        stem = _golden(GOLDEN, stamp_of(GOLDEN)).get(digest)
        if stem is None:
            return None
        recording = Recording(GOLDEN / f"{stem}.jsonl", GOLDEN_VERSION)
    try:
        recorded = recorded_rows(recording.path)
    except UnreadableRecordingError:
        return None
    found = compare(scenario, simulator.run_rows(scenario), recorded)
    return FlinkProof(recording.path.name, recording.version, found)


@keeping(4)
def _golden(folder: Path, stamp: str) -> dict[str, str]:
    """All golden scenarios, read once (0.1 s for 129) at the first request."""
    return golden_digests(folder)


@keeping(4)
def _beside(folder: Path, stamp: str) -> dict[str, Recording]:
    return beside(folder)


SHOWN_DIGITS = 12
"""The number of digits of a digest that are enough for a reader to tell two runs apart."""

_TIMES = frozenset({"start", "end", "ts", "timestamp", "watermark", "at"})
_LONGEST = 200
"""The number of characters of a value that a badge shows."""


def badges_of(entry: Entry, proofs: str | None = None) -> str:
    """The badges of a scenario as JSON text: [{engine, good, label, …}], [] where nothing is proved.

    They are made again when the scenario or any file that proves something changes. ``proofs``: what ``proofs_stamp``
    returned, for callers that ask about many scenarios.
    """
    return _badges_of(entry, entry.name, entry.stamp, proofs_stamp() if proofs is None else proofs, current_language())


def proofs_stamp() -> str:
    """A text that changes whenever a file with proof does."""
    return stamp_of(GOLDEN, *catalogue.folders(), spark_checks.FOLDER)


@keeping(1000)
def _badges_of(_entry: Entry, name: str, stamp: str, proofs: str, language: str) -> str:
    scenario = _entry.scenario
    assert scenario is not None
    digest = digest_of(scenario)
    style = TimeStyle(time_format(scenario))
    found = []
    proofs_of_flink = (flink_proof(scenario, digest, folder) for folder in catalogue.folders())
    if (flink := next(filter(None, proofs_of_flink), None)) is not None:
        found.append(_flink(flink, digest, style))
    if (spark := spark_checks.recall(digest)) is not None:
        found.append(_spark(spark, digest, style))
    return json.dumps(found, ensure_ascii=False)


def _flink(proof: FlinkProof, digest: str, style: TimeStyle) -> Badge:
    rows = proof.comparison.rows
    facts = [
        (words("pages.badges.compared"), _number("pages.badges.rows", rows, rows=rows)),
        (words("pages.badges.recorded"), proof.file),
        _run(digest),
    ]
    return _badge("flink", "Flink", proof.version, proof.comparison, facts, style)


def _spark(check: KeptCheck, digest: str, style: TimeStyle) -> Badge:
    rows = check.comparison.rows
    moment = check.when.replace("T", " ").partition("+")[0]
    facts = [
        (words("pages.badges.compared"), _number("pages.badges.rows_spark", rows, rows=rows)),
        (
            words("pages.badges.checked"),
            words("pages.badges.checked_at", when=moment, events=check.events, engine=check.engine),
        ),
        (
            words("pages.badges.with"),
            words("pages.badges.versions", spark=check.spark, java=check.java, python=check.python),
        ),
        _run(digest),
    ]
    badge = _badge("spark", "Spark", check.spark, check.comparison, facts, style)
    if catalogue.find(check.name) is not None:
        badge["link"] = {"scenario": check.name, "text": words("pages.badges.to_spark")}
    return badge


def _badge(
    kind: Literal["flink", "spark"],
    engine: str,
    version: str,
    found: Comparison,
    facts: list[tuple[str, str]],
    style: TimeStyle,
) -> Badge:
    outcome = "same" if found.same else "differs"
    fields: dict[str, Any] = {
        "engine": engine,
        "version": version,
        "equal": found.equal,
        "total": found.total,
        "unit": _number(f"pages.badges.units.{found.unit}", found.total),
    }
    return {
        "engine": kind,
        "name": engine,
        "good": found.same,
        "label": words(f"pages.badges.label_{outcome}", **fields),
        "short": words(f"pages.badges.short_{outcome}", **fields),
        "spoken": _number(f"pages.badges.spoken_{outcome}", found.total, **fields),
        "head": _number(f"pages.badges.head_{outcome}", found.total, **fields),
        "tick": _number("pages.badges.tick", found.total, **fields),
        "says": words(f"pages.badges.what.{kind}_{outcome}"),
        "facts": facts,
        "difference": None if found.first is None else _difference(found.first, engine, style),
        "link": None,
    }


def _difference(first: Pair, engine: str, style: TimeStyle) -> BadgeDifference:
    """The two rows member by member."""
    ours, theirs = first
    names: Mapping[str, str] = section("pages.badges.members")
    order = {name: place for place, name in enumerate(names)}
    rows: list[BadgeRow] = [
        {
            "cells": [names.get(name, name), *(_member(side, name, style) for side in first)],
            "differs": ours is None or theirs is None or ours.get(name) != theirs.get(name),
        }
        for name in sorted({**(ours or {}), **(theirs or {})}, key=lambda name: order.get(name, len(order)))
    ]
    columns = [words("pages.badges.member"), words("pages.badges.here"), engine]
    return {"title": words("pages.badges.difference"), "columns": columns, "rows": rows}


def _member(side: Mapping[str, Any] | None, name: str, style: TimeStyle) -> str:
    if side is None:
        return words("pages.badges.no_row") if name == "row" else ""
    if name not in side:
        return ""
    value = side[name]
    if name == "watermark" or (name in _TIMES and type(value) is int):
        return style.exact(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _run(digest: str) -> tuple[str, str]:
    return words("pages.badges.run"), words("pages.badges.run_says", digest=digest[:SHOWN_DIGITS])


def _number(name: str, count: int, **fields: Any) -> str:
    return words(f"{name}_{'one' if count == 1 else 'many'}", **fields)
