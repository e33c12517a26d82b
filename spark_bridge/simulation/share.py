"""Which keys a process runs: those of a sample, divided among the processes of a check.

Rows, state and timers belong to a key, and the watermark to all of them. So a process that sees the moves of the
watermark, but works on the records of its own keys alone, emits exactly the rows of these keys. A key is chosen by the
hash that Spark's ``xxhash64`` gives for its JSON text, so that both sides choose the same ones.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tidemark.simulator.engine.values.items import PlainKey
from tidemark.simulator.scenario.model import Data, Generated, Scenario
from tidemark.spark_bridge.plan.operators import needs_clock
from tidemark.spark_bridge.results.canonical import key_text
from tidemark.spark_bridge.results.digests import text_hash
from tidemark.spark_bridge.watermarks.order import period_of

RECORDS_EACH: Final = 150_000
"""With fewer records for each, starting one more process takes longer than it saves."""

MOST: Final = 8
"""The most processes. Each of them reads the whole stream, and takes some 100 MB."""


@dataclass(frozen=True, slots=True)
class Share:
    """The keys of process ``number`` of ``of``, out of a ``sample``: one key in so many, by its hash."""

    number: int = 0
    of: int = 1
    sample: int = 1

    @property
    def is_everything(self) -> bool:
        """Whether all keys are taken."""
        return self.of == self.sample == 1

    @property
    def takes(self) -> Callable[[PlainKey], bool]:
        """Says whether a key is one of them; it remembers the keys that it was asked last."""

        @lru_cache(maxsize=65_536, typed=True)
        def takes(key: PlainKey) -> bool:
            digest = text_hash(key_text(key)) >> 1
            return digest % self.sample == 0 and digest // self.sample % self.of == self.number

        return takes


def shares_of(scenario: Scenario, sample: int, processors: int) -> tuple[Share, ...]:
    """The shares of a check of one key in ``sample`` on a machine with so many ``processors``.

    It is one if the stream is short or a list, or if timers of the clock and ticks of a generator may be due at once:
    which of them comes first depends on the timers of all keys.
    """
    stream = scenario.stream
    records = stream.events if isinstance(stream, Generated) else 0
    if isinstance(stream, Data):
        records = stream.known.records
    wanted = min(processors, MOST, records // sample // RECORDS_EACH)
    of = max(1, wanted) if keys_are_apart(scenario) else 1
    return tuple(Share(number, of, sample) for number in range(of))


def keys_are_apart(scenario: Scenario) -> bool:
    """Whether a run of some keys has the rows that a run of all has for them."""
    if scenario.engine != "flink" or scenario.operator.buffers_rows:
        return False
    return not (needs_clock(scenario.operator) and any(period_of(each.watermark) for each in scenario.inputs))
