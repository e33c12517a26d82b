"""Laws that hold at every step of every run, each with its numbers, so that a reader can see that nothing is lost.

They are read from the facts of a whole run and compare different tables: a table that disagreed with the others would
break one. ``laws_of`` returns a row for each law and stretch of steps in which its numbers stay the same.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tidemark.simulator.engine.trace.events import Restored
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.timeline.facts import Row, Timeline
from tidemark.simulator.timeline.schema import LawFact, LawName

ALL_COME: Final[LawName] = "all_come"
"""Every record that arrived is accounted for: on time, late, dropped, at the side, skipped, filtered, or in process.

``waiting`` are those among them that are in no result yet and wait for one, in a window or in a queue.
"""

ALL_LOST: Final[LawName] = "all_lost"
"""Every lost record has its row in the output."""

FORWARD: Final[LawName] = "forward"
"""The watermark never goes back; after a restore it starts again."""

LOWEST: Final[LawName] = "lowest"
"""The watermark is at or below that of every channel that counts. Of two inputs, an idle one may return below it."""

ALL_SORTED: Final[LawName] = "all_sorted"
"""In an event sort, every accepted record is in the queue or has been emitted."""

FATES: Final = ("on-time", "late-accepted", "dropped", "side", "skipped", "arrived")
LOST_ROWS: Final = {"dropped": "dropped", "late": "side"}

Numbers = dict[str, int | None]


def laws_of(timeline: Timeline) -> list[LawFact]:
    """{id, law, holds, numbers, from_step, until_step}, in the order of ``from_step``."""
    laws = _laws(timeline)
    rows: list[LawFact] = []
    current: dict[LawName, LawFact] = {}
    for step, tally, touched in _moments(timeline, sorted({table for _, tables in laws.values() for table in tables})):
        for law, (judge, tables) in laws.items():
            if touched.isdisjoint(tables):
                continue
            numbers, holds = judge(tally)
            before = current.get(law)
            if before is not None:
                if before["numbers"] == numbers and before["holds"] == holds:
                    continue
                before["until_step"] = step
            current[law] = {
                "id": f"law:{law}",
                "law": law,
                "holds": holds,
                "numbers": numbers,
                "from_step": step,
                "until_step": None,
            }
            rows.append(current[law])
    return rows


class Tally:
    """Totals over the facts that are true now, updated as facts begin and end."""

    def __init__(self, *, filters: bool) -> None:
        self.filters = filters
        self.fates: Counter[str] = Counter()
        self.rows: Counter[str] = Counter()
        self.came = 0
        self.queued = 0
        self.watermark: int | None = None
        self.before: int | None = None
        self.channels: dict[str, Row] = {}
        self.waiting = Waiting()

    def begin(self, table: str, row: Row) -> None:
        """``row`` is true from now on."""
        match table:
            case "records":
                self.fates[row["fate"]] += 1
            case "outputs":
                self.rows[row["row"]["row"]] += 1
            case "queue":
                self.queued += 1
            case "contents":
                self.waiting.enter(row["item"], row["holder"])
            case "windows":
                self.waiting.fire(row)
            case "counters":
                self.came = row["records"]
            case "channels":
                self.channels[row["id"]] = row
            case "watermark":
                self.before, self.watermark = self.watermark, row["value"]
            case _:
                pass

    def end(self, table: str, row: Row) -> None:
        """``row`` is no longer true."""
        match table:
            case "records":
                self.fates[row["fate"]] -= 1
            case "outputs":
                self.rows[row["row"]["row"]] -= 1
            case "queue":
                self.queued -= 1
            case "contents":
                self.waiting.leave(row["item"], row["holder"])
            case _:
                pass


class Waiting:
    """The records in windows of which none has fired with them in it; ``len`` is how many.

    A record in several windows waits for the first of them. One that leaves its windows without a result, evicted or
    purged, no longer waits.
    """

    def __init__(self) -> None:
        self._inside: dict[str, set[int]] = {}
        self._held: Counter[int] = Counter()
        self._shown: dict[str, set[int]] = {}
        self._results: Counter[int] = Counter()
        self._waiting: set[int] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    def enter(self, item: int, holder: str) -> None:
        """A record is in the window whose contents ``holder`` names."""
        self._inside.setdefault(holder, set()).add(item)
        self._held[item] += 1
        self._judge(item)

    def leave(self, item: int, holder: str) -> None:
        """It is no longer."""
        self._inside[holder].discard(item)
        self._held[item] -= 1
        self._judge(item)

    def fire(self, window: Row) -> None:
        """A window as it is now; after a restore it may have fired less often."""
        shown = self._shown.setdefault(window["id"], set())
        now = shown | self._inside.get(window["holder"], set()) if window["firings"] else set()
        for item in now - shown:
            self._results[item] += 1
        for item in shown - now:
            self._results[item] -= 1
        self._shown[window["id"]] = now
        for item in now ^ shown:
            self._judge(item)

    def _judge(self, item: int) -> None:
        if self._held[item] and not self._results[item]:
            self._waiting.add(item)
        else:
            self._waiting.discard(item)


Judge = Callable[[Tally], tuple[Numbers, bool]]


def _moments(timeline: Timeline, tables: Sequence[str]) -> Iterator[tuple[int, Tally, set[str]]]:
    """Each step at which facts of the ``tables`` begin or end, with the tally and the tables that changed.

    A restore takes two steps, state first and rows after it. Between them the laws are not judged.
    """
    facts = timeline.by_name()
    begun: dict[int, list[tuple[str, Row]]] = {}
    ended: dict[int, list[tuple[str, Row]]] = {}
    for table in tables:
        for row in facts[table]:
            begun.setdefault(row["from_step"], []).append((table, row))
            if row["until_step"] is not None:
                ended.setdefault(row["until_step"], []).append((table, row))
    halfway = {row["step"] for row in timeline.tables["steps"] if row["event"] == Restored.__name__}
    after = {step + 1 for step in halfway if step + 1 < timeline.number_of_steps}
    filters = any(each.where is not None for each in timeline.scenario.inputs)
    tally, touched = Tally(filters=filters), set[str]()
    for step in sorted(begun.keys() | ended.keys() | after):
        for table, row in ended.get(step, ()):
            tally.end(table, row)
            touched.add(table)
        for table, row in begun.get(step, ()):
            tally.begin(table, row)
            touched.add(table)
        if step not in halfway:
            yield step, tally, touched
            touched = set()


def _laws(timeline: Timeline) -> dict[LawName, tuple[Judge, tuple[str, ...]]]:
    """The laws of the run by name, each with the tables that its numbers come from."""
    laws: dict[LawName, tuple[Judge, tuple[str, ...]]] = {
        ALL_COME: (_all_come, ("records", "counters", "contents", "windows", "queue")),
        ALL_LOST: (_all_lost, ("records", "outputs")),
        FORWARD: (_forward, ("watermark",)),
    }
    if timeline.scenario.engine == "spark":
        del laws[ALL_LOST]  # a micro-batch filters a record window by window
        return laws
    if timeline.scenario.operator.drops_by_window:
        del laws[ALL_LOST]  # a row for each window that drops the record
    if len(timeline.scenario.inputs) == 1 and not _goes_on_after_restore(timeline):
        laws[LOWEST] = (_lowest, ("watermark", "channels"))
    if timeline.scenario.operator.sorts:
        laws[ALL_SORTED] = (_all_sorted, ("records", "queue", "outputs"))
    return laws


def _goes_on_after_restore(timeline: Timeline) -> bool:
    """Whether a restore brings the watermark back, while its inputs start anew below it."""
    steps = timeline.tables["steps"]
    return timeline.scenario.operator.is_table_function and any(row["event"] == Restored.__name__ for row in steps)


def _all_come(tally: Tally) -> tuple[Numbers, bool]:
    fates = {fate: tally.fates[fate] for fate in FATES}
    if tally.filters:
        fates["filtered"] = tally.fates["filtered"]
    numbers: Numbers = {"came": tally.came, **fates, "waiting": len(tally.waiting) + tally.queued}
    return numbers, tally.came == sum(fates.values())


def _all_lost(tally: Tally) -> tuple[Numbers, bool]:
    lost = {fate: tally.fates[fate] for fate in LOST_ROWS.values()}
    rows = {fate: tally.rows[row] for row, fate in LOST_ROWS.items()}
    return {"lost": sum(lost.values()), "rows": sum(rows.values())}, lost == rows


def _forward(tally: Tally) -> tuple[Numbers, bool]:
    before, now = tally.before, tally.watermark
    return {"before": before, "now": now}, before is None or now is None or before <= now


def _lowest(tally: Tally) -> tuple[Numbers, bool]:
    aligned = (row["watermark"] for row in tally.channels.values() if row["aligned"])
    counting = [MIN if watermark is None else watermark for watermark in aligned]
    lowest = min(counting, default=None)
    now = tally.watermark
    holds = now is None or lowest is None or now <= lowest
    return {"now": now, "lowest": None if lowest == MIN else lowest, "channels": len(counting)}, holds


def _all_sorted(tally: Tally) -> tuple[Numbers, bool]:
    taken, queued, out = tally.fates["on-time"], tally.queued, tally.rows["emitted"]
    return {"taken": taken, "queued": queued, "out": out}, taken == queued + out
