"""Small random scenarios of every kind that the batch engine covers: crowded, late, with ties and odd values."""

from random import Random
from typing import Any

from simulator.scenario import model
from simulator.values.items import Advance, End, Item, Record, Status, Watermark
from simulator.values.time import MAX
from tests.watermarks import watermark_spec

KEYS = ("a", "b", 1, "1", True)
ODD_VALUES = (None, "x", "7", {"b": 1, "a": 2.5}, 3, 2.5, True)
COMPUTES = {
    "reduce": ("sum", "min", "max"),
    "aggregate": ("sum", "count", "min", "max", "avg"),
    "process": ("collect", "sum", "count", "min", "max", "avg"),
}


def random_scenario(seed: int) -> model.Scenario:
    """The scenario of that number."""
    random = Random(seed)
    operator = _operator(random)
    two = isinstance(operator, model.WindowJoin | model.IntervalJoin)
    sql = isinstance(operator, model.Window) and operator.api == "sql"
    names = ("left", "right") if two else ("clicks",)
    idles = random.random() < 0.3
    channels = (1, 2, 2, 3) if idles else (1, 1, 2, 3)
    inputs = tuple(model.InputSpec(name, random.choice(channels), _watermarks(random, sql, idles)) for name in names)
    return model.Scenario(
        name=f"random-{seed}",
        operator=operator,
        stream=tuple(_items(random, inputs, operator, idles)),
        inputs=inputs,
        origin=random.choice((0, 0, -5000, 1_484_892_913_000)),
    )


def _watermarks(random: Random, sql: bool, idles: bool) -> model.WatermarkSpec:
    kinds = ["none", "bounded-out-of-orderness", "monotonous", "punctuated"]
    generator = random.choice([*kinds, "sql", "sql"] if sql else kinds)
    bound = 0 if generator in ("none", "monotonous") else random.choice((0, 1, 500, 2000))
    asked = ("bounded-out-of-orderness", "monotonous", "sql") if idles else ("bounded-out-of-orderness", "monotonous")
    emit = random.choice((0, 1, 7, 200)) if generator in asked else 0
    timeout = random.choice((0, 1, 100, 400)) if idles and generator != "none" else 0
    return watermark_spec(generator, bound, emit, timeout)


def _operator(random: Random) -> model.Operator:
    make = random.choice((_sort, _windows, _windows, _windows, _window_join, _interval_join, _sql, _sql))
    return make(random)


def _sort(random: Random) -> model.Operator:
    return model.Process(model.Function("event-sort"))


def _windows(random: Random) -> model.Operator:
    call = random.choice(tuple(COMPUTES))
    assigner = random.choice((_tumbling, _sliding, _session, _dynamic, _global))(random)
    compute = random.choice(COMPUTES[call])
    if isinstance(assigner, model.DynamicSession):
        call, compute = "process", random.choice(("collect", "count"))
    return model.Window(
        assigner=assigner,
        trigger=_trigger(random, assigner),
        function=model.Function(call, compute),
        evictor=_evictor(random),
        allowed_lateness=0 if assigner.type == "global" else _lateness(random),
        late_output=random.choice(("drop", "side")),
    )


def _window_join(random: Random) -> model.Operator:
    assigner = random.choice((_tumbling, _sliding, _session))(random)
    kind = random.choice(("window-join", "co-group"))
    evictor = random.choice((None, None, model.CountEvictor(2), model.TimeEvictor(700, True)))
    join = "inner" if kind == "window-join" else random.choice(("inner", "left", "right", "full"))
    return model.WindowJoin(kind, assigner, _trigger(random, assigner), "event", evictor, _lateness(random), join)


def _interval_join(random: Random) -> model.Operator:
    lower, upper = sorted(random.choice((-3000, -500, -1, 0, 1, 500, 2000)) for _ in range(2))
    exclusive = upper - lower > 2
    return model.IntervalJoin(
        lower, upper, exclusive and random.random() < 0.3, exclusive and random.random() < 0.3, _late(random)
    )


def _late(random: Random) -> str:
    return random.choice(("drop", "side"))


