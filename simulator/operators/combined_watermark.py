"""Two inputs with a valve each, and the one watermark that the operator combines them into.

Source: ``IndexedCombinedWatermarkStatus`` and ``CombinedWatermarkStatus`` of Flink 2.3.0 (with FLINK-38454).
"""

from dataclasses import dataclass

from simulator.operators.valve import Channel, OnWatermark
from simulator.values.time import MIN


@dataclass(slots=True)
class _Partial:
    watermark: int = MIN
    idle: bool = False
    holder: Channel | None = None


class CombinedWatermark:
    """The minimum over the inputs that are not idle; if all are idle, the maximum over them all."""

    def __init__(self, inputs: int, on_watermark: OnWatermark) -> None:
        self.combined = MIN
        self._partials = [_Partial() for _ in range(inputs)]
        self._on_watermark = on_watermark

    def update_watermark(self, index: int, watermark: int, holder: Channel) -> None:
        """Input ``index`` stands at ``watermark`` (ms), held there by ``holder``; it is no longer idle."""
        partial = self._partials[index]
        partial.idle = False
        if watermark > partial.watermark:
            partial.watermark = watermark
        partial.holder = holder
        self._update()

    def update_status(self, index: int, idle: bool) -> None:
        """Input ``index`` turned idle or active."""
        self._partials[index].idle = idle
        self._update()

    def _update(self) -> None:
        chosen = None
        for partial in self._partials:
            if not partial.idle and (chosen is None or partial.watermark < chosen.watermark):
                chosen = partial
        if chosen is None:
            chosen = max(self._partials, key=lambda partial: partial.watermark)
        if chosen.watermark > self.combined and chosen.holder is not None:
            self.combined = chosen.watermark
            self._on_watermark(chosen.watermark, chosen.holder)
