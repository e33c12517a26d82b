"""``process``: a ListState that holds every value; the function sees them all when the window fires."""

from dataclasses import dataclass
from typing import Any

from tidemark.simulator.functions.aggregate import aggregate_of
from tidemark.simulator.functions.base import CONTENTS, WindowFunction
from tidemark.simulator.state.keyed_state import KeyedStateBackend, ListState
from tidemark.simulator.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Process(WindowFunction):
    """``compute``: ``collect`` (the values in order of arrival) or an aggregate over them.

    Source: ``WindowedStream.process``.
    """

    compute: str

    def contents_state(self, backend: KeyedStateBackend, trace: Trace | None) -> ListState:
        """A ListState."""
        return ListState(backend, CONTENTS, trace)

    def result(self, contents: Any) -> Any:
        """The list itself, or the aggregate over it."""
        return self.result_of(contents)

    def result_of(self, values: list[Any]) -> Any:
        """The list itself, or the aggregate over it; over no values ``collect`` returns ``[]``."""
        return list(values) if self.compute == "collect" else aggregate_of(self.compute, values)
