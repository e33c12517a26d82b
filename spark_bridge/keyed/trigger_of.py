"""Which trigger a scenario asks for."""

from simulator.scenario import model
from spark_bridge.keyed.clock_triggers import ByClock, ContinuousByClock, Timeout
from spark_bridge.keyed.triggers import Continuous, Count, Delta, EventTime, Never, Purging, Trigger


def trigger_of(spec: model.Trigger) -> Trigger:
    """The trigger of a DataStream window. Raises ``TypeError`` for one of the table runtime."""
    match spec:
        case model.EventTime():
            return EventTime()
        case model.ProcessingTime():
            return ByClock()
        case model.ContinuousEventTime(interval):
            return Continuous(interval)
        case model.ContinuousProcessingTime(interval):
            return ContinuousByClock(interval)
        case model.Count(every):
            return Count(every)
        case model.Delta(threshold):
            return Delta(threshold)
        case model.Never():
            return Never()
        case model.Purging(inner):
            return Purging(trigger_of(inner))
        case model.ProcessingTimeout(inner, timeout, reset, clears):
            return Timeout(trigger_of(inner), timeout, reset, clears)
        case _:
            raise TypeError(f"no keyed trigger for {spec}")


def follows_clock(spec: model.Trigger | model.Periodic | None) -> bool:
    """Whether a trigger, of either runtime, sets timers of the clock."""
    match spec:
        case model.ProcessingTime() | model.ContinuousProcessingTime() | model.ProcessingTimeEvery():
            return True
        case model.ProcessingTimeout():
            return True
        case model.Purging(inner):
            return follows_clock(inner)
        case model.AfterEndOfWindow(early, late):
            return follows_clock(early) or follows_clock(late)
        case _:
            return False
