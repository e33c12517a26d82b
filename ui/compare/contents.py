"""What the page shows of two runs: both planes, the moments of one cursor, and every result of both."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.engine.values.versions import VERSIONS
from tidemark.simulator.explore.beliefs import BELIEFS, tour
from tidemark.simulator.explore.runs import (
    BEFORE_ALL,
    Compared,
    Emission,
    Pair,
    Ran,
    compare_runs,
    content,
    run_of,
    together,
)
from tidemark.simulator.explore.smallest import fires, smallest_changes
from tidemark.simulator.explore.upgrades import by_version, upgrades
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.wording import duration, time_format
from tidemark.simulator.words import listed, section, words
from tidemark.ui.catalogue import text_of
from tidemark.ui.catalogue.walkable import shortened
from tidemark.ui.compare.choice import Choice, configured
from tidemark.ui.compare.searches import apart, fewest, is_quick, keeping_all, lost, swept
from tidemark.ui.compare.sides import Places, beats_of, counted, cursor, engines, side
from tidemark.ui.payload.charts.plane import WITHDRAWALS, lasting
from tidemark.ui.payload.drawn import plane_of
from tidemark.ui.payload.times import TimeStyle

# The smallest change of each number that would fire a window earlier, found by search.

Row = dict[str, Any]

MOST_WINDOWS: Final = 40
MOST_STEPS: Final = 3_000
"""Longer runs are not searched, because every value to try takes a run of its own."""


def windows(run: Ran) -> list[Row]:
    """The windows that a change could fire earlier: {key, start, end, by}.

    ``by`` is the last record before the first result of the window, or the last record of all if only the end of input
    or nothing fires the window. Empty for operators other than windows in event time; in order of the windows.
    """
    operator = run.scenario.operator
    if operator.type != "window" or operator.time != "event" or len(run.trace) > MOST_STEPS:
        return []
    first: dict[str, int] = {}
    for fact in run.facts.by_name()["outputs"]:
        if fact["window"] is not None:
            first.setdefault(fact["window"], fact["row"]["item"])
    records = [number for number, item in enumerate(items(run.scenario)) if isinstance(item, Record)]
    found = []
    for row in run.facts.tables["windows"]:
        if row["until_step"] is not None or row["end"] is None or row["status"] == "merged":
            continue
        by = max((item for item in records if item < first.get(row["id"], len(run.trace))), default=None)
        if by is not None:
            found.append({"key": row["key"], "start": row["start"], "end": row["end"], "by": by})
    return sorted(found, key=lambda each: (each["end"], each["start"]))[:MOST_WINDOWS]


def named(run: Ran, number: int) -> str:
    """The name of window ``number`` of this run in the reader's question."""
    return f"{number} {run.scenario.name}"


def fired(run: Ran, asked: str) -> Row | None:
    """{window, changes} of the window that ``asked`` names; None if this run has no such window."""
    for number, window in enumerate(windows(run)):
        if asked and named(run, number).startswith(asked):
            turns = fires(window["key"], window["start"], window["end"], window["by"])
            changes = smallest_changes(run.scenario, turns, window["by"])
            listed = [{"what": each.what, "before": each.before, "after": each.after} for each in changes]
            return {"window": number, "changes": listed}
    return None


# Records that a belief leaves out: on the plane they are seen as dropped, at a step of their own.
#
# The believed run has no such record, so that nothing else can come of it. Without a mark it would only be missing.

Steps = Mapping[int, int]
"""The last step of each moment."""

LOST = "dropped"


def with_lost(plane: Row, truth: Ran, run: Ran, whole: Row) -> tuple[Row, Steps]:
    """The ``plane`` of ``run`` with the records of ``truth`` that it leaves out, and the last step of each moment.

    ``whole``: the plane of ``truth``, which has the places of all records. Every lost record takes a step of its own,
    at which it arrives; later steps move on by one for each.
    """
    lost = [moment for moment in sorted(truth.fates) if moment not in run.fates]
    if not lost or len(plane["parts"]) > 1 or len(whole["parts"]) > 1:
        return plane, run.last_steps
    before = [_last_before(run.last_steps, moment) for moment in lost]
    taken = [place + step + 1 for place, step in enumerate(before)]

    def moved(step: int | None) -> int | None:
        return None if step is None else step + bisect_left(before, step)

    sources = {
        name: [{**row, "from_step": moved(row["from_step"]), "until_step": moved(row["until_step"])} for row in rows]
        for name, rows in plane["sources"].items()
    }
    between = [bisect_right(run.moments, moment) for moment in lost]
    for moment, step, item in zip(lost, taken, between, strict=True):
        # Among the items of the believed run those that are lost in one place share the room before the next item.
        share = (lost.index(moment) - between.index(item) + 1) / (between.count(item) + 1)
        own = _lost_rows(whole, truth, moment, step, item - 1 + share)
        sources["now"] = (
            [part for row in sources["now"] for part in _around(row, step)] if own["now"] else sources["now"]
        )
        for name, rows in own.items():
            sources[name] = sorted([*sources[name], *rows], key=lambda row: row["from_step"])
    shares_arrivals = plane["arrival_axis"] == "at"
    signals = {
        **plane["parts"][0]["signals"],
        **{name: value for name, value in whole["parts"][0]["signals"].items() if shares_arrivals or name[0] == "x"},
    }
    steps = {moment: step + bisect_left(before, step) for moment, step in run.last_steps.items()}
    steps |= dict(zip(lost, taken, strict=True))
    return {
        **plane,
        "sources": sources,
        "parts": [{**plane["parts"][0], "signals": signals}],
        "signals": {**plane["signals"], **signals},
        "steps": plane["steps"] + len(lost),
    }, steps


