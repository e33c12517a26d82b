"""The configuration of a scenario as one sentence; its values are marked to stand out."""

from tidemark.simulator.scenario import model
from tidemark.simulator.timeline.wording import duration
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
    zone = operator.session_zone
    return [] if zone is None else pieces(words("player.sentence.in_zone"), {"zone": zone})


def _template(operator: model.Operator) -> str:
    both = words("player.sentence.included.both") if operator.open_bounds == (False, False) else ""
    return words(f"player.sentence.{operator.said}") + both


def _operator_values(operator: model.Operator) -> dict[str, str]:
    values = setting_values(operator)
    if operator.assigner is not None:
        values["assigner"] = _assigner(operator.assigner)
    if operator.written_bounds is not None and operator.open_bounds is not None:
        values["lower"], values["upper"] = _bounds(operator.written_bounds, operator.open_bounds, operator.one_side)
    return values


def setting_values(operator: model.Operator) -> dict[str, str]:
    """The operator's own settings as text."""
    return {each.name: _text(each) for each in operator.settings}


def _text(setting: model.Setting) -> str:
    if setting.name == "compute":
        return words(f"player.sentence.compute.{setting.value}")
    return duration(int(setting.value)) if setting.kind == "span" else str(setting.value)


def _bounds(bounds: tuple[int, int], are_open: tuple[bool, bool], one_side: int) -> tuple[str, str]:
    """``2 s before`` and ``less than 1 s after``; without the side where both have the same, which is said once."""
    texts = []
    for bound, is_lower, exclusive in zip(bounds, (True, False), are_open, strict=True):
        after = one_side == 1 or (one_side == 0 and bound >= 0)
        text = duration(abs(bound))
        if exclusive:
            # An exclusive bound is nearer to the record, or further from it.
            nearer = is_lower != after
            text = words(f"player.sentence.included.{'less' if nearer else 'more'}", span=text)
        texts.append(text if one_side else words(f"player.sentence.{'after' if after else 'before'}", span=text))
    return texts[0], texts[1]


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
    if scenario.operator.time == "processing":
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
    if not operator.windows_end_by_watermark:
        return []
    lateness, side = operator.allowed_lateness, operator.late_output == "side"
    if operator.is_table_function:
        # Nothing is late before the last window that a slice serves is over.
        return pieces(words(f"player.sentence.{'late_in_slices' if operator.keeps_slices else 'late_dropped'}"), {})
    if not lateness:
        return pieces(words(f"player.sentence.{'late_side' if side else 'late_dropped'}"), {})
    parts = pieces(words("player.sentence.lateness"), {"lateness": duration(lateness)})
    return parts + (pieces(words("player.sentence.side"), {}) if side else [])


def _evictor(operator: model.Operator) -> Parts:
    evictor = operator.evictor
    if evictor is None:
        return []
    return in_pieces(evictor, f"sentence_{'after' if evictor.after else 'before'}")


def _mode(operator: model.Operator) -> Parts:
    """Spark's output mode, and in a join with two watermarks the policy."""
    mode = operator.output_mode or operator.watermark_policy
    return [] if mode is None else pieces(words(f"player.sentence.mode.{mode}"), {"mode": mode})


def _trigger(operator: model.Operator) -> Parts:
    trigger = operator.trigger
    if trigger is None:
        return []
    name = "trigger_at" if isinstance(trigger, model.AfterEndOfWindow) else "trigger"
    return pieces(words(f"player.sentence.{name}"), {"trigger": in_words(trigger, "sentence")})
