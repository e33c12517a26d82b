"""Compares our rows with those of another engine for the same scenario: how many are equal, and what differs first.

Rows of one stream item compare as a multiset, since Flink leaves the order of equal timers open; lists in values
compare as multisets where sessions may have merged; of an error row its type and its item count.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.places import ROOT
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.scenario.model import Scenario

Row = dict[str, Any]
Pair = tuple[Row | None, Row | None]
"""A row of ours and the matching one of the other engine; None where a side has none."""

UNITS: Final = {"pane": "panes", "joined": "pairs", "group": "groups", "emitted": "records", "ranked": "ranks"}
"""The unit in which results of each kind of row are counted, as a key of the catalogue."""

ROWS: Final = "rows"
"""The unit if results are of several kinds: then all rows are counted."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """``equal`` of ``total`` ``unit`` (``panes``, ``pairs``, ``groups``, ``records``, ``ranks``, ``rows``) are equal.

    ``rows`` counts all rows compared, including watermarks and dropped records; ``differing`` those without an equal.
    ``first`` is the first difference, by item.
    """

    unit: str
    equal: int
    total: int
    rows: int
    differing: int
    first: Pair | None = None

    @property
    def same(self) -> bool:
        """Whether every row has an equal; then ``equal == total`` too."""
        return self.differing == 0


def by_item(rows: Iterable[Row], *, loose_lists: bool) -> dict[int, Counter[str]]:
    """The rows of each item, as texts that are equal if the rows are."""
    counted: dict[int, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counted[row["item"]][json.dumps(_comparable(row, loose_lists=loose_lists), sort_keys=True)] += 1
    return counted


def has_loose_lists(scenario: Scenario) -> bool:
    """Whether Flink leaves the order of lists in values open, which is so if windows merge."""
    return scenario.operator.merges


def compare(scenario: Scenario, ours: Sequence[Mapping[str, Any]], recorded: Sequence[Row]) -> Comparison:
    """Compare what we computed for ``scenario`` with what was ``recorded``."""
    loose = has_loose_lists(scenario)
    left = by_item(json.loads(json.dumps(ours)), loose_lists=loose)
    right = by_item(recorded, loose_lists=loose)
    of_ours, of_recorded, both = Counter[str](), Counter[str](), Counter[str]()
    first: Pair | None = None
    for item in sorted(left.keys() | right.keys()):
        mine, theirs = left.get(item, Counter[str]()), right.get(item, Counter[str]())
        of_ours.update(_kinds(mine))
        of_recorded.update(_kinds(theirs))
        both.update(_kinds(mine & theirs))
        if first is None and mine != theirs:
            first = pair_up(_rows(mine - theirs), _rows(theirs - mine))[0]
    return counted(of_ours | of_recorded, both, first)


def counted(totals: Mapping[str, int], equal: Mapping[str, int], first: Pair | None) -> Comparison:
    """The comparison of ``totals`` rows by kind (of the side that has more), of which ``equal`` are the same.

    Results are counted if all are of one kind, unless all differences lie in other rows; otherwise all rows are
    counted.
    """
    rows, same = sum(totals.values()), sum(equal.values())
    results = [kind for kind in UNITS if totals.get(kind)]
    if len(results) == 1:
        kind = results[0]
        agree = equal.get(kind, 0)
        if rows == same or agree < totals[kind]:
            return Comparison(UNITS[kind], agree, totals[kind], rows, rows - same, first)
    return Comparison(ROWS, same, rows, rows, rows - same, first)


def pair_up(ours: Iterable[Row], theirs: Iterable[Row]) -> list[Pair]:
    """Pairs of rows that each stand on one side only: those of one key and window belong together, and of these those
    that share the most members.

    Rows of different kinds, and rows that share less than half of their members, are not paired.
    """
    left = list(theirs)
    pairs: list[Pair] = []
    for row in ours:
        alike = (other for other in left if row["row"] == other["row"] and 2 * _shared(row, other) >= len(row))
        best = max(alike, key=lambda other: (_same_place(row, other), _shared(row, other)), default=None)
        if best is not None:
            left.remove(best)
            pairs.append((row, best))
        else:
            pairs.append((row, None))
    return pairs + [(None, row) for row in left]


def _same_place(row: Row, other: Row) -> int:
    """How much of the place is the same: the key counts more than the window, and that more than the pane."""
    return sum(
        weight
        for weight, names in ((4, ("key",)), (2, ("start", "end")), (1, ("pane", "ts")))
        if all(row.get(name) == other.get(name) for name in names)
    )


def _shared(row: Row, other: Row) -> int:
    return sum(other.get(name, row) == value for name, value in row.items())


def _comparable(row: Row, *, loose_lists: bool) -> Row:
    if row["row"] == "error":
        return {"row": "error", "type": row["type"].rsplit(".", 1)[-1], "item": row["item"]}
    made = dict(row)
    for name in ("value", "left", "right"):
        value = made.get(name)
        if loose_lists and isinstance(value, list):
            made[name] = sorted(value, key=json.dumps)
        if isinstance(value, float) and value.is_integer():
            made[name] = int(value)
    return made


def _rows(texts: Counter[str]) -> list[Row]:
    return [json.loads(text) for text in texts.elements()]


def _kinds(texts: Counter[str]) -> Counter[str]:
    """The number of rows of each kind; a retraction (``-U``) does not count."""
    kinds = Counter[str]()
    for text, number in texts.items():
        row = json.loads(text)
        kinds["withdrawn" if row.get("change") == "-U" else row["row"]] += number
    return kinds


# The recorded rows of real Flink: where they are, and for exactly which scenario each file was recorded.
#
# There are two places. In ``tests/golden/`` a recording is a pair: a scenario (``NAME.yaml``) and its rows
# (``NAME.jsonl``). Beside a library file ``NAME.yaml`` it is ``NAME.flink.jsonl``, whose first line names the
# version and the scenario by its digest, ``{"flink": "2.3.0", "scenario": "9f3c…"}``. So the rows still belong to
# the scenario for which they were recorded when the file beside them is edited. A copy of the project without tests
# has no golden files. How they were made: docs/maintainers/RECORDINGS.md.

GOLDEN: Final = ROOT / "tests" / "golden"
GOLDEN_VERSION: Final = "2.3.0"
"""The version of Flink with which ``GOLDEN`` was recorded."""

BESIDE: Final = ".flink.jsonl"
"""The suffix of a recording beside a library file."""

MOST_BYTES: Final = 64_000_000
"""The most bytes of a recording; a larger file is not one."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A file of rows and the version of Flink that emitted them."""

    path: Path
    version: str


