"""Small random scenarios of every kind that the batch engine covers: crowded, late, with ties and odd values."""

from random import Random
from typing import Any

from simulator.scenario.model import (
    Assigner,
    EventTime,
    Function,
    InputSpec,
    Operator,
    Process,
    Scenario,
    Sliding,
    Tumbling,
    WatermarkSpec,
    Window,
)
from simulator.values.items import Advance, End, Item, Record, Watermark
from simulator.values.time import MAX

KEYS = ("a", "b", 1, "1", True)
ODD_VALUES = (None, "x", "7", {"b": 1, "a": 2.5}, 3, 2.5, True)
COMPUTES = {
    "reduce": ("sum", "min", "max"),
    "aggregate": ("sum", "count", "min", "max", "avg"),
    "process": ("collect", "sum", "count", "min", "max", "avg"),
}


def random_scenario(seed: int) -> Scenario:
    """The scenario of that number."""
    random = Random(seed)
    spec, channels = _watermarks(random), random.choice((1, 1, 2, 3))
    operator = _operator(random)
    return Scenario(
        name=f"random-{seed}",
        operator=operator,
        stream=tuple(_items(random, spec, channels, operator)),
        inputs=(InputSpec("clicks", channels, spec),),
        origin=random.choice((0, 0, -5000, 1_484_892_913_000)),
    )


def _watermarks(random: Random) -> WatermarkSpec:
    generator = random.choice(("none", "bounded-out-of-orderness", "monotonous", "punctuated"))
    bound = random.choice((0, 1, 500, 2000)) if generator in ("bounded-out-of-orderness", "punctuated") else 0
    emit = random.choice((0, 1, 7, 200)) if generator in ("bounded-out-of-orderness", "monotonous") else 0
    return WatermarkSpec(generator, bound, emit)


def _operator(random: Random) -> Operator:
    if random.random() < 0.2:
        return Process(Function("event-sort"))
    call = random.choice(tuple(COMPUTES))
    return Window(
        assigner=_assigner(random),
        trigger=EventTime(),
        function=Function(call, random.choice(COMPUTES[call])),
        allowed_lateness=random.choice((0, 1, 700, 3000, 6000, MAX)),
        late_output=random.choice(("drop", "side")),
    )


def _assigner(random: Random) -> Assigner:
    size = random.choice((1, 10, 500, 1000, 2500))
    if random.random() < 0.5:
        return Tumbling(size, random.choice((0, 0, size - 1, -(size // 2))))
    slide = random.choice((max(1, size // 2), max(1, size // 3), size, size * 2, size + 1))
    return Sliding(size, slide, random.choice((0, 0, slide - 1, -(slide // 2))))


def _items(random: Random, spec: WatermarkSpec, channels: int, operator: Operator) -> list[Item]:
    numeric = isinstance(operator, Window) and operator.function.compute not in ("count", "collect")
    now, items, clock = random.choice((0, -3000, 1_484_892_913_000)), list[Item](), 0
    keys = random.sample(KEYS, random.choice((1, 2, 5)))
    for _ in range(random.choice((5, 20, 60))):
        now += random.choice((0, 1, 50, 100, 400))
        clock += random.choice((0, 0, 3, 50, 300))
        at = random.choice((None, clock, clock - 100))
        ts, channel = now - random.choice((0, 1, 300, 1000, 2500, 6000)), random.randrange(channels)
        kind = random.random()
        if kind < 0.8:
            items.append(Record(random.choice(keys), ts, _value(random, numeric), "clicks", channel, at))
        elif kind < 0.92 or spec.emit == 0:
            items.append(Watermark(now - random.choice((0, 1, 500)), "clicks", channel, at))
        else:
            items.append(Advance(random.choice((0, 5, 400)), at))
    if random.random() < 0.7:
        items.append(End(random.choice((None, clock + 500))))
    return items


def _value(random: Random, numeric: bool) -> Any:
    if not numeric:
        return random.choice(ODD_VALUES)
    return random.choice((random.randrange(-9, 10), 0.1, -2.5, 3.0, 1e16)) if random.random() < 0.3 else 7
