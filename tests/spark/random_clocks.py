"""Small random scenarios that the clock, or a restore, has a say in: crowded, with ticks and timers at one moment."""

from dataclasses import replace
from random import Random
from typing import Any

from simulator.scenario import model
from simulator.values.items import Advance, Checkpoint, End, Item, Record, Restore, Status, Watermark
from tests.spark.random_scenarios import random_scenario
from tests.watermarks import watermark_spec

STEP = 50
"""ms: clocks, ticks and the ends of windows keep to multiples of it, so that they meet."""


def random_clock_scenario(seed: int) -> model.Scenario:
    """The scenario of that number: two of three follow the clock, half have restores."""
    random = Random(seed)
    if random.random() < 0.35:
        scenario = random_scenario(seed)
        stream = scenario.stream
        assert isinstance(stream, tuple)
        return replace(scenario, stream=_with_restores(random, list(stream)))
    operator = _operator(random)
    names = ("left", "right") if isinstance(operator, model.WindowJoin) else ("clicks",)
    inputs = tuple(model.InputSpec(name, random.choice((1, 1, 2)), _watermarks(random)) for name in names)
    origin = random.choice((0, 0, -5000, 1_484_892_913_000))
    items = _items(random, inputs, operator, origin)
    stream = _with_restores(random, items) if random.random() < 0.3 else tuple(items)
    return model.Scenario(f"random-clock-{seed}", operator, stream, inputs, origin=origin)


def _watermarks(random: Random) -> model.WatermarkSpec:
    generator = random.choice(("none", "bounded-out-of-orderness", "monotonous", "sql"))
    bound = random.choice((0, 100)) if generator in ("bounded-out-of-orderness", "sql") else 0
    emit = random.choice((0, 50, 100, 200)) if generator != "none" else 0
    idle = random.choice((0, 0, 100, 250)) if generator != "none" else 0
    return watermark_spec(generator, bound, emit, idle)


def _operator(random: Random) -> model.Window | model.WindowJoin:
    time = random.choice(("event", "processing"))
    make = random.choice((_datastream, _datastream, _sql, _join))
    return make(random, time)


def _datastream(random: Random, time: str) -> model.Window:
    assigner = random.choice((_tumbling, _sliding, _session, _dynamic, _global))(random)
    trigger = _trigger(random, assigner, time)
    call = random.choice(("aggregate", "process"))
    compute = random.choice(("count",) if assigner.type == "dynamic-session" else ("count", "sum", "max"))
    if call == "process" and random.random() < 0.6:
        compute = "collect"
    evictor = random.choice((None, None, model.CountEvictor(2), model.TimeEvictor(300, True)))
    lateness = 0 if assigner.type == "global" else random.choice((0, 100, 1000))
    return model.Window(assigner, trigger, model.Function(call, compute), "datastream", time, evictor, lateness)


def _join(random: Random, time: str) -> model.WindowJoin:
    assigner = random.choice((_tumbling, _sliding, _session))(random)
    kind = random.choice(("window-join", "co-group"))
    join = "inner" if kind == "window-join" else random.choice(("inner", "left", "right", "full"))
    return model.WindowJoin(kind, assigner, _trigger(random, assigner, time), time, None, random.choice((0, 200)), join)


def _sql(random: Random, time: str) -> model.Window:
    assigner = random.choice((_tumbling, _sliding, _cumulative, _session))(random)
    every = random.choice((model.ProcessingTimeEvery(100), model.ProcessingTimeEvery(150)))
    kinds = (None, every, every, model.EveryElement(), model.CountElement(2))
    early = random.choice(kinds)
    late = random.choice(kinds) if time == "event" else None
    if time == "event" and every not in (early, late):
        early = every
    trigger = random.choice(
        (model.AfterEndOfWindow(early, late), model.AfterEndOfWindow(early, late), model.CountElement(2))
    )
    lateness, updates = random.choice((0, 100, 1000)), random.random() < 0.5
    function = model.Function("aggregate", random.choice(("sum", "count")))
    if time == "event" and isinstance(trigger, model.CountElement):
        trigger = model.AfterEndOfWindow(every)
    return model.Window(assigner, trigger, function, "sql", time, None, lateness, "drop", updates)


def _tumbling(random: Random) -> model.Assigner:
    return model.Tumbling(random.choice((100, 250, 500)), random.choice((0, 0, 50, -30)))


