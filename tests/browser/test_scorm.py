"""A lesson's package in a small LMS: a page that offers ``window.API`` and keeps what it is told."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tidemark.ui import catalogue
from tidemark.ui.share.lesson import lesson_for_students, lesson_package
from tidemark.ui.site.chromium import served

from tests.browser.opening import reload, visit

SCENARIO = """scenario: 1
name: NAME
title: Scenario NAME
inputs: {events: {watermark: {generator: monotonous}}}
operator: {type: window, assigner: {type: tumbling, size: 2s}, function: {call: reduce, compute: sum}}
stream: [{ts: 1s, key: a, value: 4}, {ts: 3s, key: a, value: 5}, {end: true}]
walkthrough:
  - {at: {event: PaneFired}, ask: What comes out?, choices: [nine, four], answer: 1, because: Only one is in it.}
"""
LESSONS = """[[lessons]]
id = "mine"
title = "My lesson"
about = "What it is about"
[[lessons.topics]]
title = "A topic"
about = "What it is about"
scenarios = ["one", "two"]
"""
LMS = """<!doctype html><title>LMS</title><script>
const kept = JSON.parse(sessionStorage.getItem("cmi") ?? "{}");
globalThis.calls = [];
globalThis.API = {
  LMSInitialize: () => { calls.push("LMSInitialize"); return "true"; },
  LMSFinish: () => { calls.push("LMSFinish"); return "true"; },
  LMSGetValue: (name) => kept[name] ?? "",
  LMSSetValue: (name, value) => {
    kept[name] = value;
    sessionStorage.setItem("cmi", JSON.stringify(kept));
    return "true";
  },
  LMSCommit: () => "true",
};
globalThis.told = () => JSON.parse(sessionStorage.getItem("cmi"));
</script><iframe src="index.html" style="width: 1000px; height: 680px; border: 0"></iframe>
"""


@pytest.fixture
def lms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a page that shows the lesson as an LMS does; ``students.html`` beside it is for students."""
    library, course = tmp_path / "library", tmp_path / "course"
    library.mkdir()
    for name in ("one", "two"):
        (library / f"{name}.yaml").write_text(SCENARIO.replace("NAME", name), encoding="utf-8")
    (library / "lessons.toml").write_text(LESSONS, encoding="utf-8")
    monkeypatch.setattr(catalogue, "FOLDER", library)
    zipfile.ZipFile(io.BytesIO(lesson_package("mine"))).extractall(course)
    (course / "lms.html").write_text(LMS, encoding="utf-8")
    (course / "students.html").write_bytes(lesson_for_students("mine"))
    with served(course) as address:
        yield f"{address}/lms.html"


def test_the_lms_gets_score_status_and_time_and_the_lesson_goes_on_where_it_was_left(chromium: Any, lms: str) -> None:
    context = chromium.new_context(viewport={"width": 1020, "height": 700})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))

    def scenario(file: str) -> Any:
        page.wait_for_function("file => frames[0]?.frames[0]?.location.href.includes(file)", arg=file)
        frame = next(each for each in page.frames if file in each.url)
        frame.wait_for_selector('.tidemark-player[data-ready="true"]')
        return frame

    def told(name: str) -> str:
        return str(page.evaluate("name => told()[name]", f"cmi.{name}"))

    def press(frame: Any, key: str) -> None:
        frame.evaluate("key => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))", key)

    def answer(frame: Any, choice: str) -> None:
        press(frame, "PageDown")
        frame.get_by_role("button", name=choice).click()

    visit(page, lms, ready="iframe")
    first = scenario("scenario-01")
    assert first.locator(".tm-embed-head").is_visible(), "the small view"
    assert (told("core.lesson_status"), told("core.score.raw")) == ("incomplete", "0")
    answer(first, "four")
    page.wait_for_function("told()['cmi.core.score.raw'] === '50'")
    press(first, "End")
    page.wait_for_function("JSON.parse(told()['cmi.suspend_data']).s[0][1] === 1")
    page.frames[1].get_by_role("button", name="Next").click()
    second = scenario("scenario-02")
    assert told("core.lesson_location") == "1"
    answer(second, "nine")
    second.get_by_role("button", name="four").click()
    assert told("core.score.raw") == "50", "the first answer counts"
    assert (told("core.lesson_status"), told("core.exit")) == ("incomplete", "suspend")
    step = json.loads(told("suspend_data"))["s"][1][0]

    reload(page, ready="iframe")
    again = scenario("scenario-02")
    assert again.locator(".tidemark-player").get_attribute("data-step") == str(step)
    press(again, "End")
    page.wait_for_function("told()['cmi.core.lesson_status'] === 'completed'")
    assert (told("core.score.min"), told("core.score.max"), told("core.exit")) == ("0", "100", "")
    hours, minutes, seconds = told("core.session_time").split(":")
    assert (len(hours), len(minutes), len(seconds)) == (4, 2, 5)
    page.frames[1].evaluate("location.href = 'about:blank'")
    page.wait_for_function("calls.at(-1) === 'LMSFinish'")
    assert errors == []
    context.close()


def test_a_student_answers_in_one_page_is_not_graded_and_hands_the_answers_in(chromium: Any, lms: str) -> None:
    context = chromium.new_context(viewport={"width": 1020, "height": 700})
    page = context.new_page()
    visit(page, lms.replace("lms.html", "students.html"), ready="iframe")
    frame = page.frame_locator("iframe")
    frame.locator('.tidemark-player[data-ready="true"]').press("PageDown")
    frame.get_by_role("button", name="nine").click()
    assert "Your answer is kept." in frame.locator(".tm-now .tm-beat").inner_text()
    assert page.get_by_role("status").inner_text() == "1 of 2 answered"
    page.get_by_role("button", name="Next").click()
    page.wait_for_selector('iframe[title="Scenario two"]')
    reload(page, ready="iframe")
    assert page.locator("iframe").get_attribute("title") == "Scenario two"
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save answers").click()
    answers = json.loads(saving.value.path().read_text(encoding="utf-8"))["answers"]
    assert [each["answer"] for each in answers] == ["nine", None]
    context.close()
