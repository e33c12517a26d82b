"""The trigger that a scenario asks for."""

from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.clock_triggers import ByClock, ContinuousByClock, Timeout
from tidemark.spark_bridge.keyed.triggers import Continuous, Count, Delta, EventTime, Never, Purging, Trigger


def trigger_of(spec: object) -> Trigger:
    """The trigger of a DataStream window. Raises ``TypeError`` for one that the bridge does not know."""
    match spec:
        case model.EventTimeTrigger():
            return EventTime()
        case model.ProcessingTimeTrigger():
            return ByClock()
        case model.ContinuousEventTimeTrigger(interval):
            return Continuous(interval)
        case model.ContinuousProcessingTimeTrigger(interval):
            return ContinuousByClock(interval)
        case model.CountTrigger(every):
            return Count(every)
        case model.DeltaTrigger(threshold):
            return Delta(threshold)
        case model.NeverTrigger():
            return Never()
        case model.PurgingTrigger(inner):
            return Purging(trigger_of(inner))
        case model.ProcessingTimeoutTrigger(inner, timeout, reset, clears):
            return Timeout(trigger_of(inner), timeout, reset, clears)
        case _:
            raise TypeError(f"no keyed trigger for {spec}")


def follows_clock(spec: object) -> bool:
    """Whether a trigger, of either runtime, registers processing-time timers."""
    match spec:
        case model.ProcessingTimeTrigger() | model.ContinuousProcessingTimeTrigger() | model.ProcessingTimeEvery():
            return True
        case model.ProcessingTimeoutTrigger():
            return True
        case model.PurgingTrigger(inner):
            return follows_clock(inner)
        case model.AfterEndOfWindow(early, late):
            return follows_clock(early) or follows_clock(late)
        case _:
            return False
