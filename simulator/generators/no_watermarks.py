"""No generator: the watermarks stand in the stream."""

from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.generators.base import WatermarkGenerator, WatermarkStrategy
from tidemark.simulator.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class NoWatermarks(WatermarkStrategy):
    """Records make no watermarks. Source: ``WatermarkStrategy.noWatermarks``."""

    type: ClassVar[str] = "none"
    has_bound: ClassVar[bool] = False
    makes_watermarks: ClassVar[bool] = False
    bound: ClassVar[int] = 0
    emit: ClassVar[int] = 0
    idle_timeout: ClassVar[int] = 0

    @property
    def takes_off(self) -> tuple[int, ...]:
        """Nothing."""
        return ()

    def create(self, input: str, channel: int, trace: Trace | None = None) -> WatermarkGenerator | None:
        """None."""
        return None
