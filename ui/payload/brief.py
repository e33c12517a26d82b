"""The configuration of a scenario in the fewest words that still say everything: for a room to read in a glance."""

from simulator.scenario import model
from simulator.timeline.format import duration
from simulator.words import words
from simulator.words.filling import pieces
from ui.payload.sentence import Parts, beside_the_end, durations, numbers


def brief(scenario: model.Scenario) -> list[Parts]:
    """``tumbling **5 s**``, ``bound **2 s**``, ``sum per key`` and the like: each piece with its values marked."""
    operator = scenario.operator
    told = [_windows(operator), _watermark(scenario), _lateness(operator), *_trigger(operator), _computed(operator)]
    return [piece for piece in told if piece]


def _windows(operator: model.Operator) -> Parts:
    assigner = getattr(operator, "assigner", None)
    if assigner is not None:
        values = {name: duration(value) for name, value in durations(assigner)}
        values["gap_field"] = getattr(assigner, "gap_field", "")
        return pieces(words(f"player.brief.assigner.{assigner.type}"), values)
    if isinstance(operator, model.IntervalJoin | model.SparkJoin):
        lower, upper = ("–" if bound is None else duration(bound) for bound in (operator.lower, operator.upper))
        return pieces(words("player.brief.interval"), {"lower": lower, "upper": upper})
    return pieces(words("player.brief.event_sort"), {})


def _watermark(scenario: model.Scenario) -> Parts:
    if scenario.engine == "spark":
        delays = [each.delay for each in scenario.inputs if each.delay is not None]
        return pieces(words("player.brief.watermark.sql"), {"bound": duration(delays[0])}) if delays else []
    if getattr(scenario.operator, "time", "event") == "processing":
        return pieces(words("player.brief.watermark.processing"), {})
    specs = list(dict.fromkeys(each.watermark for each in scenario.inputs))
    parts: Parts = []
    for number, spec in enumerate(specs):
        parts += [(" / ", False)] if number else []
        parts += pieces(words(f"player.brief.watermark.{spec.generator}"), {"bound": duration(spec.bound)})
    return parts


def _lateness(operator: model.Operator) -> Parts:
    lateness = getattr(operator, "allowed_lateness", None)
    if not lateness or getattr(operator, "time", "event") == "processing":
        return []
    return pieces(words("player.brief.lateness"), {"lateness": duration(lateness)})


def _trigger(operator: model.Operator) -> list[Parts]:
    """What makes it fire, where that is not simply the end of the window; of SQL what comes early and late."""
    if not isinstance(operator, model.Window | model.WindowJoin):
        return []
    trigger = operator.trigger
    if isinstance(trigger, model.AfterEndOfWindow):
        sides = (("early", trigger.early), ("late", trigger.late))
        return [
            pieces(words(f"player.brief.trigger.{side}"), {"how": beside_the_end(inner)})
            for side, inner in sides
            if inner is not None
        ]
    usual = model.ProcessingTimeTrigger() if operator.time == "processing" else model.EventTimeTrigger()
    return [] if trigger == usual and not isinstance(operator.assigner, model.Global) else [_fires(trigger)]


def _fires(trigger: model.Trigger) -> Parts:
    match trigger:
        case model.PurgingTrigger():
            return [*_fires(trigger.inner), (words("player.brief.trigger.purging"), False)]
        case model.ProcessingTimeoutTrigger():
            more = pieces(words("player.brief.trigger.timeout"), {"timeout": duration(trigger.timeout)})
            return [*_fires(trigger.inner), *more]
        case model.CountTrigger(max=1) | model.CountElement(max=1):
            return pieces(words("player.brief.trigger.every-element"), {})
        case model.ContinuousProcessingTimeTrigger() | model.ProcessingTimeEvery():
            return pieces(words("player.brief.trigger.clock"), {"interval": duration(trigger.interval)})
        case _:
            return pieces(words(f"player.brief.trigger.{trigger.type}"), numbers(trigger))


def _computed(operator: model.Operator) -> Parts:
    function = getattr(operator, "function", None)
    if function is not None and hasattr(operator, "assigner"):
        compute = words(f"player.sentence.compute.{function.compute or 'collect'}").lower()
        return [(words("player.brief.compute", compute=compute), False)]
    return pieces(words("player.brief.join"), {}) if isinstance(operator, model.WindowJoin) else []
