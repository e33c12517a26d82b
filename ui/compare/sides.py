"""One side of a comparison, and the cursor that both share."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.explore.settings import IDLE, Setting, lengths_of, settings_of, shapes_of, values_of
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import current_language, listed, words
from tidemark.ui.payload import contents as payload
from tidemark.ui.payload.brief import brief
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.server.cache import keeping

# What tells one scenario from another by its content, for what is kept from one comparison to the next.


def content_key(scenario: Scenario) -> str:
    """Equal for equal scenarios from files of one name; it tells 1 from 1.0, as results do."""
    return sha256(repr(scenario).encode()).hexdigest()


Row = dict[str, Any]


def beats_of(scenario: Scenario) -> list[Row]:
    """What the author of ``scenario`` says and asks; ``because``: the answer, for nothing is hidden here."""
    return _beats(scenario, content_key(scenario), current_language())


@keeping(8)
def _beats(_scenario: Scenario, key: str, language: str) -> list[Row]:
    return [{name: beat[name] for name in ("step", "text", "because")} for beat in payload.beats_of(_scenario)]


def side(label: str, run: Ran, plane: Row, settings: bool = True) -> Row:
    """What a side shows of its run, with its picture. ``settings``: whether the reader can change its numbers."""
    return {
        "label": label,
        "plane": plane,
        "brief": brief(run.scenario),
        "settings": _settings(run.scenario) if settings else [],
    }


def _settings(scenario: Scenario) -> list[Row]:
    """The numbers (ms) of a side with values to choose from; ``sweeps``: whether a sweep goes over it."""
    swept = [(each, values_of(scenario, each), True) for each in settings_of(scenario)]
    shapes = [(each, lengths_of(scenario, each), False) for each in shapes_of(scenario)]
    return [
        {
            "name": each.name,
            "value": each.read(scenario),
            "choices": [{"value": value, "text": _said(each, value)} for value in values],
            "sweeps": sweeps,
        }
        for each, values, sweeps in (*swept, *shapes)
    ]


def _said(setting: Setting, value: int) -> str:
    return words("compare.never") if setting is IDLE and not value else duration(value)


def cursor(truth: Ran, others: Mapping[int, int]) -> list[Row]:
    """The moments of both runs, each with the step that either side shows and with its place in run A."""
    moments = sorted({*truth.last_steps, *others})
    left, right, rows = 0, 0, []
    for moment in moments:
        left, right = truth.last_steps.get(moment, left), others.get(moment, right)
        step = truth.trace.steps[left]
        rows.append(
            {"moment": moment, "steps": [left, right], "at": step.at, "item": step.item, "record": (moment + 2) // 2}
        )
    return rows


# How many results differ. Each line of the table is one result: one firing of a window, or one pair.
#
# A result differs if only one side has it, if its values differ, or if the sides emit it at different times.

PARTS: Final = ("value", "earlier", "later", "left", "right")
"""A result that differs counts as the first of these that applies."""


def counted(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """{differing, total, headline, summary} of the table's lines; the texts describe the whole run."""
    parts = Counter(_part(row) for row in rows if row["kind"] != "same")
    differing = parts.total()
    if not differing:
        return {"differing": 0, "total": len(rows), "headline": "", "summary": words("compare.summary.none")}
    found = listed([words(f"compare.summary.{part}", count=parts[part]) for part in PARTS if parts[part]])
    numbers: dict[str, Any] = {"count": differing, "total": len(rows)}
    return {
        "differing": differing,
        "total": len(rows),
        "headline": words("compare.summary.headline", **numbers),
        "summary": words("compare.summary.some", parts=found, **numbers),
    }


def _part(row: Mapping[str, Any]) -> str:
    if row["kind"] != "time":
        return str(row["kind"])
    left, right = ((row[side]["at"], row[side]["moment"]) for side in ("left", "right"))
    return "earlier" if left < right else "later"


@dataclass(frozen=True, slots=True)
class Places:
    """Times in ``style``, that of side A. ``in_instants``: windows lie between instants, whatever their zones."""

    style: TimeStyle
    in_instants: bool = False

    def of(self, row: Mapping[str, Any]) -> str:
        """``[0, 5)``, of a ranked row with its rank; ``2.5 s`` of a record, ``2.5 s + 3.0 s`` of a pair."""
        match row["row"]:
            case "joined":
                left, right = (row[side] for side in ("left", "right"))
                return self.pair(left and left["ts"], right and right["ts"])
            case "emitted":
                return self.style.format.record(row["ts"])
            case "ranked":
                window = self.window(row["start"], row["end"])
                return words("compare.ranked", window=window, rank=row["rank"])
            case _:
                return self.window(row["start"], row["end"])

    def pair(self, left: int | None, right: int | None) -> str:
        """The timestamps (ms) of both records; None where an outer join found no partner."""
        return " + ".join("–" if ts is None else self.style.format.record(ts) for ts in (left, right))

    def window(self, start: int | None, end: int | None) -> str:
        """The bounds (ms) of a window."""
        if self.in_instants and start is not None and end is not None:
            return f"[{self.style.format.instant(start)}, {self.style.format.instant(end)})"
        return self.style.window(start, end)
