"""The rows of old versions of Flink, by the rules in which they differ: ``tests/golden/versions``.

``NAME.yaml`` is a scenario in which a rule shows, NAME being that of the rule. Each line of ``NAME.jsonl`` is a row and
the first and the last version whose operators emitted it, ``"flink": ["1.17", "2.1"]``, in the order of the items. Of a
timer that fires for ever only the first rows are there.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tidemark.simulator.engine.values.versions import VERSIONS
from tidemark.simulator.proof.recordings import GOLDEN, Row

FOLDER: Final = GOLDEN / "versions"
FILES: Final = sorted(FOLDER.glob("*.yaml"))

ENDLESS: Final = "LimitExceeded"
"""The type of the error with which the simulator stops a timer that fires for ever."""
FIRINGS: Final = 3


def shortened(rows: Sequence[Row], ours: Sequence[Mapping[str, Any]]) -> list[Row]:
    """``rows`` of a run of which ``ours`` are the simulator's; only the first if a timer fires for ever."""
    return list(rows[:FIRINGS] if is_endless(ours) else rows)


def is_endless(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a timer of the run fires for ever: the simulator stops then, and Flink does not."""
    return bool(rows) and rows[-1].get("type") == ENDLESS


def recorded(path: Path, version: str) -> list[Row]:
    """The rows that the operators of ``version`` emitted for the scenario at ``path``."""
    number, found = VERSIONS.index(version), []
    for line in path.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        first, last = (VERSIONS.index(each) for each in row.pop("flink"))
        if first <= number <= last:
            found.append(row)
    return found


def write(path: Path, rows: Mapping[str, Sequence[Row]]) -> None:
    """Record ``rows``, by version, for the scenario at ``path``."""
    by_row: dict[str, list[int]] = {}
    for version, every in rows.items():
        for row in every:
            by_row.setdefault(json.dumps(row), []).append(VERSIONS.index(version))
    lines = [(json.loads(text)["item"], *span, text) for text, held in by_row.items() for span in _spans(held)]
    lines.sort(key=lambda line: line[0])
    texts = (
        f'{{"flink": {json.dumps([VERSIONS[first], VERSIONS[last]])}, {text[1:]}\n' for _, first, last, text in lines
    )
    path.with_suffix(".jsonl").write_text("".join(texts), encoding="utf-8")


def _spans(numbers: list[int]) -> list[tuple[int, int]]:
    """The runs of consecutive numbers."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return spans
