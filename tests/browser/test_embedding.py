"""The pages of EMBEDDING.md: frames in plain HTML, in reveal.js, in the output of a notebook. No network."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tidemark.ui.share.notebook import show

import tidemark
from tests.browser.opening import visit
from tests.browser.player import ROOT

GUIDE = (ROOT / "docs" / "users" / "EMBEDDING.md").read_text(encoding="utf-8")
SCENARIO = ROOT / "scenarios" / "late-but-allowed.yaml"

READY = '.tidemark-player[data-ready="true"]'
HEARD = "addEventListener('message', ({data}) => data?.source === 'tidemark' && (window.heard ??= []).push(data))"
REVEAL = """<script>
  const listeners = [];
  const Reveal = { getCurrentSlide: () => document.querySelector("section"), on: (_, run) => listeners.push(run) };
  const fragments = document.getElementsByClassName("fragment");
  const next = (number) => {
    [...fragments].forEach((each, at) => each.classList.toggle("visible", at <= number));
    listeners[0]();
  };
</script>"""


MODEL = """
const listeners = {};
window.model = {
  get: (name) => state[name],
  set: (name, value) => {
    if (state[name] === value) return;
    state[name] = value;
    listeners[`change:${name}`]?.();
  },
  save_changes: () => (window.saved = model.get("step")),
  on: (event, run) => (listeners[event] = run),
  off: (event) => delete listeners[event],
};
window.leave = widget.render({ model, el: document.body });
"""
"""The part of a notebook's page that a widget talks to: what is saved there goes to Python."""


def widget(step: int) -> str:
    """A page with the widget of a run, at ``step``."""
    player = tidemark.load(SCENARIO).run().player(step=step)
    state = {name: getattr(player, name) for name in ("_page", "_title", "_sandbox", "_height", "step")}
    script = player._esm.replace("export default", "const widget =")
    data = json.dumps(state).replace("</", "<\\/")
    return f"<body><script type=module>{script}const state = {data};{MODEL}</script></body>"


def example(chapter: str, number: int = 0) -> str:
    """A block of HTML as the guide has it."""
    text = GUIDE.split(f"\n## {chapter}\n")[1].split("\n## ")[0]
    return re.findall(r"```html\n(.*?)```", text, re.DOTALL)[number]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the HTML file, a page for each kind of course, and the output of a notebook's cell."""
    folder = tmp_path_factory.mktemp("course")
    cell = show(SCENARIO, step=80)
    (folder / "late-but-allowed.html").write_text(cell.page.replace(' data-frame="true"', ""), encoding="utf-8")
    (folder / "plain.html").write_text(example("Plain HTML", 1), encoding="utf-8")
    slide = example("reveal.js").replace("data-src", "src")
    (folder / "slides.html").write_text(REVEAL + slide, encoding="utf-8")
    (folder / "notebook.html").write_text(cell._repr_html_(), encoding="utf-8")
    (folder / "student.html").write_text(show(SCENARIO, step=115, student=True)._repr_html_(), encoding="utf-8")
    (folder / "widget.html").write_text(widget(80), encoding="utf-8")
    return folder


@pytest.fixture
def framed(chromium: Any, folder: Path) -> Any:
    """Opens a page of the folder without a network; returns the page and the player in its frame."""
    context = chromium.new_context(viewport={"width": 1140, "height": 700}, offline=True)
    context.add_init_script(HEARD)

    def opened(name: str) -> tuple[Any, Any]:
        page = context.new_page()
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        visit(page, f"file://{folder / name}", ready="iframe")
        frame = page.frame_locator("iframe")
        frame.locator(READY).wait_for()
        return page, frame

    yield opened
    context.close()


@pytest.mark.parametrize("name", ["plain.html", "notebook.html"])
def test_a_frame_opens_at_its_step_with_the_words_of_the_author(framed: Any, name: str) -> None:
    page, frame = framed(name)
    assert frame.locator(READY).get_attribute("data-step") == "80"
    assert frame.locator(".tm-embed-says").inner_text().startswith("This record is late: its window has fired.")
    frame.get_by_role("button", name="Next result").click()
    page.wait_for_function("window.heard?.at(-1).step > 80")
    assert [each["kind"] for each in page.evaluate("heard")[:2]] == ["ready", "step"]
    assert page.errors == []


def test_a_widget_reports_its_step_and_goes_where_python_sends_it(framed: Any) -> None:
    page, frame = framed("widget.html")
    frame.locator(f'{READY}[data-step="80"]').wait_for()
    frame.get_by_role("button", name="Next result").click()
    page.wait_for_function("window.saved > 80")
    assert frame.locator(READY).get_attribute("data-step") == str(page.evaluate("saved"))
    page.evaluate("model.set('step', 12)")
    frame.locator(f'{READY}[data-step="12"]').wait_for()
    assert page.errors == []


def test_a_slide_leads_the_frame_from_step_to_step(framed: Any) -> None:
    page, frame = framed("slides.html")
    page.wait_for_function("window.heard?.length >= 2")
    page.evaluate("next(1)")
    page.wait_for_function("heard.at(-1).step === 115")
    frame.get_by_role("button", name="Its window has been cleaned up").click()
    page.wait_for_function("heard.at(-1).kind === 'answered'")
    told = page.evaluate("heard.at(-1)")
    assert (told["scenario"], told["question"], told["chosen"], told["right"]) == (
        "late-but-allowed",
        "ask 115",
        1,
        True,
    )
    page.evaluate("window[0].postMessage({to: 'tidemark', kind: 'page', direction: -1}, '*')")
    page.wait_for_function("heard.at(-1).step === 104")


def test_a_student_answers_without_being_graded(framed: Any) -> None:
    page, frame = framed("student.html")
    frame.get_by_role("button", name="It is out of order").click()
    assert "Your answer is kept." in frame.locator(".tm-now .tm-beat").inner_text()
    page.wait_for_function("heard.at(-1).kind === 'answered'")
    assert page.evaluate("heard.at(-1).right") is None
