"""One window through the run: its timers, trigger state and life, swept by step, show what it waits for and when.

Which timer or record fires a window is its trigger's own knowledge (``simulator.engine.triggers.base``); here it is put
beside the timers and states that the window has at each step.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.timers import EVENT
from tidemark.simulator.engine.triggers.base import RECORD, Timer, TriggerFacts
from tidemark.simulator.engine.values.window import GLOBAL_WINDOW, TimeWindow, cleanup_time
from tidemark.simulator.timeline.conditions.buffered import Awaited
from tidemark.simulator.timeline.conditions.time import RunTime
from tidemark.simulator.timeline.due import DUE, PAST, WAITING
from tidemark.simulator.timeline.facts import Row

Change = tuple[int, int, str, Any]
"""(step, 0 for what ends and 1 for what begins then, what, its contents)."""

ENDS, BEGINS = 0, 1

RANK: Final = {"watermark": 0, "clock": 1, RECORD: 3}
"""The order of a window's ways; what a trigger has of its own (a count, for example) comes before any record."""

OWN_RANK: Final = 2


class Way(NamedTuple):
    """One way to fire, or why there is none. The fields are columns of the table ``conditions``."""

    kind: str
    reason: str = ""
    needs: Any = None
    has: Any = None
    phase: str = ""


