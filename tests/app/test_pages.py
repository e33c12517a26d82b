"""Every scenario on every page, through the pages' own functions: nothing that a reader can open ends in an error."""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.explore.settings import settings_of
from tidemark.simulator.proof.spark_twin import NoTwin
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.format.document import PREDICTIONS
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.wording import time_format
from tidemark.simulator.words import LANGUAGES, speaking
from tidemark.ui import catalogue
from tidemark.ui.author.desk import reply
from tidemark.ui.catalogue import Entry, library, walkable
from tidemark.ui.catalogue.lessons_file import lessons_of
from tidemark.ui.catalogue.tours import order
from tidemark.ui.compare import contents as firing
from tidemark.ui.compare import searches
from tidemark.ui.compare.choice import Choice
from tidemark.ui.compare.contents import NotSaid, contents
from tidemark.ui.learning.classroom.teacher import question_at
from tidemark.ui.library.cards import Makings, card
from tidemark.ui.library.contents import lectures, shelves
from tidemark.ui.payload.badges import proofs_stamp
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.packing import choices_of, pack, packed
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.server import roles
from tidemark.ui.server.orders import NotDone
from tidemark.ui.share import links
from tidemark.ui.share.answers import FORMS, rows_of, trace_of, written
from tidemark.ui.spark.jobs import Asked, Difference, Job, Result
from tidemark.ui.spark.views import rows, small

from tidemark import spark_bridge

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {
    "library": ROOT / "scenarios",
    "flink": ROOT / "tests" / "golden",
    "spark": ROOT / "tests" / "golden_spark",
}
FILES = [
    (name, path.stem)
    for name, folder in FOLDERS.items()
    for path in sorted(folder.glob("*.yaml"))[:: 1 if name == "library" else 3]
]
"""The whole library; of the recordings, which take the same ways, a third."""

SEARCHED_STEPS = 120
"""Compare searches runs up to this length for changes; in longer ones the searches would dominate the time."""


@cache
def entries(folder: str) -> dict[str, Entry]:
    """The sound ones of these files, by name."""
    return {each.name: each for each in library(FOLDERS[folder]) if each.scenario and (folder, each.name) in FILES}


@pytest.fixture(scope="module", params=FILES, ids="/".join)
def entry(request: pytest.FixtureRequest) -> Iterator[Entry]:
    """All tests of one follow one another, so that they share the runs that the app keeps."""
    folder, name = request.param
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(searches, "SEARCHED_STEPS", SEARCHED_STEPS)
        patched.setattr(firing, "MOST_STEPS", SEARCHED_STEPS)
        yield entries(folder)[name]


def scenario_of(entry: Entry) -> Scenario:
    assert entry.scenario is not None
    return entry.scenario


def folder_of(entry: Entry) -> str:
    return next(name for name, folder in FOLDERS.items() if entry.path.parent == folder)


def number_of(entry: Entry) -> int:
    return FILES.index((folder_of(entry), entry.name))


def language_for(entry: Entry) -> str:
    """The languages in turn, so that each meets scenarios of every kind."""
    return LANGUAGES[number_of(entry) % len(LANGUAGES)]


def compared(choice: Choice, scenario: Scenario) -> None:
    """Open Compare, which offers Flink's scenarios. If a belief or Spark does not apply, the page says so."""
    if scenario.engine != "flink":
        return
    try:
        pack(contents(choice, scenario, scenario, {}))
    except NotSaid:
        assert choice.belief
    except NoTwin:
        assert choice.spark


def unpacked(answer: bytes) -> dict[str, Any]:
    return dict(json.loads(gzip.decompress(answer)))


def test_the_walkthrough_opens(entry: Entry) -> None:
    with speaking(language_for(entry)):
        facts, steps = packed(entry, entry.name, entry.stamp, choices_of([entry]))
    assert steps > 0
    for beat in unpacked(facts)["beats"]:
        assert (question_at(facts, beat["step"]) is not None) == bool(beat["choices"])


def test_rows_and_trace_can_be_downloaded_and_the_text_shared(entry: Entry) -> None:
    for what in ("rows", "trace"):
        for form in FORMS:
            found = list({"rows": rows_of, "trace": trace_of}[what](scenario_of(entry)))
            assert written(found, form) or not found
    shared = links.of_file(entry.path.name, entry.path.read_text(encoding="utf-8"))
    assert shared.entry.scenario is not None


