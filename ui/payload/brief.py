"""The configuration of a scenario in the fewest words that still say everything: for a room to read in a glance."""

from tidemark.simulator.scenario import model
from tidemark.simulator.timeline.format import duration
from tidemark.simulator.words import pieces, words
from tidemark.ui.payload.parts import Parts, beside_the_end, in_pieces
from tidemark.ui.payload.sentence import frame_values


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
    assigner = getattr(operator, "assigner", None)
    if assigner is not None:
        return in_pieces(assigner, "brief")
    if isinstance(operator, model.IntervalJoin | model.SparkJoin):
        lower, upper = ("–" if bound is None else duration(bound) for bound in (operator.lower, operator.upper))
        return pieces(words("player.brief.interval"), {"lower": lower, "upper": upper})
    match operator:
        case model.TemporalJoin():
            return pieces(words("player.brief.temporal_join"), {})
        case model.Deduplicate():
            return pieces(words(f"player.brief.deduplicate_{operator.keep}"), {})
        case model.Over(frame=frame):
            values = frame_values(frame)
            kind = next(iter(values), "unbounded")
            kind = "rows_one" if values.get("rows") == "1" else kind
            return pieces(words(f"player.brief.over_{kind}"), values)
        case _:
            return pieces(words("player.brief.event_sort"), {})


def _zone(operator: model.Operator) -> Parts:
    zone = model.session_zone_of(operator)
    return [] if zone is None else pieces(words("player.brief.in_zone"), {"zone": zone})


def _watermark(scenario: model.Scenario) -> Parts:
    if scenario.engine == "spark":
        delays = [each.delay for each in scenario.inputs if each.delay is not None]
        return pieces(words("player.brief.watermark.delay"), {"bound": duration(delays[0])}) if delays else []
    if getattr(scenario.operator, "time", "event") == "processing":
        return pieces(words("player.brief.watermark.processing"), {})
    specs = list(dict.fromkeys(each.watermark for each in scenario.inputs))
    parts: Parts = []
    for number, spec in enumerate(specs):
        parts += [(" / ", False)] if number else []
        parts += in_pieces(spec, "brief")
    return parts


def _lateness(operator: model.Operator) -> Parts:
    lateness = getattr(operator, "allowed_lateness", None)
    if not lateness or getattr(operator, "time", "event") == "processing":
        return []
    return pieces(words("player.brief.lateness"), {"lateness": duration(lateness)})


def _trigger(operator: model.Operator) -> list[Parts]:
    """What makes a window fire, if that is not simply its end; in SQL, what fires early and late."""
    if not isinstance(operator, model.Windowed):
        return []
    trigger = operator.trigger
    if isinstance(trigger, model.AfterEndOfWindow):
        return list(beside_the_end(trigger))
    usual = model.ProcessingTimeTrigger() if operator.time == "processing" else model.EventTimeTrigger()
    return [] if trigger == usual and not isinstance(operator.assigner, model.Global) else [in_pieces(trigger, "brief")]


def _computed(operator: model.Operator) -> Parts:
    if isinstance(operator, model.WindowTopN):
        return pieces(words(f"player.brief.top_n.{operator.order}"), {"n": str(operator.n)})
    function = getattr(operator, "function", None)
    if function is not None and not isinstance(operator, model.Process):
        compute = words(f"player.sentence.compute.{function.compute or 'collect'}").lower()
        return [(words("player.brief.compute", compute=compute), False)]
    return pieces(words("player.brief.join"), {}) if isinstance(operator, model.WindowJoin) else []
