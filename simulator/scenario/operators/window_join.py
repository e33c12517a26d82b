"""Windows over two inputs: ``type: window-join`` and ``type: co-group``."""

from dataclasses import dataclass, field

from tidemark.simulator.engine.evictors import Evictor
from tidemark.simulator.engine.triggers.base import Trigger
from tidemark.simulator.scenario.assigners import Assigner
from tidemark.simulator.scenario.operators.facts import Setting
from tidemark.simulator.scenario.operators.window import Windowed


@dataclass(frozen=True, slots=True)
class WindowJoin(Windowed):
    """``type``: ``window-join`` (``join`` is then ``inner``) or ``co-group``."""

    is_join = True
    keeps_elements = True

    type: str
    assigner: Assigner = field()
    trigger: Trigger = field()
    time: str = "event"
    evictor: Evictor | None = None
    allowed_lateness: int = 0
    join: str = "inner"

    result_briefly = "join"

    @property
    def clause(self) -> str:
        """One for each."""
        return self.type

    @property
    def said(self) -> str:
        """One for each."""
        return self.type.replace("-", "_")

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Which side of a coGroup may be missing."""
        return () if self.pairs else (self.setting("join", "choice", "inner", "left", "right", "full"),)

    @property
    def always_written(self) -> tuple[str, ...]:
        """A coGroup without ``join`` would be another one."""
        return () if self.pairs else ("join",)

    @property
    def without_results(self) -> str:
        """Without pairs nothing matches."""
        return "no_match" if self.pairs else "no_firing"

    @property
    def pairs(self) -> bool:
        """As its type says."""
        return self.type == "window-join"

    @property
    def sides_needed(self) -> tuple[str, ...]:
        """A window join pairs; the ``join`` of a coGroup says which side may be missing (``CoGroupFiring``)."""
        return {"inner": ("left", "right"), "left": ("left",), "right": ("right",), "full": ()}[
            "inner" if self.pairs else self.join
        ]

    def code_walk(self) -> list[str]:
        """That of a window, and what is done with both sides."""
        return self.window_walk("join.apply" if self.pairs else "group.apply")