def test_compare_opens_with_the_same_run_with_another_setting_and_with_spark(entry: Entry) -> None:
    """With one setting in turn, so that each one meets scenarios of every kind; of a recording one of the three."""
    scenario, number = scenario_of(entry), number_of(entry)
    choices = [Choice(entry.name), Choice(entry.name, spark=3)]
    if settings := settings_of(scenario):
        setting = settings[number % len(settings)]
        choices.append(Choice(entry.name, settings={"a": {setting.name: setting.least}}))
    for choice in choices if folder_of(entry) == "library" else [choices[number % len(choices)]]:
        compared(choice, scenario)


def test_compare_opens_with_a_belief(entry: Entry) -> None:
    """With one belief in turn, so that each one meets scenarios of every kind."""
    belief = BELIEFS[number_of(entry) % len(BELIEFS)]
    compared(Choice(entry.name, belief=belief.name), scenario_of(entry))


def test_the_author_page_opens_with_a_copy(entry: Entry) -> None:
    text = entry.content().decode()
    with speaking(language_for(entry)):
        answer = unpacked(reply({"number": 1, "text": text}))
        assert answer["sound"], answer["problems"]
        assert "hints" in unpacked(reply({"number": 2, "text": text, "hints": True}))


def test_the_spark_page_shows_what_a_check_would_find(entry: Entry) -> None:
    scenario = scenario_of(entry)
    for engine in spark_bridge.ENGINES:
        assert all(gap.reason for gap in spark_bridge.gaps_of(scenario, engine))
    found = small(entry)
    panes = Counter(row["row"] for row in found.rows)
    style = TimeStyle(time_format(scenario))
    for differences in ((), tuple(Difference(row, None, ("value",)) for row in found.rows[:2])):
        counts = {"simulator": dict(panes), "spark": dict(panes)}
        outcome = Result("batch", "native", 3, 3, len(differences), 1.0, "4", "17", counts, differences)
        job = Job("1a2b", Asked(entry.name, entry.title, ("scenario", entry.name)), datetime(2026, 1, 1, tzinfo=UTC))
        job.state, job.result = "done", outcome
        assert "<table" in rows(job, found, style)


@pytest.mark.parametrize(("folder", "language"), [*zip(FOLDERS, ["en", "zh", "en"], strict=True), ("library", "zh")])
def test_the_library_shows_every_card_and_the_lecture_its_order(folder: str, language: str) -> None:
    shelf, lessons = list(entries(folder).values()), lessons_of(FOLDERS[folder])
    with speaking(language):
        makings = Makings(proofs_stamp())
        for _ in makings.make(shelf):
            pass
        cards = [{**card(each, lessons), **(makings.ready(each) or {})} for each in shelf]
        assert all(each["picture"] for each in cards)
        shown = {name for shelf in shelves(cards, lessons) for topic in shelf["topics"] for name in topic["names"]}
        assert shown == set(entries(folder))
        assert bool(lectures(cards, lessons)) == (lessons.lecture is not None)
        for each in lessons.lessons:
            assert order(each.id, shelf, lessons, {}) is not None


# --- every form of a beat ------------------------------------------------------------------------------------------

PLACES = ("{event: PaneFired}", "{event: PaneFired, occurrence: 2}", "{item: 3}", "{step: 5}", "{step: 999999}")
CONTENTS = (
    "say: It fires.",
    "say: {en: It fires., zh: 触发。}",
    'ask: "What fires?", choices: [a, b], answer: 1',
    'ask: "What fires?", choices: [{en: a, zh: 甲}, b], answer: 0, because: It is due., note: Wait.',
    *(f"predict: {each}" for each in PREDICTIONS),
)


@pytest.mark.parametrize("says", CONTENTS)
def test_every_form_of_a_beat_opens_on_the_walkthrough_and_the_author_page(says: str) -> None:
    """One text has all places: each beat is shown on its own."""
    text = (ROOT / "scenarios" / "late-but-allowed.yaml").read_text(encoding="utf-8").partition("walkthrough:")[0]
    text += "walkthrough:\n" + "".join(f"  - {{at: {place}, {says}}}\n" for place in PLACES)
    shown = unpacked(reply({"number": 1, "text": text}))["facts"]["story"]["beats"]
    assert [beat["step"] is None for beat in shown] == [place == "{step: 999999}" for place in PLACES]
    scenario = parse(text)
    beats = payload(scenario)["beats"]  # a prediction without a question at its step is left out
    found = {beat["step"] for beat in shown if beat["step"] is not None}
    assert len(beats) <= len(found) if says.startswith("predict") else {beat["step"] for beat in beats} == found
    compared(Choice(scenario.name), scenario)


# The pages without a browser: each one renders, links are honoured, and bad links get a message.

