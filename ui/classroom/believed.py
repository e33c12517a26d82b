"""A belief run beside the truth, for a class of which many hold it: where the two part, and what comes of it."""

from typing import Any, Final

from tidemark.simulator.explore.beliefs import BELIEFS, tour
from tidemark.simulator.explore.comparing import FATE, Parting
from tidemark.simulator.explore.runs import Outcome, Ran, run_of, together
from tidemark.simulator.limits import BELIEVED_STEPS
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.format import time_format
from tidemark.simulator.values.errors import ScenarioError
from tidemark.simulator.words import listed, words
from tidemark.ui.times import TimeStyle
from tidemark.ui.walkable import walked

LOST: Final = ("dropped", "side", "skipped")


def beside(scenario: Scenario, belief: str) -> dict[str, Any]:
    """{claim, truth, rows}: what is believed, what is so, and what both give on this stream, as ``rows`` of
    [of what, as believed, in fact]; no rows where the belief cannot be run or makes no difference.
    """
    said = {part: words(f"beliefs.{belief}.{part}") for part in ("claim", "truth")}
    return {"name": belief, **said, "rows": _rows(scenario, belief)}


def _rows(scenario: Scenario, belief: str) -> list[list[str]]:
    held = next((each for each in BELIEFS if each.name == belief), None)
    if held is None or scenario.engine == "spark":
        return []
    try:
        shown, trace = walked(scenario)
        if len(trace) > BELIEVED_STEPS:
            return []
        truth = run_of(shown)
        found = tour(truth, held)
    except ScenarioError:
        return []
    if found is None or found.compared.parting is None:
        return []
    believed = found.runs[0].outcome if len(found.runs) == 1 else together(found.runs)
    style = TimeStyle(time_format(shown))
    parting = found.compared.parting
    return [
        [_label(truth, parting), _told(parting, parting.right, style), _told(parting, parting.left, style)],
        [words("player.poll.belief.results"), str(_results(believed)), str(_results(truth.outcome))],
        [words("player.poll.belief.lost"), str(_lost(believed, truth)), str(_lost(truth.outcome, truth))],
    ]


def _label(truth: Ran, parting: Parting) -> str:
    if parting.moment < 0:
        return words("player.poll.belief.first")
    if parting.moment in truth.moments:
        item = truth.moments.index(parting.moment)
        return words("player.poll.belief.record" if parting.moment % 2 == 0 else "player.poll.belief.item", number=item)
    # Between two records, where only the believed run has something.
    after = next((item for item, moment in enumerate(truth.moments) if moment > parting.moment), None)
    if after is None:
        return words("player.poll.belief.item", number=len(truth.moments) - 1)
    return words("player.poll.belief.before", number=after)


def _told(parting: Parting, what: Any, style: TimeStyle) -> str:
    """A fate, or the results of a moment."""
    if parting.what == FATE:
        return words(f"player.predict.fate.{what or 'dropped'}")
    if not what:
        return words("player.poll.belief.nothing")
    return listed([_result(row, style) for row in what])


def _result(row: Any, style: TimeStyle) -> str:
    if row["row"] != "pane":
        return words("player.poll.belief.a_result")
    window = style.window(row["start"], row["end"])
    return words("player.poll.belief.result", key=str(row["key"]), window=window, value=str(row["value"]))


def _results(outcome: Outcome) -> int:
    return sum(len(each) for each in outcome.results.values())


def _lost(outcome: Outcome, truth: Ran) -> int:
    """How many records do not count; one that a believed run does not even have is lost there."""
    return sum(outcome.fates.get(moment, LOST[0]) in LOST for moment in truth.fates)
