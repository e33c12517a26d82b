"""Watermark strategies by name, for tests that cover several."""

from dataclasses import fields
from typing import get_args

from tidemark.simulator.scenario.model import WatermarkSpec

STRATEGIES = {each.type: each for each in get_args(WatermarkSpec)}


def watermark_spec(generator: str = "none", bound: int = 0, emit: int = 0, idle_timeout: int = 0) -> WatermarkSpec:
    """The strategy called ``generator``; parameters that it does not have are left out."""
    parameters = {"bound": bound, "emit": emit, "idle_timeout": idle_timeout, "when": None}
    strategy = STRATEGIES[generator]
    spec: WatermarkSpec = strategy(**{name: parameters[name] for name in (each.name for each in fields(strategy))})
    return spec