def _last_before(last_steps: Steps, moment: int) -> int:
    """The last step before ``moment``."""
    return max((step for each, step in last_steps.items() if each < moment), default=BEFORE_ALL)


def _lost_rows(whole: Row, truth: Ran, moment: int, step: int, among: float) -> dict[str, list[Row]]:
    """The record of ``moment`` as it lies in the true run: ahead until ``step``, which says when it is now, then lost.

    ``among``: its place on an arrival axis that counts items.
    """
    number = truth.moments.index(moment)
    id = next(row["id"] for row in truth.facts.tables["records"] if row["item"] == number)
    by_item = whole["arrival_axis"] == "item"
    place: Row = {"y": among} if by_item else {}
    sources = whole["sources"]
    place["id"] = f"{id} lost"  # the believed run counts its items anew
    ahead = [row | lasting(0, step) | place for row in sources["ahead"] if row["id"] == id]
    record: Row = next(row for row in sources["records"] if row["id"] == id)
    here = truth.last_steps[moment]
    now = [] if by_item else [row | lasting(step, step + 1) for row in sources["now"] if _holds(row, here)]
    return {
        "ahead": ahead,
        "records": [record | lasting(step, fate=LOST, rank=2, text=record["full"]) | place],
        "now": now,
    }


def _holds(row: Row, step: int) -> bool:
    return row["from_step"] <= step and (row["until_step"] is None or step < row["until_step"])


def _around(row: Row, step: int) -> list[Row]:
    """What is left of a row's life without ``step``."""
    if not _holds(row, step):
        return [row]
    parts = [row | {"until_step": step}, row | {"from_step": step + 1}]
    return [part for part in parts if part["until_step"] is None or part["from_step"] < part["until_step"]]


class NotSaid(Exception):
    """The belief does not apply to the scenario."""


def contents(choice: Choice, left: Scenario, right: Scenario, asked: Mapping[str, str]) -> dict[str, Any]:
    """Everything except the specification of the chart. ``right`` is ignored if side B is a belief.

    ``asked``: the searches that the reader wants: ``sweep`` (a setting), ``smallest`` (of lost records, whatever its
    value), ``fewest`` (what must still be shown), ``fires`` (a window by its number, and the scenario) and ``stream``
    (on which the sides differ, whatever its value).

    Raises ``ChoiceError`` for settings that a scenario does not have, ``NotSaid`` for a belief that does not apply,
    ``NoTwin`` if Spark has no such scenario, and ``ScenarioError`` as a run does.
    """
    truth = run_of(shortened(configured(left, choice.settings.get("a", {}))))
    style = TimeStyle(time_format(truth.scenario))
    own = plane_of(truth.facts)
    if choice.spark is not None:
        both = engines(truth, choice.spark, style, own)  # there may be none, and then nothing is searched
        return _side_a(choice, truth, style, asked, truth.scenario) | both
    if choice.belief is not None:
        runs, compared = _believed(truth, choice.belief)
    else:
        beside = by_version(right, choice.flink or right.flink)
        runs = (run_of(shortened(configured(beside, choice.settings.get("b", {})))),)
        compared = compare_runs(truth.outcome, runs[0].outcome)
    other = runs[0].outcome if len(runs) == 1 else together(runs)
    picture = runs[0] if len(runs) == 1 else None
    rows = [row for pair in compared.pairs for row in _rows(pair, Places(style, compared.in_instants))]
    turned = truth.scenario if choice.belief else runs[0].scenario
    steps = other.last_steps
    plane = plane_of(picture.facts) if picture else None
    if picture and plane and choice.belief:
        plane, steps = with_lost(plane, truth, picture, own)
    return _side_a(choice, truth, style, asked, turned) | {
        "belief_words": section(f"beliefs.{choice.belief}") if choice.belief else None,
        "versions": _versions(truth.scenario, turned),
        "sides": [
            side("A", truth, own),
            side("B", picture, plane, settings=choice.belief is None)
            if picture and plane
            else {"label": "B", "plane": None, "settings": [], "brief": []},
        ],
        "cursor": cursor(truth, steps),
        "rows": rows,
        "parting": compared.parting.moment if compared.parting else None,
        **counted(rows),
    }