NAMES = sorted(path.stem for path in (ROOT / "scenarios").glob("*.yaml"))
OpenPage = Callable[..., AppTest]


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> OpenPage:
    """``open_page("ui/pages/library.py", scenario="x")`` runs that page with this address."""

    def opened(page: str | None = None, folder: Path | None = None, **query: str) -> AppTest:
        if folder is not None:
            monkeypatch.setattr(catalogue, "FOLDER", folder)
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        app.query_params.update(query)
        app.run()
        if page is not None:
            app.switch_page(page).run()
        assert not app.exception
        return app

    return opened


def component(app: AppTest, name: str) -> Any:
    """The data that the page sends to its component."""
    found = [each.proto for each in app.get("bidi_component") if each.proto.component_name == name]
    return found[0] if found else None


def texts(app: AppTest) -> str:
    return "\n".join(str(each.value) for each in [*app.text, *app.caption])


@pytest.mark.parametrize("name", NAMES[::20])
def test_a_scenario_opens(open_page: OpenPage, name: str) -> None:
    """A few of them: the tests above open every scenario by the functions that a page calls."""
    app = open_page(scenario=name, step="3")
    assert component(app, "tidemark_player").bytes[:2] == b"\x1f\x8b"


def shown(app: AppTest) -> str:
    """The name of the scenario that the player shows."""
    return str(json.loads(gzip.decompress(component(app, "tidemark_player").bytes))["name"])


def test_without_a_link_a_newcomer_gets_the_first_visit(open_page: OpenPage) -> None:
    assert shown(open_page()) == "first-two-phones"


@pytest.mark.parametrize(("place", "query", "name"), [
    ("minus-one-ms", {}, "minus-one-ms"),
    ("first-window", {}, "first-window"),
    ("-", {}, "late-but-allowed"),
    ("../../etc/passwd", {}, "late-but-allowed"),
    ("minus-one-ms", {"visit": "1"}, "first-two-phones"),
    ("minus-one-ms", {"scenario": "two-clocks"}, "two-clocks"),
])  # fmt: skip
def test_without_a_link_somebody_who_was_here_is_where_they_were(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, place: str, query: dict[str, str], name: str
) -> None:
    monkeypatch.setattr("tidemark.ui.server.screen.last_place", lambda: place)
    assert shown(open_page(**query)) == name


def test_the_same_link_yields_the_same_bytes(open_page: OpenPage) -> None:
    first, second = (component(open_page(scenario="minus-one-ms"), "tidemark_player") for _ in range(2))
    assert first.bytes == second.bytes


@pytest.mark.parametrize(("query", "message"), [
    ({"scenario": "nope"}, "There is no scenario called “nope”."),
    ({"scenario": "../../etc/passwd"}, "There is no scenario called “../../etc/passwd”."),
    ({"scenario": "minus-one-ms", "step": "100000"}, "has no step 100000"),
    ({"scenario": "minus-one-ms", "step": "-1"}, "has no step -1"),
    ({"scenario": "minus-one-ms", "step": "½"}, "has no step ½"),
])  # fmt: skip
def test_a_bad_link_says_so(open_page: OpenPage, query: dict[str, str], message: str) -> None:
    app = open_page(**query)
    assert message in texts(app)
    assert component(app, "tidemark_player") is None
    assert next(each.proto.label for each in app.get("page_link")) == "Open the library"


def test_the_library_lists_every_scenario_with_its_picture(open_page: OpenPage) -> None:
    contents = json.loads(component(open_page("ui/pages/library.py"), "tidemark_library").json)
    assert sorted(card["name"] for card in contents["cards"]) == NAMES
    assert all(card["picture"]["records"] for card in contents["cards"])
    assert contents["broken"] == []


def entry_of(folder: Path, name: str, stream: str) -> Entry:
    """The library entry of a file in which a window fires at each millisecond of the clock."""
    trigger = "trigger: {type: continuous-processing-time, interval: 1}"
    operator = (
        f"operator: {{type: window, assigner: {{type: global}}, {trigger}, function: {{call: reduce, compute: sum}}}}"
    )
    (folder / f"{name}.yaml").write_text(f"scenario: 1\nname: {name}\n{operator}\n{stream}\n", encoding="utf-8")
    return next(iter(library(folder)))


def test_a_scenario_in_which_nothing_happens_is_listed_with_the_reason(tmp_path: Path) -> None:
    entry = entry_of(tmp_path, "empty", "stream: []")
    assert entry.scenario is None
    assert "nothing happens in this scenario" in entry.problem
    assert "empty.yaml" in entry.problem


