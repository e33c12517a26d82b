"""Wrong beliefs about event time, each as a change to the scenario which makes the true engine do what is believed.

A belief is compared with the truth moment by moment (``runs``), which shows the first moment at which it goes wrong.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidemark.simulator.engine.values.items import Restore
from tidemark.simulator.explore import believed_records, believed_watermarks
from tidemark.simulator.explore.comparing import Compared, compare_runs
from tidemark.simulator.explore.runs import Ran, run_of, together
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items

Believed = tuple[Scenario, Sequence[int]]
"""A scenario that does what is believed, and the moment of each of its items."""


@dataclass(frozen=True, slots=True)
class Belief:
    """One misconception.

    ``believed`` returns the scenarios in which it is true, several if each is true in part, and none if it does not
    apply. Its words are in the catalogue under ``beliefs.NAME``.
    """

    name: str
    believed: Callable[[Ran], Sequence[Believed]]


@dataclass(frozen=True, slots=True)
class Tour:
    """A belief compared with the truth, which is on the left. ``runs``: the runs of what is believed, in parts."""

    belief: Belief
    truth: Ran
    runs: tuple[Ran, ...]
    compared: Compared

    @property
    def shows(self) -> bool:
        """Whether on these records the belief leads to any other fate or result."""
        return self.compared.parting is not None


BELIEFS: Final = (
    Belief("no-minus-one", believed_watermarks.no_minus_one),
    Belief("reaches-the-end", believed_watermarks.reaches_the_end),
    Belief("first-past-the-end", believed_watermarks.first_past_the_end),
    Belief("after-each-record", believed_watermarks.after_each_record),
    Belief("fastest-channel", believed_watermarks.fastest_channel),
    Belief("watermark-per-key", believed_watermarks.per_key),
    Belief("wall-clock", believed_watermarks.wall_clock),
    Belief("lateness-delays", believed_watermarks.lateness_delays),
    Belief("fired-is-final", believed_records.fired_is_final),
    Belief("late-is-out-of-order", believed_records.late_is_out_of_order),
    Belief("behind-is-dropped", believed_records.behind_is_dropped),
    Belief("end-inclusive", believed_records.end_inclusive),
    Belief("gap-on-the-clock", believed_records.gap_on_the_clock),
)
"""The beliefs in the order of a list."""


def applies(truth: Ran, belief: Belief) -> bool:
    """Whether the belief can be run on the scenario and compared with the truth. It is not run for that."""
    return bool(_believed(truth, belief))


def tour(truth: Ran, belief: Belief) -> Tour | None:
    """Run what is believed and compare it with ``truth``; None if the belief does not apply to the scenario.

    Raises ``ScenarioError`` for what the engine cannot run.
    """
    runs = tuple(run_of(*part) for part in _believed(truth, belief))
    if not runs:
        return None
    outcome = runs[0].outcome if len(runs) == 1 else together(runs)
    left_out = dict.fromkeys(truth.fates, "dropped")  # a record that is missing in the believed run counts as dropped
    return Tour(
        belief, truth, runs, compare_runs(truth.outcome, replace(outcome, fates=left_out | dict(outcome.fates)))
    )


def _believed(truth: Ran, belief: Belief) -> Sequence[Believed]:
    """What is believed; nothing where items are replayed, because then moments cannot be compared."""
    replays = any(isinstance(item, Restore) for item in items(truth.scenario))
    return () if replays else belief.believed(truth)
