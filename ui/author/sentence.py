"""The sentence for the browser, and the controls of a generated stream. An edit names the control that it changes."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.editing import EditError, Path, Plain, ScenarioText, put, remove
from tidemark.simulator.words import words
from tidemark.ui.author.cells import CellError
from tidemark.ui.author.controls import Clause, Control, clauses, span_control, whole_control

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
    for extra in ("emit", "idle_timeout", "more", "offset"):
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