def test_a_run_with_too_many_steps_is_cut_after_its_first_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walkable, "WALK_STEPS", 1_000)
    entry = entry_of(tmp_path, "endless", "stream: [{ts: 0, key: a, value: 1}, {advance: 1000000}]")
    assert entry.scenario is not None
    assert len(walkable.shortened(entry.scenario).stream) == 1


def test_a_broken_file_is_listed_and_breaks_nothing(open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("scenario: 1\nname: broken\n", encoding="utf-8")
    (tmp_path / "minus-one-ms.yaml").write_text((ROOT / "scenarios" / "minus-one-ms.yaml").read_text("utf-8"), "utf-8")
    app = open_page("ui/pages/library.py", folder=tmp_path)
    contents = json.loads(component(app, "tidemark_library").json)
    assert [card["name"] for card in contents["cards"]] == ["minus-one-ms"]
    assert [each["file"] for each in contents["broken"]] == ["broken.yaml"]
    assert "broken.yaml" in contents["broken"][0]["problem"]


def test_students_see_neither_the_files_of_the_teacher_nor_what_is_wrong_with_them(
    open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.yaml").write_text("scenario: 1\nname: broken\n", encoding="utf-8")
    (tmp_path / "mine.yml").write_text("scenario: 1\nname: mine\n", encoding="utf-8")
    monkeypatch.setattr(catalogue, "CHOSEN", tmp_path)
    for teacher in (True, False):
        monkeypatch.setattr(roles, "is_teacher", lambda teacher=teacher: teacher)
        contents = json.loads(component(open_page("ui/pages/library.py"), "tidemark_library").json)
        assert [each["file"] for each in contents["broken"]] == (["broken.yaml", "mine.yml"] if teacher else [])
        assert (contents["saving"], contents["ordering"]) == (teacher, teacher)


def test_an_empty_library_says_so(open_page: OpenPage, tmp_path: Path) -> None:
    assert "Open the library" in [each.proto.label for each in open_page(folder=tmp_path).get("page_link")]


def test_the_spark_page_offers_a_run(open_page: OpenPage) -> None:
    app = open_page("ui/pages/spark.py", scenario="late-but-allowed")
    assert app.selectbox(key="spark_scenario_late-but-allowed").value is not None
    assert not app.button(key="spark_run").disabled
    grey = {each.label: each.help for each in app.selectbox if each.disabled}
    assert grey == {
        "Records": "Only generated streams can be longer.",
        "Engine": "No other engine covers this scenario.",
    }


def test_the_spark_page_says_what_is_not_covered(
    open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "tests" / "golden" / "processing-tumbling.yaml").read_text("utf-8")
    huge = text.replace("value: 1", "value: 9223372036854775807", 1)
    (tmp_path / "processing-tumbling.yaml").write_text(huge, "utf-8")
    app = open_page("ui/pages/spark.py", folder=tmp_path, scenario="processing-tumbling")
    assert app.button(key="spark_run").disabled
    shown = "".join(each.proto.body for each in app.get("html"))
    assert "the sum of the values could leave 64 bits" in shown
    assert "data-table='ways'" in shown


def test_the_spark_page_accepts_an_own_scenario(open_page: OpenPage) -> None:
    text = (ROOT / "scenarios" / "minus-one-ms.yaml").read_text("utf-8").replace("minus-one-ms", "mine")
    app = open_page("ui/pages/spark.py", s=links.token_of(text, json=False))
    assert app.selectbox(key="spark_scenario_").index == 0
    assert not app.button(key="spark_run").disabled


def test_work_that_was_given_up_is_told_in_words(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.ui.payload.packing._packed", raising(NotDone("It takes too long.")))
    page = open_page(scenario="two-clocks")
    assert [each.value for each in page.text] == ["It takes too long."]


def test_a_search_that_was_given_up_is_not_tried_again(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    page = open_page("ui/pages/compare.py")
    page.session_state["tidemark_asked"] = {"fewest": "dropped"}
    with monkeypatch.context() as busy:
        busy.setattr("tidemark.ui.compare.desk.heavily", raising(NotDone("It takes too long.")))
        page.run()
        assert [each.value for each in page.text] == ["It takes too long."]
        page.run()
    assert component(page, "tidemark_compare") is not None


def test_a_page_that_fails_says_so_in_plain_words_with_a_line_to_report(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidemark.ui.payload.packing._packed", raising(KeyError("what")))
    page = open_page(scenario="two-clocks")
    assert page.text[0].value == "This page has failed. That is our mistake, not yours."
    assert page.code[0].value.startswith("KeyError · tests/app/test_pages.py:")


def raising(error: Exception) -> Callable[..., None]:
    def made(*_: object) -> None:
        raise error

    return made
