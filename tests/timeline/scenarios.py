"""A scenario whose results tests know in full: sums in windows of 5 s, with a late record and one that is too late."""

from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    EventTimeTrigger,
    Function,
    InputSpec,
    Scenario,
    Tumbling,
    Window,
)

BOUNDED = BoundedOutOfOrderness(2000)


def late_but_allowed(lateness: int = 3000) -> Scenario:
    """Sums in windows of 5 s with two channels; item 6 is late but allowed, item 9 is too late."""
    stream = (
        Record("a", 1000, 4, at=1300),
        Record("a", 3400, 5, channel=1, at=3600),
        Record("b", 4700, 3, at=4900),
        Record("a", 7200, 1, channel=1, at=7400),
        Record("a", 4300, 7, at=7900),
        Record("b", 8400, 2, at=8600),
        Record("a", 3900, 6, at=10300),
        Record("a", 11000, 3, channel=1, at=11400),
        Record("b", 12600, 4, at=13000),
        Record("b", 2800, 9, at=14400),
        End(),
    )
    operator = Window(Tumbling(5000), EventTimeTrigger(), Function("aggregate", "sum"), allowed_lateness=lateness)
    return Scenario("late", operator, stream, (InputSpec("events", 2, BOUNDED),))