def _sql(random: Random) -> model.Operator:
    assigner = random.choice((_tumbling, _sliding, _cumulative, _session))(random)
    inner = (None, model.EveryElement(), model.CountElement(2), model.CountElement(3))
    end = model.AfterEndOfWindow(random.choice(inner), random.choice(inner))
    trigger = random.choice((end, end, end, model.CountElement(2), model.EveryElement()))
    compute = random.choice(COMPUTES["aggregate"])
    updates = random.random() < 0.6
    return model.Window(
        assigner,
        trigger,
        model.Function("aggregate", compute),
        "sql",
        "event",
        None,
        _lateness(random),
        "drop",
        updates,
    )


def _lateness(random: Random) -> int:
    return random.choice((0, 0, 1, 700, 3000, 6000, MAX))


def _tumbling(random: Random) -> model.Assigner:
    size = random.choice((1, 10, 500, 1000, 2500))
    return model.Tumbling(size, random.choice((0, 0, size - 1, -(size // 2))))


def _sliding(random: Random) -> model.Assigner:
    size = random.choice((1, 10, 500, 1000, 2500))
    slide = random.choice((max(1, size // 2), max(1, size // 3), size, size * 2, size + 1))
    return model.Sliding(size, slide, random.choice((0, 0, slide - 1, -(slide // 2))))


def _cumulative(random: Random) -> model.Assigner:
    step = random.choice((10, 500, 1000))
    return model.Cumulative(step * random.choice((1, 2, 3)), step, random.choice((0, step - 1, -(step // 2))))


def _session(random: Random) -> model.Assigner:
    return model.Session(random.choice((1, 100, 500, 2000)))


def _dynamic(random: Random) -> model.Assigner:
    return model.DynamicSession("gap")


def _global(random: Random) -> model.Assigner:
    return model.Global()


def _trigger(random: Random, assigner: model.Assigner) -> model.Trigger:
    simple = [
        model.EventTimeTrigger(),
        model.EventTimeTrigger(),
        model.CountTrigger(2),
        model.CountTrigger(3),
        model.ContinuousEventTimeTrigger(300),
    ]
    if assigner.type == "global":
        simple = [model.CountTrigger(2), model.NeverTrigger(), model.EventTimeTrigger()]
    elif assigner.type not in ("session", "dynamic-session"):
        simple.append(model.NeverTrigger())
    trigger = random.choice(simple)
    return model.PurgingTrigger(trigger) if random.random() < 0.25 else trigger


def _evictor(random: Random) -> model.Evictor | None:
    after = random.random() < 0.5
    return random.choice(
        (None, None, None, model.CountEvictor(random.choice((0, 1, 3)), after), model.TimeEvictor(300, after))
    )


def _items(random: Random, inputs: tuple[model.InputSpec, ...], operator: model.Operator, idles: bool) -> list[Item]:
    now, items, clock = random.choice((0, -3000, 1_484_892_913_000)), list[Item](), 0
    keys = random.sample(KEYS, random.choice((1, 2, 5)))
    periodic = any(each.watermark.emit or each.watermark.idle_timeout for each in inputs)
    for _ in range(random.choice((5, 20, 60))):
        now += random.choice((0, 1, 50, 100, 400))
        clock += random.choice((0, 0, 3, 50, 300))
        at = random.choice((None, clock, clock - 100))
        source = random.choice(inputs)
        ts, channel = now - random.choice((0, 1, 300, 1000, 2500, 6000)), random.randrange(source.channels)
        kind = random.random()
        if idles and random.random() < 0.1:
            items.append(Status(random.choice(("idle", "active")), source.name, channel, at))
        if kind < 0.8:
            items.append(Record(random.choice(keys), ts, _value(random, operator), source.name, channel, at))
        elif kind < 0.92 or not periodic:
            items.append(Watermark(now - random.choice((0, 1, 500)), source.name, channel, at))
        else:
            items.append(Advance(random.choice((0, 5, 400)), at))
    if random.random() < 0.7:
        items.append(End(random.choice((None, clock + 500))))
    return items


def _value(random: Random, operator: model.Operator) -> Any:
    match operator:
        case model.Window(assigner=model.DynamicSession()):
            return {"gap": random.choice((1, 100, 700))}
        case model.Window(function=model.Function(compute="count" | "collect")) | model.Process():
            return random.choice(ODD_VALUES)
        case model.Window():
            return random.choice((random.randrange(-9, 10), 0.1, -2.5, 3.0)) if random.random() < 0.3 else 7
        case _:
            return random.choice(ODD_VALUES)
