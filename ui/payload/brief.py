"""The configuration of a scenario in the fewest words that still say everything: for a room to read in a glance."""

from tidemark.simulator.scenario import model
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import pieces, words
from tidemark.ui.payload.parts import Parts, beside_the_end, in_pieces
from tidemark.ui.payload.sentence import setting_values


def brief(scenario: model.Scenario) -> list[Parts]:
    """``tumbling **5 s**``, ``bound **2 s**``, ``sum per key`` and the like: each piece with its values marked."""
    operator = scenario.operator
    told = [
        _windows(operator),
        _zone(operator),
        _watermark(scenario),
        _lateness(operator),
        *_trigger(operator),
        _computed(operator),
    ]
    return [piece for piece in told if piece]


def _windows(operator: model.Operator) -> Parts:
    if operator.assigner is not None:
        return in_pieces(operator.assigner, "brief")
    if operator.joins_by_time:
        values = {"lower": "–", "upper": "–"} | setting_values(operator)
        return pieces(words("player.brief.interval"), values)
    return pieces(words(f"player.brief.{operator.said_briefly}"), setting_values(operator))


def _zone(operator: model.Operator) -> Parts:
    zone = operator.session_zone
    return [] if zone is None else pieces(words("player.brief.in_zone"), {"zone": zone})


def _watermark(scenario: model.Scenario) -> Parts:
    if scenario.engine == "spark":
        delays = [each.delay for each in scenario.inputs if each.delay is not None]
        return pieces(words("player.brief.watermark.delay"), {"bound": duration(delays[0])}) if delays else []
    if scenario.operator.time == "processing":
        return pieces(words("player.brief.watermark.processing"), {})
    specs = list(dict.fromkeys(each.watermark for each in scenario.inputs))
    parts: Parts = []
    for number, spec in enumerate(specs):
        parts += [(" / ", False)] if number else []
        parts += in_pieces(spec, "brief")
    return parts


def _lateness(operator: model.Operator) -> Parts:
    lateness = operator.allowed_lateness
    if not lateness or operator.time == "processing":
        return []
    return pieces(words("player.brief.lateness"), {"lateness": duration(lateness)})


def _trigger(operator: model.Operator) -> list[Parts]:
    """What makes a window fire, if that is not simply its end; in SQL, what fires early and late."""
    trigger = operator.trigger
    if trigger is None:
        return []
    if isinstance(trigger, model.AfterEndOfWindow):
        return list(beside_the_end(trigger))
    usual = model.ProcessingTimeTrigger() if operator.time == "processing" else model.EventTimeTrigger()
    return [] if trigger == usual and not isinstance(operator.assigner, model.Global) else [in_pieces(trigger, "brief")]


def _computed(operator: model.Operator) -> Parts:
    values = setting_values(operator)
    if operator.result_briefly:
        return pieces(words(f"player.brief.{operator.result_briefly}"), values)
    if "compute" not in values:
        return []
    return [(words("player.brief.compute", compute=values["compute"].lower()), False)]
