"""The configuration of a scenario as one sentence; its values are marked to stand out."""

from tidemark.simulator.scenario import model
from tidemark.simulator.timeline.format import duration
from tidemark.simulator.words import pieces, words
from tidemark.ui.payload.parts import Parts, in_pieces, in_words


def sentence(scenario: model.Scenario) -> Parts:
    """``Sum per key in **tumbling 5 s** windows; the watermark waits **2 s** (bound), …``"""
    operator = scenario.operator
    template = _template(operator)
    parts = pieces(template, _operator_values(operator))
    own = (_lateness(operator), _trigger(operator), _evictor(operator), _mode(operator))
    clauses = [clause for clause in (_zone(operator), _watermark(scenario), *own) if clause]
    for number, clause in enumerate(clauses):
        parts += [(words("app.comma" if number else "app.semicolon"), False), *clause]
    return parts


def _zone(operator: model.Operator) -> Parts:
    zone = model.session_zone_of(operator)
    return [] if zone is None else pieces(words("player.sentence.in_zone"), {"zone": zone})


def _template(operator: model.Operator) -> str:
    match operator:
        case model.Window() | model.SparkWindow():
            return words("player.sentence.window")
        case model.WindowTopN():
            return words(f"player.sentence.top_n.{operator.order}")
        case model.WindowJoin():
            return words(f"player.sentence.{operator.type.replace('-', '_')}")
        case model.IntervalJoin():
            side = {1: "_after", -1: "_before"}.get(_one_side(operator), "")
            both = not operator.lower_exclusive and not operator.upper_exclusive
            included = words("player.sentence.included.both") if both else ""
            return words(f"player.sentence.interval_join{side}") + included
        case model.SparkJoin():
            return words(
                "player.sentence.stream_join" if operator.lower is not None else "player.sentence.stream_join_any"
            )
        case model.TemporalJoin():
            return words(f"player.sentence.temporal_join_{operator.kind}")
        case model.Over():
            return words(f"player.sentence.over_{_frame_kind(operator.frame)}")
        case model.Deduplicate():
            return words(f"player.sentence.deduplicate_{operator.keep}")
        case _:
            return words("player.sentence.event_sort")


def _frame_kind(frame: model.Frame) -> str:
    if model.UNBOUNDED in (frame.rows, frame.range):
        return "unbounded"
    return "range" if frame.rows is None else "rows"


def _operator_values(operator: model.Operator) -> dict[str, str]:
    values: dict[str, str] = {}
    function = getattr(operator, "function", None)
    if function is not None:
        values["compute"] = words(f"player.sentence.compute.{function.compute or 'collect'}")
    if isinstance(operator, model.WindowTopN):
        values["n"] = str(operator.n)
    if (assigner := getattr(operator, "assigner", None)) is not None:
        values["assigner"] = _assigner(assigner)
    if isinstance(operator, model.IntervalJoin):
        values["lower"], values["upper"] = _bounds(operator)
    if isinstance(operator, model.Over):
        values |= frame_values(operator.frame)
    if isinstance(operator, model.SparkJoin):
        bounds = (operator.lower, operator.upper)
        values["lower"], values["upper"] = ("–" if b is None else duration(b) for b in bounds)
    return values


def frame_values(frame: model.Frame) -> dict[str, str]:
    """``rows``: how many before the current one; ``range``: how long before it. Empty for an unbounded frame."""
    values = {}
    if isinstance(frame.rows, int):
        values["rows"] = str(frame.rows)
    if isinstance(frame.range, int):
        values["range"] = duration(frame.range)
    return values


def _one_side(operator: model.IntervalJoin) -> int:
    """1 where both bounds lie after the record that they are measured by, -1 where both lie before it, else 0."""
    return 1 if operator.lower >= 0 else -1 if operator.upper <= 0 else 0