def _side_a(choice: Choice, truth: Ran, style: TimeStyle, asked: Mapping[str, str], turned: Scenario) -> Row:
    """Side A, the choices and the searches. ``turned``: the scenario to sweep, side B's if its numbers can be set, so
    that the dot of B lies on the results of B."""
    return {
        "words": section("compare"),
        "name": truth.scenario.name,
        "title": text_of(truth.scenario.title) or truth.scenario.name,
        "about": _about(choice, truth),
        "style": style.as_json(),
        "beats": [] if "a" in choice.settings else beats_of(truth.scenario),
        "belief": choice.belief,
        "belief_words": None,
        "flink": choice.flink,
        "versions_on_offer": [each for each in reversed(VERSIONS) if each != truth.scenario.flink],
        "versions": None,
        "beliefs": [{"name": each.name, "claim": words(f"beliefs.{each.name}.claim")} for each in BELIEFS],
        "address": choice.address(),
        "open": choice.open,
        "fixed": "a" not in choice.settings,
        "open_other": choice.open_other,
        "spark": choice.spark,
        "smallest": {"lost": lost(truth), "keeping_all": keeping_all(truth)} if "smallest" in asked else None,
        "windows": windows(truth),
        "fires": fired(truth, asked["fires"]) if "fires" in asked else None,
        "sweep": swept(turned, asked["sweep"], beside=truth.scenario) if "sweep" in asked else None,
        "quick": is_quick(turned),
        "fewest": fewest(truth.scenario, asked["fewest"]) if "fewest" in asked else None,
        "difference": apart(choice, truth.scenario, turned) if "stream" in asked else None,
    }


def _believed(truth: Ran, name: str) -> tuple[tuple[Ran, ...], Compared]:
    belief = next(each for each in BELIEFS if each.name == name)
    found = tour(truth, belief)
    if found is None:
        raise NotSaid(name)
    return found.runs, found.compared


def _about(choice: Choice, truth: Ran) -> str:
    kinds = {"spark": choice.spark, "belief": choice.belief, "scenarios": choice.open_other, "version": choice.flink}
    kind = next((name for name, chosen in kinds.items() if chosen), "settings")
    if len(truth.fates) == 1 and kind != "scenarios":
        kind += "_one"
    return words(f"compare.about.{kind}", records=len(truth.fates), a=truth.scenario.flink, b=choice.flink)


def _versions(left: Scenario, right: Scenario) -> Row | None:
    """{names, rules: [{rule, ticket, text, rows}]}: the versions of both sides, and what can show between them; None if
    the sides have the same."""
    if left.flink == right.flink:
        return None
    rules = [
        {"rule": each.rule, "ticket": each.ticket, "text": each.text, "rows": each.rows}
        for each in upgrades(right, left.flink)
    ]
    return {"names": [left.flink, right.flink], "rules": rules}


def _rows(pair: Pair, places: Places) -> list[Row]:
    """A row for each firing: the results of both sides, and the difference in words."""
    about = (pair.left or pair.right)[0].row
    place = places.of(about)
    rows = []
    for firing in range(max(len(pair.left), len(pair.right))):
        left = pair.left[firing] if firing < len(pair.left) else None
        right = pair.right[firing] if firing < len(pair.right) else None
        text, kind = _difference(pair, left, right)
        rows.append({
            "key": about["key"], "place": place, "firing": firing, "text": text, "kind": kind,
            "left": _given(left), "right": _given(right),
        })  # fmt: skip
    return rows


def _given(given: Emission | None) -> Row | None:
    if given is None:
        return None
    row = given.row
    value = row["value"] if "value" in row else [row["left"], row["right"]]
    at_end = row["watermark"] is not None and row["watermark"] >= MAX
    return {
        "value": value, "timing": row.get("timing", ""), "at": row["at"], "item": row["item"], "moment": given.moment,
        "end": at_end, "withdrawn": row.get("change") in WITHDRAWALS,
    }  # fmt: skip


def _difference(pair: Pair, left: Emission | None, right: Emission | None) -> tuple[str, str]:
    """What differs: in words, and as a kind (``same``, ``left``, ``right``, ``value`` or ``time``)."""
    if left is None or right is None:
        side = "left" if right is None else "right"
        update = "update" if (pair.left and pair.right) else "only"
        if WITHDRAWALS & {each.row.get("change") for each in (left, right) if each}:
            update = "withdrawn"
        return words(f"compare.differs.{update}_{side}"), side
    by = right.row["at"] - left.row["at"]
    same = content(left.row) == content(right.row)
    parts = []
    if by:
        parts.append(words(f"compare.differs.{'earlier' if by > 0 else 'later'}", by=duration(abs(by))))
    elif left.moment != right.moment:
        parts.append(words(f"compare.differs.{'before' if left.moment < right.moment else 'after'}"))
    if same:
        return (words("compare.differs.same_value", how=parts[0]), "time") if parts else (
            words("compare.differs.same"), "same")  # fmt: skip
    return listed([*parts, words("compare.differs.value")]), "value"


def choices(entries: Sequence[Any]) -> list[dict[str, str]]:
    """The runnable scenarios of Flink's engine, for the lists."""
    return [{"name": e.name, "title": e.title} for e in entries if e.scenario and e.scenario.engine == "flink"]
