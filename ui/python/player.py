"""The player in a cell: a widget whose ``step`` Python reads and sets, or its page where there is no anywidget."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from tidemark.simulator.scenario.model import Scenario
from tidemark.ui.python.frames import InputError, named, whole_number
from tidemark.ui.share.notebook import SANDBOX, Shown, shown

_SCRIPT: Final = """
// The page in a frame of its own; docs/users/EMBEDDING.md has the messages.
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", model.get("_sandbox"));
  frame.title = model.get("_title");
  frame.style.cssText = `border: 0; width: 100%; height: ${model.get("_height")}px`;
  let said = null; // the step that the player said last; null until it is where Python wants it
  const go = () => {
    const step = model.get("step");
    if (step !== said) frame.contentWindow?.postMessage({ to: "tidemark", kind: "go", step }, "*");
  };
  const hear = ({ source, data }) => {
    if (source !== frame.contentWindow || data?.source !== "tidemark") return;
    if (data.kind === "ready") {
      said = null;
      go();
    } else if (data.kind === "step" && (said !== null || data.step === model.get("step"))) {
      said = data.step;
      model.set("step", said);
      model.save_changes();
    }
  };
  window.addEventListener("message", hear);
  model.on("change:step", go);
  frame.srcdoc = model.get("_page");
  el.append(frame);
  return () => {
    window.removeEventListener("message", hear);
    model.off("change:step", go);
  };
}
export default { render };
"""


def player(scenario: Scenario, *, step: int, height: int, language: str | None, student: bool) -> Any:
    """A widget with the trait ``step`` where anywidget is installed, else a ``Shown``."""
    if (pixels := whole_number(height)) is None or pixels < 1:
        raise InputError("no_height", found=named(height))
    step = step if (number := whole_number(step)) is None else number
    page = shown(scenario, step=step, height=pixels, language=language, student=student)
    return page if find_spec("anywidget") is None else _widget()(page, step)


@cache
def _widget() -> type:
    """The class of the widget, made when the first one is shown: what it is based on takes a moment to import."""
    anywidget: Any = import_module("anywidget")
    traitlets: Any = import_module("traitlets")

    class Player(anywidget.AnyWidget):  # type: ignore[misc]
        """The player of a run; ``step`` is the micro-step that it shows, for Python to read, set and observe."""

        _esm = _SCRIPT
        _page = traitlets.Unicode().tag(sync=True)
        _title = traitlets.Unicode().tag(sync=True)
        _sandbox = traitlets.Unicode(SANDBOX).tag(sync=True)
        _height = traitlets.Int().tag(sync=True)
        step = traitlets.Int().tag(sync=True)

        def __init__(self, page: Shown, step: int) -> None:
            self._last = page.last
            super().__init__(_page=page.page, _title=page.title, _height=page.height, step=step)

        @traitlets.validate("step")  # type: ignore[untyped-decorator]
        def _within(self, proposal: Any) -> int:
            step: int = proposal["value"]
            if not 0 <= step <= self._last:
                raise InputError("no_step", step=step, last=self._last)
            return step

    return Player
