"""What the library shows of each scenario: its card at once, its picture and proofs as soon as they are made.

A picture takes a whole run and a proof another one. So the page starts with those that are ready and makes the rest
afterwards; pictures are cached in ``build/`` for the next start of the server.
"""

import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tidemark.simulator.places import ROOT
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import current_language, section
from tidemark.ui.catalogue import Entry, text_of
from tidemark.ui.catalogue.lessons_file import Lessons
from tidemark.ui.payload.badges import badges_of
from tidemark.ui.payload.charts.axes import Axis
from tidemark.ui.payload.charts.plane import BEHIND
from tidemark.ui.payload.contents import payload
from tidemark.ui.server.cache import keeping, kept

# A small picture of a scenario: its plane at the end of the run, as numbers between 0 and 1 and kinds of marks.

MOST_MARKS = 60


def picture(payload: dict[str, Any]) -> dict[str, Any]:
    """Bands, watermark steps, firings and records of a player's payload (``ui.payload.contents``)."""
    signals, rows = payload["signals"], payload["sources"]
    x = Axis(signals["x0"], signals["x1"], [], [])
    y = Axis(signals["y0"], signals["y1"], [], [])

    def last(name: str) -> list[dict[str, Any]]:
        return [row for row in rows[name] if row["until_step"] is None]

    def at(value: float, axis: Axis) -> float:
        return round(axis.px(value, 1), 3)

    records = last("records")
    kept = records[:: max(1, len(records) // MOST_MARKS)]
    boxes = last("boxes")
    return {
        "bands": [[at(b["x"], x), at(b["x2"], x)] for b in last("bands") if b["shaded"]],
        "steps": [
            [at(s["x"], x), at(s["x2"], x), at(s["y"], y), at(s["y2"], y)] for s in last("segments") if not s["ended"]
        ],
        "bars": [[at(b["x"], x), at(b["x2"], x), at(b["y"], y)] for b in last("bars")][:MOST_MARKS],
        "results": [[at(b["x"], x), at(b["y"], y), b["look"]] for b in boxes][:MOST_MARKS],
        "records": [[at(r["x"], x), at(r["y"], y), "on-time" if r["fate"] == BEHIND else r["fate"]] for r in kept],
    }


AT_ONCE_S: Final = 0.3
"""How long (s) a page may make pictures before it shows anything."""


Made = dict[str, Any]
"""The slow parts of a card: its ``picture`` and its ``proofs``."""


def card(entry: Entry, lessons: Lessons) -> dict[str, Any]:
    """The card of a runnable entry, without its slow parts."""
    scenario = entry.scenario
    assert scenario is not None
    return {
        "name": scenario.name,
        "file": entry.path.name,
        "own": entry.own,
        "replaces": entry.replaces,
        "number": lessons.number(scenario.name),
        "title": entry.title,
        "summary": text_of(scenario.summary).strip(),
        "question": text_of(scenario.look_for).strip() if scenario.look_for else "",
        "level": scenario.level or "",
        "minutes": scenario.minutes,
        "questions": scenario.questions,
        "teaches": list(scenario.teaches),
        "lesson": scenario.lesson or "",
        "kind": kind_of(scenario),
        "picture": None,
        "proofs": [],
    }


def kind_of(scenario: Scenario) -> str:
    """The kind of operator that a reader can filter by: the assigner of a window operator, else its type."""
    if scenario.engine == "spark":
        return "spark"
    operator = scenario.operator
    windows = operator.assigner if operator.aggregates_windows else None
    kind = operator.type if windows is None else windows.type
    return "session" if kind == "dynamic-session" else kind


def kinds() -> dict[str, str]:
    """The name of each kind of operator."""
    return dict(section("pages.library.kinds"))


class Makings:
    """Pictures and proofs of entries, made once per state of their files."""

    def __init__(self, proofs: str) -> None:
        """``proofs``: the value of ``proofs_stamp``."""
        self._proofs = proofs
        self._made = _all_made()

    def ready(self, entry: Entry) -> Made | None:
        """The slow parts of the entry; None if they have not been made."""
        return self._made.get(self._key(entry))

    def make(self, entries: Iterable[Entry], seconds: float | None = None) -> Iterator[Entry]:
        """Make what is not ready, for at most ``seconds`` (None: all of it); yields each entry when it is ready."""
        until = None if seconds is None else time.monotonic() + seconds
        for entry in entries:
            if self.ready(entry) is None:
                if until is not None and time.monotonic() > until:
                    return
                self._made[self._key(entry)] = _make(entry, self._proofs)
                yield entry

    def _key(self, entry: Entry) -> tuple[str, str, str, str]:
        return (str(entry.path), entry.stamp, self._proofs, current_language())


@keeping()
def _all_made() -> dict[tuple[str, str, str, str], Made]:
    return {}


def _make(entry: Entry, proofs: str) -> Made:
    found = json.loads(badges_of(entry, proofs))
    return {
        "picture": _picture(entry, entry.name, entry.stamp),
        "proofs": [{name: each[name] for name in ("name", "good", "tick")} for each in found],
    }


@keeping(500)
def _picture(_entry: Entry, name: str, stamp: str) -> dict[str, Any]:
    scenario = _entry.scenario
    assert scenario is not None
    made_from = f"{_code()} {digest_of(scenario)} {scenario.zone}"
    made = kept("picture.json", made_from, lambda: json.dumps(picture(payload(scenario))).encode())
    try:
        return dict(json.loads(made))
    except ValueError:  # another program wrote the file
        return picture(payload(scenario))


@keeping()
def _code() -> str:
    """A digest that changes with the code that draws pictures."""
    digest = hashlib.sha256()
    for folder in ("simulator", "ui/payload", "ui/library"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