class Subject:
    """A window of a key. It is given everything that happened first; ``conditions`` then sweeps over it.

    ``lateness`` in ms, None where no record can be late for a window. ``ends_by``: ``watermark`` or ``clock`` for a
    window that fires at its end even if its timer is not set yet (a later window of a slice); None where timers decide.
    ``window_class``: that of windows in the session time zone.
    """

    def __init__(
        self,
        row: Row,
        trigger: TriggerFacts,
        time: RunTime,
        lateness: int | None,
        *,
        ends_by: str | None = None,
        window_class: type[TimeWindow] = TimeWindow,
    ) -> None:
        self._id: str = row["id"]
        window = GLOBAL_WINDOW if row["start"] is None else window_class(row["start"], row["end"])
        self._max_timestamp = window.max_timestamp
        self._trigger = trigger
        self._ends_by = ends_by
        self._buffers = False
        self._awaited: Awaited | None = None
        self._changes: list[Change] = []
        self._row: Row | None = None
        self._status: str | None = None
        self._since = self._gone = -1
        self._timers: dict[tuple[str, int], str] = {}
        self._states: dict[str, Any] = {}
        self._flags = dict.fromkeys(("ended", "closed", "asked", "outstanding", "firing", "joined"), False)
        # After a restore the watermark is behind it again: a record is accepted, and the window begins again.
        self._accepts_again = lateness is not None
        self._flag("ended", time.reached(self._max_timestamp))
        if lateness is not None:
            self._flag("closed", time.reached(cleanup_time(self._max_timestamp, lateness)))

    def shows(self, row: Row) -> None:
        """A fact of the window itself."""
        self._during("row", row["from_step"], row["until_step"], row)

    def has_timer(self, row: Row) -> None:
        """A fact of one of its timers."""
        name = row["domain"], row["timestamp"]
        # A timer's status says when it is due; a restore has put it back to waiting there. A processing-time timer
        # of the past is due for its window: the clock need not move again for it to fire.
        phase = DUE if row["domain"] != EVENT and row["status"] == PAST else row["status"]
        self._changes.append((row["from_step"], BEGINS, "timer", (name, phase)))
        if row["until_step"] is not None:
            self._changes.append((row["until_step"], ENDS, "timer", (name, None)))

    def awaits(self, changes: Iterable[tuple[int, Awaited | None]]) -> None:
        """What it waits for from a step on, where rows wait in a buffer: its timers alone do not say that."""
        self._buffers = True
        self._changes += [(step, BEGINS, "awaited", awaited) for step, awaited in changes]

    def has_state(self, row: Row) -> None:
        """A fact of its trigger's state."""
        self._changes.append((row["from_step"], BEGINS, "state", (row["state"], row["value"])))
        if row["until_step"] is not None:
            self._changes.append((row["until_step"], ENDS, "state", (row["state"], None)))

    def asked(self, step: int) -> None:
        """Its trigger answered at ``step``."""
        self._changes.append((step, BEGINS, "asked", True))

    def outstanding(self, fired: int, asked: int) -> None:
        """A timer of it fired at step ``fired``; its trigger answers at step ``asked``."""
        self._flag("outstanding", [(fired, asked)])

    def joined(self, added: int, asked: int) -> None:
        """A record is in it since step ``added``; its trigger is asked about that record at step ``asked``."""
        self._flag("joined", [(added, asked)])

    def firing(self, answered: int, given: int) -> None:
        """Its trigger said fire at step ``answered``; the first row that comes of it is at step ``given``."""
        self._flag("firing", [(answered, given)])

    def conditions(self) -> list[Row]:
        """The rows of the table."""
        rows: list[Row] = []
        true: dict[str, tuple[int, Row]] = {}
        ordered = sorted(self._changes, key=lambda change: change[:2])
        for step, changes in groupby(ordered, key=lambda change: change[0]):
            for _, _, what, contents in changes:
                self._apply(step, what, contents)
            wanted = {row["id"]: row for row in self._now()}
            for id, (begun, row) in list(true.items()):
                if wanted.get(id) != row:
                    rows.append(row | {"from_step": begun, "until_step": step})
                    del true[id]
            for id, row in wanted.items():
                true.setdefault(id, (step, row))
        return rows + [row | {"from_step": begun, "until_step": None} for begun, row in true.values()]

    def _flag(self, name: str, spans: Iterable[tuple[int, int | None]]) -> None:
        for start, until in spans:
            self._changes.append((start, BEGINS, name, True))
            if until is not None:
                self._changes.append((until, ENDS, name, False))

    def _during(self, what: str, start: int, until: int | None, contents: Any) -> None:
        self._changes.append((start, BEGINS, what, contents))
        if until is not None:
            self._changes.append((until, ENDS, what, None))

    def _apply(self, step: int, what: str, contents: Any) -> None:
        match what:
            case "row":
                self._show(step, contents)
            case "timer":
                name, phase = contents
                if phase is None:
                    self._timers.pop(name, None)
                else:
                    self._timers[name] = phase
            case "awaited":
                self._awaited = contents
            case "state":
                name, value = contents
                if value is None:
                    self._states.pop(name, None)
                else:
                    self._states[name] = value
            case flag:
                self._flags[flag] = contents

    def _show(self, step: int, row: Row | None) -> None:
        """``since`` is the step at which the window came into its status."""
        if row is None:
            self._gone = step
        elif self._row is None and self._gone != step:
            self._status = None
        if row is not None and row["status"] != self._status:
            self._status, self._since = row["status"], step
            self._flags["asked"] = False
        self._row = row

    def _now(self) -> Iterator[Row]:
        """What is true now, without its life."""
        if self._row is None:
            return
        ways = list(self._ways(self._row))
        for order, way in enumerate(ways):
            by_time = way.kind in ("watermark", "clock")
            suffix = f"|{way.kind}|{way.needs}" if by_time else f"|{way.kind}"
            yield {
                "id": f"condition:{self._id}{suffix}",
                "of": self._id,
                "kind": way.kind,
                "reason": way.reason,
                "needs": way.needs,
                "has": way.has,
                "phase": way.phase,
                "order": order,
            }

    def _ways(self, row: Row) -> Iterator[Way]:
        """What fires the window as things are, or one row that says why nothing does."""
        status, flags = row["status"], self._flags
        if status == "cleared":
            yield Way("cleared", "", row["kept_until"], self._since)
            if self._accepts_again:
                yield from self._by_record()
        elif status == "merged":
            yield Way("merged", "", row["merged_into"], self._since)
        elif flags["outstanding"]:
            yield Way("asking", "timer")
        elif flags["firing"]:
            yield Way("asking", "row")
        else:
            found = sorted([*self._by_timer(), *self._by_record()], key=_rank)
            yield from found
            if not found:
                yield self._none()

    def _by_timer(self) -> Iterator[Way]:
        if self._buffers:
            if self._awaited is not None:
                yield Way("watermark", self._awaited.reason, self._awaited.needs, phase=self._awaited.phase)
            return
        if self._ends_by is not None and not self._timers and not self._flags["closed"]:
            needs = self._max_timestamp + (self._ends_by == "clock")
            yield Way(self._ends_by, "end", needs, phase=WAITING)
        for (domain, timestamp), phase in self._timers.items():
            reason = self._trigger.fires_by_timer(Timer(domain == EVENT, timestamp, self._max_timestamp), self._states)
            if reason is not None and domain == EVENT:
                yield Way("watermark", reason, timestamp, phase=phase)
            elif reason is not None:
                yield Way("clock", reason, timestamp + 1, phase=phase)

    def _by_record(self) -> Iterator[Way]:
        way = self._trigger.fires_by_record(self._states, ended=self._flags["ended"])
        if way is not None and not self._flags["closed"]:
            joined = way.kind == RECORD and self._flags["joined"]
            yield Way(*way)._replace(phase=DUE) if joined else Way(*way)

    def _none(self) -> Way:
        """Neither a timer nor a record fires it as things are."""
        if self._buffers and self._row is not None and self._row["status"] != "fired":
            return Way("never", "stranded")
        if self._flags["closed"]:
            return Way("never", "closed")
        if not self._trigger.sets_timer_again(self._states):
            return Way("never", "trigger" if not self._states else "over")
        return Way("restart") if self._flags["asked"] else Way("asking", "record")


def _rank(way: Way) -> tuple[int, int]:
    """By kind, and of several timers the next one first."""
    return RANK.get(way.kind, OWN_RANK), way.needs if way.kind in ("watermark", "clock") else 0
