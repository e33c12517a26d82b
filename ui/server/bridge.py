"""The Spark bridge as the app sees it. The app does not import it: ``app.py`` passes it to ``connect``."""

from threading import Event
from typing import Any, Protocol

from tidemark.simulator.scenario.model import Scenario


class Bridge(Protocol):
    """The part of ``spark_bridge`` that the app uses."""

    STAGES: Any
    ENGINES: Any
    Cancelled: type[Exception]
    Fault: Any
    CheckFails: type[Exception]
    stream_page: Any

    def check(self, scenario: Scenario, events: int | None = None, **options: Any) -> Any:
        """Run both sides and compare."""

    def warm_up(self, scenario: Scenario, engine: str, cancelled: Event) -> None:
        """Start Spark ahead of the first check."""

    def is_long(self, scenario: Scenario, events: int | None) -> bool:
        """Whether a check of this many records cannot use what ``warm_up`` starts."""

    def end(self) -> None:
        """End Spark, and remove its folders."""

    def gaps_of(self, scenario: Scenario, engine: str | None) -> Any:
        """What prevents a check of the scenario by ``engine`` (None: the scenario's own)."""

    def ways(self) -> Any:
        """The table of what is covered, and of what is not, with the reasons."""


_bridge: list[Bridge] = []


def connect(bridge: Any) -> None:
    """Connect the app to the bridge; called once, by ``app.py``."""
    _bridge[:] = [bridge]


def end_bridge() -> None:
    """The server ends: nothing that it started for Spark goes on, and nothing that it wrote stays."""
    for each in _bridge:
        each.end()


def bridge() -> Bridge:
    """The connected bridge."""
    return _bridge[0]
