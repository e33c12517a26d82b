"""The pages without a browser: each one renders, links are honoured, and bad links get a message."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tidemark.ui import catalogue
from tidemark.ui.catalogue import Entry, library, walkable
from tidemark.ui.server import roles
from tidemark.ui.server.orders import NotDone
from tidemark.ui.share import links

ROOT = Path(__file__).resolve().parents[2]
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


@pytest.mark.parametrize("name", NAMES[::4])
def test_a_scenario_opens(open_page: OpenPage, name: str) -> None:
    """Every fourth one; ``test_every_page.py`` opens every scenario by the functions that a page calls."""
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