def _sliding(random: Random) -> model.Assigner:
    return model.Sliding(*random.choice(((200, 100), (300, 100), (100, 200))), random.choice((0, 50)))


def _cumulative(random: Random) -> model.Assigner:
    return model.Cumulative(300, 100)


def _session(random: Random) -> model.Assigner:
    return model.Session(random.choice((100, 151, 300)))


def _dynamic(random: Random) -> model.Assigner:
    return model.DynamicSession("gap")


def _global(random: Random) -> model.Assigner:
    return model.Global()


def _trigger(random: Random, assigner: model.Assigner, time: str) -> model.Trigger:
    merges = assigner.type in ("session", "dynamic-session")
    by_clock: list[model.Trigger] = [model.ContinuousProcessingTimeTrigger(random.choice((50, 100, 170)))]
    if assigner.type != "global":
        by_clock.append(model.ProcessingTimeTrigger())
    simple: list[model.Trigger] = [model.CountTrigger(2), model.CountTrigger(3)]
    if assigner.type == "global":
        simple.append(model.ContinuousEventTimeTrigger(200))
    else:
        simple += [model.EventTimeTrigger(), model.ContinuousEventTimeTrigger(100)]
    if not merges:
        simple.append(model.DeltaTrigger(2))
        inner = random.choice(simple + by_clock + [model.PurgingTrigger(model.CountTrigger(2))])
        timeout = model.ProcessingTimeoutTrigger(
            inner, random.choice((0, 49, 99, 150)), random.random() < 0.5, random.random() < 0.6
        )
        by_clock += [timeout, timeout]
    chosen = random.choice(by_clock if time == "event" or random.random() < 0.7 else simple)
    return model.PurgingTrigger(chosen) if random.random() < 0.25 else chosen


def _items(
    random: Random, inputs: tuple[model.InputSpec, ...], operator: model.Window | model.WindowJoin, origin: int
) -> list[Item]:
    items, clock, now = list[Item](), origin, origin
    by_interval = "ContinuousEventTime" in repr(operator.trigger)
    may_lack = operator.time == "processing" and not by_interval  # or it would fire since the beginning of time
    for _ in range(random.choice((5, 20, 50))):
        clock += STEP * random.choice((0, 0, 1, 1, 2, 4))
        now += random.choice((0, 1, 50, 100))
        at = random.choice((None, clock, clock + random.choice((0, 1, -1))))
        source = random.choice(inputs)
        channel = random.randrange(source.channels)
        kind = random.random()
        if kind < 0.7:
            ts = None if may_lack and random.random() < 0.3 else now - random.choice((0, 1, 300))
            ts = now if ts is None and source.watermark.type == "sql" else ts
            items.append(Record(random.choice("abc"), ts, _value(random, operator), source.name, channel, at))
        elif kind < 0.85:
            items.append(Advance(random.choice((0, STEP, 49, 200)), at))
        elif kind < 0.95:
            items.append(Watermark(now - random.choice((0, 1, 100)), source.name, channel, at))
        else:
            items.append(Status(random.choice(("idle", "active")), source.name, channel, at))
    if random.random() < 0.6 and not (by_interval and isinstance(operator.assigner, model.Global)):
        items.append(End(random.choice((None, clock + 200))))
    items += [Advance(random.choice((100, 1000)))] if random.random() < 0.5 else []
    return items


def _value(random: Random, operator: model.Window | model.WindowJoin) -> Any:
    if isinstance(operator.assigner, model.DynamicSession):
        return {"gap": random.choice((1, 100, 170))}
    return random.choice((1, 2, 5, -3))


def _with_restores(random: Random, items: list[Item]) -> tuple[Item, ...]:
    """The items with checkpoints and restores among them."""
    stream: list[Item] = []
    taken: list[str] = []
    restored = 0
    for item in items:
        stream.append(item)
        at = getattr(item, "at", None)
        chance = random.random()
        if chance < 0.12:
            name = random.choice(("c1", "c2", "c3"))
            if name in taken:
                taken.remove(name)
            taken.append(name)
            stream.append(Checkpoint(name, random.choice((None, at))))
        elif chance < 0.22 and taken and restored < 4:
            kept = random.randrange(len(taken))
            stream.append(Restore(taken[kept], random.choice((None, at, None if at is None else at + STEP))))
            del taken[kept + 1 :]
            restored += 1
    if not restored:
        stream[1:1] = [Checkpoint("c0")]
        stream.append(Restore("c0"))
    return tuple(stream)