class UnreadableRecordingError(ValueError):
    """The file does not exist any more, or does not consist of rows."""


def golden_digests(folder: Path = GOLDEN) -> dict[str, str]:
    """The stem of each recording in ``folder`` by the digest of its scenario; a file that cannot be read has none."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.yaml")):
        if not path.with_suffix(".jsonl").is_file():
            continue
        try:
            found.setdefault(digest_of(load(path)), path.stem)
        except (ScenarioError, OSError):
            continue
    return found


def beside(folder: Path) -> dict[str, Recording]:
    """The recordings beside library files in ``folder`` by the digest of the scenario that they name."""
    found = {}
    for path in sorted(folder.glob(f"*{BESIDE}")):
        head = _head(path) if path.is_file() else None
        if head is not None:
            found[head["scenario"]] = Recording(path, head["flink"])
    return found


def recorded_rows(path: Path) -> list[Row]:
    """The rows of a recording, without a first line that is not a row. Raises ``UnreadableRecordingError``."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UnreadableRecordingError(path)
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise UnreadableRecordingError(path) from error
    rows = [line for line in lines[:1] if not _is_head(line)] + lines[1:]
    if not all(_is_row(row) for row in rows):
        raise UnreadableRecordingError(path)
    return rows


def _head(path: Path) -> Mapping[str, str] | None:
    try:
        with path.open(encoding="utf-8") as file:
            head = json.loads(file.readline(4096))
    except (OSError, ValueError):
        return None
    return head if _is_head(head) else None


def _is_head(line: Any) -> bool:
    return isinstance(line, dict) and isinstance(line.get("flink"), str) and isinstance(line.get("scenario"), str)


def _is_row(line: Any) -> bool:
    return isinstance(line, dict) and type(line.get("item")) is int and isinstance(line.get("row"), str)
