"""The configuration as one sentence with controls in it: the value of each, its choices, and what it writes."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Final, get_args

from tidemark.simulator.engine.values.duration import format_duration
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.editing import EditError, Path, Plain, ScenarioText, Value, put, remove
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import words
from tidemark.ui.author.cells import CellError, span_written

Write = Callable[[ScenarioText, str], ScenarioText]
"""A function of the text and of what was typed or chosen; it returns the new text."""

AS_WRITTEN: Final = "as-written"
"""The choice that leaves a member as it is, if that is none of the other choices."""

PROCESSING: Final = ("processing-time", "continuous-processing-time", "count")
EVENT: Final = ("event-time", "continuous-event-time", "count")
TABLE: Final = ("after-end-of-window", "late-updates", "every-element", "count")
GLOBAL: Final = ("never", "count")

STRATEGIES: Final[dict[str, type[model.WatermarkSpec]]] = {each.type: each for each in get_args(model.WatermarkSpec)}


@dataclass(frozen=True)
class Control:
    """``kind``: ``choice``, ``span`` (a length of time) or ``whole``. ``choices``: values and their labels."""

    name: str
    kind: str
    value: str
    write: Write = field(compare=False)
    choices: tuple[tuple[str, str], ...] = ()


Clause = tuple[str, dict[str, Control]]
"""The name of a template below ``author.sentence``, and the controls for its placeholders."""


def clauses(scenario: model.Scenario) -> Iterator[Clause]:
    """The clauses of the sentence, in order."""
    operator = scenario.operator
    assigner = operator.assigner
    if assigner is not None:
        yield f"assigner.{assigner.type}", _assigner(scenario)
    yield operator.clause, {each.name: _control(each) for each in operator.settings}
    yield from _watermarks(scenario)
    processing = operator.time == "processing"
    if operator.is_table_function:
        return
    if operator.keeps_windows and not processing and not isinstance(assigner, model.Global):
        yield (
            "lateness",
            {"lateness": span_control("lateness", operator.allowed_lateness, ("operator", "allowed_lateness"))},
        )
    if operator.trigger is not None:
        yield "trigger", _trigger(operator)
    if operator.late_output is not None and not operator.in_sql and not processing:
        late = _choice("late_output", operator.late_output, ("drop", "side"), ("operator", "late_output"))
        yield "late_output", {"late_output": late}
    if operator.output_mode is not None:
        modes = ("append", "update", "complete")
        yield "output_mode", {"mode": _choice("mode", operator.output_mode, modes, ("operator", "output_mode"))}


# --- what writes ---------------------------------------------------------------------------------------------------


def span_control(name: str, ms: int, path: Path) -> Control:
    return Control(name, "span", duration(ms), lambda text, typed: put(text, path, span_written(typed)))


def whole_control(name: str, number: int, path: Path) -> Control:
    def write(text: ScenarioText, typed: str) -> ScenarioText:
        digits = typed.replace(",", "").replace(" ", "").strip()
        if not digits.lstrip("-").isascii() or not digits.lstrip("-").isdigit() or len(digits) > 20:
            raise CellError("no_whole")
        return put(text, path, int(digits))

    return Control(name, "whole", str(number), write)


def _control(setting: model.Setting) -> Control:
    """The control of one of the operator's own settings."""
    if setting.kind == "fixed":
        return Control(setting.name, "fixed", str(setting.value), lambda text, typed: text)
    if setting.kind == "choice":
        return _choice(setting.name, str(setting.value), setting.choices, setting.path)
    make = span_control if setting.kind == "span" else whole_control
    return make(setting.name, int(setting.value), setting.path)


def _choice(name: str, value: str, choices: tuple[str, ...], path: Path) -> Control:
    return Control(name, "choice", value, lambda text, chosen: put(text, path, Plain(chosen)), _named(name, choices))


