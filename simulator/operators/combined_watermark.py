"""Two inputs with a valve each, and the one watermark that the operator combines them into.

Source: ``IndexedCombinedWatermarkStatus`` and ``CombinedWatermarkStatus`` of Flink 2.3.0 (with FLINK-38454).
"""

from operator import attrgetter
from typing import Final

from tidemark.simulator.operators.valve import Channel, OnWatermark
from tidemark.simulator.values.time import MIN

_WATERMARK: Final = attrgetter("watermark")


class PartialWatermark:
    """What one input sends: its ``watermark`` (ms), held there by ``holder``, and whether it is idle.

    Source: ``CombinedWatermarkStatus.PartialWatermark``.
    """

    __slots__ = ("_combined", "holder", "idle", "watermark")

    def __init__(self, combined: "CombinedWatermark") -> None:
        self.watermark = MIN
        self.idle = False
        self.holder: Channel | None = None
        self._combined = combined

    def update_watermark(self, watermark: int, holder: Channel) -> None:
        """The input stands at ``watermark`` (ms), held there by ``holder``; it is no longer idle."""
        self.idle = False
        if watermark > self.watermark:
            self.watermark = watermark
        self.holder = holder
        self._combined.update()

    def update_status(self, idle: bool) -> None:
        """The input turned idle or active."""
        self.idle = idle
        self._combined.update()


class CombinedWatermark:
    """The minimum over the ``inputs`` that are not idle; if all are idle, the maximum over them all."""

    def __init__(self, inputs: int, on_watermark: OnWatermark) -> None:
        self.combined = MIN
        self.inputs = [PartialWatermark(self) for _ in range(inputs)]
        self._on_watermark = on_watermark

    def update(self) -> None:
        """Send the combined watermark if it has risen."""
        chosen = None
        for partial in self.inputs:
            if not partial.idle and (chosen is None or partial.watermark < chosen.watermark):
                chosen = partial
        if chosen is None:
            chosen = max(self.inputs, key=_WATERMARK)
        if chosen.watermark > self.combined and chosen.holder is not None:
            self.combined = chosen.watermark
            self._on_watermark(chosen.watermark, chosen.holder)
