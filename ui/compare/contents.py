"""What the page shows of two runs: both planes, the moments of one cursor, and every result of both."""

from collections.abc import Mapping, Sequence
from typing import Any

from tidemark.simulator.explore.beliefs import BELIEFS, tour
from tidemark.simulator.explore.comparing import Compared, Pair, compare_runs, content
from tidemark.simulator.explore.runs import Emission, Ran, run_of, together
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.format import duration, time_format
from tidemark.simulator.values.time import MAX
from tidemark.simulator.words import listed, section, words
from tidemark.ui.catalogue import text_of
from tidemark.ui.compare.asked import fewest, is_quick, keeping_all, lost, swept
from tidemark.ui.compare.believed_lost import with_lost
from tidemark.ui.compare.choice import Choice, configured
from tidemark.ui.compare.counted import counted
from tidemark.ui.compare.engines import engines
from tidemark.ui.compare.firing import fired, windows
from tidemark.ui.compare.places import Places
from tidemark.ui.compare.sides import beats_of, cursor, side
from tidemark.ui.payload.drawn import plane_of
from tidemark.ui.times import TimeStyle
from tidemark.ui.walkable import shortened

Row = dict[str, Any]


class NotSaid(Exception):
    """The belief does not apply to the scenario."""


def contents(choice: Choice, left: Scenario, right: Scenario, asked: Mapping[str, str]) -> dict[str, Any]:
    """Everything except the specification of the chart. ``right`` is ignored if side B is a belief.

    ``asked``: the searches that the reader wants: ``sweep`` (a setting), ``smallest`` (of lost records, whatever its
    value), ``fewest`` (what must still be shown) and ``fires`` (a window by its number, and the scenario).

    Raises ``ChoiceError`` for settings that a scenario does not have, ``NotSaid`` for a belief that does not apply,
    ``NoTwin`` if Spark has no such scenario, and ``ScenarioError`` as a run does.
    """
    truth = run_of(shortened(configured(left, choice.settings.get("a", {}))))
    style = TimeStyle(time_format(truth.scenario))
    own = plane_of(truth.facts)
    if choice.spark is not None:
        return _side_a(choice, truth, style, asked, truth.scenario) | engines(truth, choice.spark, style, own)
    if choice.belief is not None:
        runs, compared = _believed(truth, choice.belief)
    else:
        runs = (run_of(shortened(configured(right, choice.settings.get("b", {})))),)
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
    """Side A and the choices, which do not depend on side B. ``turned``: the scenario to sweep, side B's if its
    numbers can be set, so that the dot of B lies on the results of B."""
    return {
        "words": section("compare"),
        "name": truth.scenario.name,
        "title": text_of(truth.scenario.title) or truth.scenario.name,
        "about": _about(choice, truth),
        "style": style.as_json(),
        "beats": [] if "a" in choice.settings else beats_of(truth.scenario),
        "belief": choice.belief,
        "belief_words": None,
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
    }


def _believed(truth: Ran, name: str) -> tuple[tuple[Ran, ...], Compared]:
    belief = next(each for each in BELIEFS if each.name == name)
    found = tour(truth, belief)
    if found is None:
        raise NotSaid(name)
    return found.runs, found.compared


def _about(choice: Choice, truth: Ran) -> str:
    kind = "spark" if choice.spark else "belief" if choice.belief else "scenarios" if choice.open_other else "settings"
    return words(f"compare.about.{kind}", records=len(truth.fates))


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
        "end": at_end,
    }  # fmt: skip


def _difference(pair: Pair, left: Emission | None, right: Emission | None) -> tuple[str, str]:
    """What differs: in words, and as a kind (``same``, ``left``, ``right``, ``value`` or ``time``)."""
    if left is None or right is None:
        side = "left" if right is None else "right"
        update = "update" if (pair.left and pair.right) else "only"
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