def _named(name: str, choices: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((each, words(f"author.choices.{name}.{each}")) for each in choices)


def _written_span(ms: int) -> Plain:
    return Plain(format_duration(ms))


# --- windows -------------------------------------------------------------------------------------------------------


def _assigner(scenario: model.Scenario) -> dict[str, Control]:
    operator = scenario.operator
    assigner: Any = operator.assigner
    path = ("operator", "assigner")
    kinds = ["tumbling", "sliding", "session"]
    if operator.in_sql:
        kinds.append("cumulative")
        if operator.drops_by_window:
            kinds.remove("session")  # a Top-N has none
    elif scenario.engine == "flink":
        kinds.append("global")
    if assigner.type not in kinds:
        kinds.append(assigner.type)
    spans = {name: getattr(assigner, name) for name in ("size", "slide", "max_size", "step", "gap")
             if hasattr(assigner, name)}  # fmt: skip
    length = next(iter(spans.values()), 10_000)

    def write(text: ScenarioText, chosen: str) -> ScenarioText:
        return text if chosen == assigner.type else put(text, path, _of_kind(chosen, length))

    controls = {"assigner": Control("assigner", "choice", assigner.type, write, _named("assigner", tuple(kinds)))}
    controls |= {name: span_control(name, ms, (*path, name)) for name, ms in spans.items()}
    if isinstance(assigner, model.DynamicSession):
        field_path = (*path, "gap_field")
        controls["gap_field"] = Control(
            "gap_field", "text", assigner.gap_field, lambda text, typed: put(text, field_path, typed.strip())
        )
    if getattr(assigner, "offset", 0):
        controls["offset"] = span_control("offset", assigner.offset, (*path, "offset"))
    return controls


def _of_kind(kind: str, length: int) -> dict[str, Value]:
    """An assigner of another kind with about the same length (ms) of window."""
    half = max(length // 2, 1)
    spans = {
        "tumbling": {"size": length},
        "sliding": {"size": length, "slide": half},
        "cumulative": {"max_size": half * 2, "step": half},
        "session": {"gap": length},
    }.get(kind, {})
    return {"type": Plain(kind), **{name: _written_span(ms) for name, ms in spans.items()}}


def _trigger(operator: Any) -> dict[str, Control]:
    trigger = operator.trigger
    if operator.api == "sql":
        kinds: tuple[str, ...] = TABLE
    elif isinstance(operator.assigner, model.Global):
        kinds = GLOBAL
    else:
        kinds = PROCESSING if operator.time == "processing" else EVENT
    value = trigger.type
    if value == "after-end-of-window" and (trigger.early or trigger.late):
        plain_late = trigger.early is None and isinstance(trigger.late, model.EveryElement)
        value = "late-updates" if plain_late else AS_WRITTEN
    if value not in kinds:
        value = AS_WRITTEN
    names = kinds if value != AS_WRITTEN else (AS_WRITTEN, *kinds)

    def write(text: ScenarioText, chosen: str) -> ScenarioText:
        return text if chosen in (AS_WRITTEN, value) else put(text, ("operator", "trigger"), _trigger_of(chosen))

    controls = {"trigger": Control("trigger", "choice", value, write, _named("trigger", names))}
    if isinstance(trigger, model.CountTrigger | model.CountElement):
        controls["more"] = whole_control("max", trigger.max, ("operator", "trigger", "max"))
    if isinstance(trigger, model.ContinuousEventTimeTrigger | model.ContinuousProcessingTimeTrigger):
        controls["more"] = span_control("interval", trigger.interval, ("operator", "trigger", "interval"))
    return controls


def _trigger_of(kind: str) -> dict[str, Value]:
    if kind == "late-updates":
        return {"type": Plain("after-end-of-window"), "late": {"type": Plain("every-element")}}
    more: dict[str, dict[str, Value]] = {
        "count": {"max": 3},
        "continuous-event-time": {"interval": Plain("1s")},
        "continuous-processing-time": {"interval": Plain("1s")},
    }
    return {"type": Plain(kind), **more.get(kind, {})}


# --- watermarks ----------------------------------------------------------------------------------------------------


def _watermarks(scenario: model.Scenario) -> Iterator[Clause]:
    """One clause if all inputs generate them alike; its controls then write to all inputs."""
    if scenario.operator.time == "processing":
        return
    if scenario.engine == "spark":
        for each in scenario.inputs:
            if each.delay is not None:
                delay = span_control(f"{each.name}.delay", each.delay, ("inputs", each.name, "watermark", "delay"))
                yield "delay", {"delay": delay}
        return
    specs = {each.watermark for each in scenario.inputs}
    groups = [scenario.inputs] if len(specs) == 1 else [(each,) for each in scenario.inputs]
    for inputs in groups:
        spec = inputs[0].watermark
        names = tuple(each.name for each in inputs)
        prefix = "" if len(groups) == 1 else f"{names[0]}."
        controls = {"generator": _generator(spec, names, prefix)}
        if spec.has_bound:
            controls["bound"] = _of_inputs(f"{prefix}bound", spec.bound, names, "bound")
        if spec.emit != model.EACH_RECORD:
            controls["emit"] = _of_inputs(f"{prefix}emit", spec.emit, names, "emit")
        if spec.idle_timeout:
            controls["idle_timeout"] = _of_inputs(f"{prefix}idle_timeout", spec.idle_timeout, names, "idle_timeout")
        if isinstance(spec, model.SqlWatermark) and spec.when:
            controls["when"] = Control(f"{prefix}when", "fixed", spec.when, lambda text, typed: text)
        if prefix:
            controls["input"] = Control("input", "fixed", names[0], lambda text, typed: text)
        yield ("watermark_of" if prefix else "watermark"), controls


def _of_inputs(name: str, ms: int, inputs: tuple[str, ...], member: str) -> Control:
    def write(text: ScenarioText, typed: str) -> ScenarioText:
        value = span_written(typed)
        for each in inputs:
            text = put(text, ("inputs", each, "watermark", member), value)
        return text

    return Control(name, "span", duration(ms), write)


def _generator(spec: model.WatermarkSpec, inputs: tuple[str, ...], prefix: str) -> Control:
    def write(text: ScenarioText, chosen: str) -> ScenarioText:
        if chosen == spec.type:
            return text
        new: dict[str, Value] = {"generator": Plain(chosen)}
        takes = {each.name for each in fields(STRATEGIES[chosen])}
        if "bound" in takes:
            new["bound"] = _written_span(spec.bound or 2_000)
        if spec.emit != model.EACH_RECORD and "emit" in takes:
            new["emit"] = _written_span(spec.emit)
        if spec.idle_timeout and "idle_timeout" in takes:
            new["idle_timeout"] = _written_span(spec.idle_timeout)
        for each in inputs:
            text = put(text, ("inputs", each, "watermark"), new)
        return text

    return Control(f"{prefix}generator", "choice", spec.type, write, _named("generator", tuple(STRATEGIES)))


# The sentence for the browser, and the controls of a generated stream. An edit names the control that it changes.

Piece = dict[str, Any]

GENERATE: Final[Path] = ("stream", "generate")


def controls_of(scenario: model.Scenario) -> dict[str, Control]:
    """Every control of the page by its name."""
    found = {control.name: control for _, controls in clauses(scenario) for control in controls.values()}
    if isinstance(scenario.stream, model.Generated):
        found |= {control.name: control for control in generator(scenario.stream)}
    return found


def pieces(scenario: model.Scenario) -> list[Piece]:
    """The sentence: texts ({text}) and controls ({name, kind, value, label, choices}), in order."""
    said: list[Piece] = []
    for number, clause in enumerate(clauses(scenario)):
        if number:
            said.append({"text": words("author.sentence.then")})
        said += _said(clause)
    return [*said, {"text": words("author.sentence.stop")}]


def _said(clause: Clause) -> Iterator[Piece]:
    name, controls = clause
    template = words(f"author.sentence.{_template(name, controls)}")
    for extra in ("emit", "idle_timeout", "when", "state_ttl", "more", "offset"):
        if extra in controls:
            template += words(f"author.sentence.{extra}")
    for part in re.split(r"(\{\w+\})", template):
        if part.startswith("{"):
            yield as_json(controls[part[1:-1]])
        elif part:
            yield {"text": part}


def _template(name: str, controls: dict[str, Control]) -> str:
    """A clause about watermarks has a template for each generator."""
    if "generator" not in controls:
        return name
    return f"{name}.{controls['generator'].value}"


def as_json(control: Control) -> Piece:
    """A control as the browser needs it. A ``fixed`` one is a text."""
    if control.kind == "fixed":
        return {"text": control.value}
    return {
        "name": control.name,
        "kind": control.kind,
        "value": control.value,
        "label": words(f"author.controls.{control.name.rpartition('.')[2]}"),
        "choices": [list(each) for each in control.choices],
    }


def generator(stream: model.Generated) -> list[Control]:
    """The controls of a generated stream."""
    low, high = stream.values
    return [
        whole_control("events", stream.events, (*GENERATE, "events")),
        whole_control("seed", stream.seed, (*GENERATE, "seed")),
        whole_control("keys", stream.keys, (*GENERATE, "keys")),
        span_control("every", stream.every, (*GENERATE, "every")),
        span_control("disorder", stream.disorder, (*GENERATE, "disorder", "max")),
        _share("late_share", stream.late_millionths, stream.late_by),
        span_control("late_by", stream.late_by, (*GENERATE, "late", "by")),
        _values("low", stream.values, lambda text, number: _put_values(text, number, max(number, high))),
        _values("high", stream.values, lambda text, number: _put_values(text, min(low, number), number)),
        Control("end", "choice", "yes" if stream.end else "no", _put_end,
                tuple((each, words(f"author.choices.end.{each}")) for each in ("yes", "no"))),
    ]  # fmt: skip


def _share(name: str, millionths: int, late_by: int) -> Control:
    def write(text: ScenarioText, typed: str) -> ScenarioText:
        found = re.fullmatch(r"\s*(\d{1,3}(?:[.,]\d{1,4})?)\s*+%?\s*+", typed, re.ASCII)
        if found is None or (share := float(found[1].replace(",", "."))) > 100:
            raise CellError("no_share")
        text = put(text, (*GENERATE, "late", "fraction"), round(share / 100, 6))
        return text if late_by else put(text, (*GENERATE, "late", "by"), Plain("10s"))

    return Control(name, "share", f"{millionths / 10_000:g} %", write)


def _values(name: str, values: tuple[int, int], make: Callable[[ScenarioText, int], ScenarioText]) -> Control:
    def write(text: ScenarioText, typed: str) -> ScenarioText:
        try:
            number = int(typed.strip())
        except ValueError:
            raise CellError("no_whole") from None
        return make(text, number)

    return Control(name, "whole", str(values[0] if name == "low" else values[1]), write)


def _put_values(text: ScenarioText, low: int, high: int) -> ScenarioText:
    return put(text, (*GENERATE, "values"), [low, high])


def _put_end(text: ScenarioText, chosen: str) -> ScenarioText:
    if chosen == "yes":
        return put(text, (*GENERATE, "end"), True)
    try:
        return remove(text, (*GENERATE, "end"))
    except EditError:
        return put(text, (*GENERATE, "end"), False)