def _bounds(operator: model.IntervalJoin) -> tuple[str, str]:
    """``2 s before`` and ``less than 1 s after``; without the side where both have the same, which is said once."""
    one_side = _one_side(operator)
    told = []
    for bound, is_lower, exclusive in (
        (operator.lower, True, operator.lower_exclusive),
        (operator.upper, False, operator.upper_exclusive),
    ):
        after = one_side == 1 or (one_side == 0 and bound >= 0)
        text = duration(abs(bound))
        if exclusive:
            # An exclusive bound is nearer to the record, or further from it.
            nearer = is_lower != after
            text = words(f"player.sentence.included.{'less' if nearer else 'more'}", span=text)
        told.append(text if one_side else words(f"player.sentence.{'after' if after else 'before'}", span=text))
    return told[0], told[1]


def _assigner(assigner: model.Assigner) -> str:
    text = in_words(assigner, "sentence")
    offset = getattr(assigner, "offset", 0)
    return words("player.sentence.offset", assigner=text, offset=duration(offset)) if offset else text


def _watermark(scenario: model.Scenario) -> Parts:
    """How the watermark is generated; with several inputs, each that differs from the first is named."""
    specs = {each.name: each.watermark for each in scenario.inputs}
    if scenario.engine == "spark":
        delays = [each.delay for each in scenario.inputs if each.delay is not None]
        return pieces(words("player.sentence.watermark.delay"), {"bound": duration(delays[0])}) if delays else []
    if getattr(scenario.operator, "time", "event") == "processing":
        return pieces(words("player.sentence.watermark.processing"), {})
    parts: Parts = []
    for name, spec in specs.items():
        clause = in_pieces(spec, "sentence")
        if spec.emit != model.EACH_RECORD:
            clause += pieces(words("player.sentence.watermark.emit"), {"emit": duration(spec.emit)})
        if spec.idle_timeout:
            clause += pieces(words("player.sentence.watermark.idle"), {"idle": duration(spec.idle_timeout)})
        if len(set(specs.values())) == 1:
            return clause
        parts += [(words("app.comma") if parts else "", False), (f"{name}: ", False), *clause]
    return parts


def _lateness(operator: model.Operator) -> Parts:
    lateness = getattr(operator, "allowed_lateness", None)
    if lateness is None or getattr(operator, "time", "event") == "processing":
        return []
    if isinstance(getattr(operator, "assigner", None), model.Global):
        return []
    side = getattr(operator, "late_output", "drop") == "side"
    if model.of_table_function(operator):
        # Nothing is late before the last window that a slice serves is over.
        shares = isinstance(operator, model.Window) and operator.assigner.overlaps
        return pieces(words(f"player.sentence.{'late_in_slices' if shares else 'late_dropped'}"), {})
    if not lateness:
        return pieces(words(f"player.sentence.{'late_side' if side else 'late_dropped'}"), {})
    parts = pieces(words("player.sentence.lateness"), {"lateness": duration(lateness)})
    return parts + (pieces(words("player.sentence.side"), {}) if side else [])


def _evictor(operator: model.Operator) -> Parts:
    evictor = getattr(operator, "evictor", None)
    if evictor is None:
        return []
    return in_pieces(evictor, f"sentence_{'after' if evictor.after else 'before'}")


def _mode(operator: model.Operator) -> Parts:
    """Spark's output mode, and in a join with two watermarks the policy."""
    mode = getattr(operator, "output_mode", None) or getattr(operator, "watermark_policy", None)
    return [] if mode is None else pieces(words(f"player.sentence.mode.{mode}"), {"mode": mode})


def _trigger(operator: model.Operator) -> Parts:
    trigger = getattr(operator, "trigger", None)
    if trigger is None:
        return []
    name = "trigger_at" if isinstance(trigger, model.AfterEndOfWindow) else "trigger"
    return pieces(words(f"player.sentence.{name}"), {"trigger": in_words(trigger, "sentence")})
