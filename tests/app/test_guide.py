"""The guide: every figure shows what its texts say, and the page is whole without scripts."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator.words import LANGUAGES, section, speaking
from tidemark.ui import catalogue
from tidemark.ui.pages.opening import guide
from tidemark.ui.pages.opening.doors import DOORS, is_page
from tidemark.ui.pages.opening.guide import FIGURES, SANDBOX, drawn
from tidemark.ui.payload.contents import payload

SHOWN = {
    "two-times": {"arrived": 6, "counted": 0, "waiting": 6},
    "windows": {"arrived": 4, "counted": 0, "waiting": 4, "watermark": "9"},
    "watermark": {"arrived": 4, "watermark": "7"},
    "bound": {"arrived": 6, "counted": 2, "lost": 1, "waiting": 3, "results": 2, "watermark": "13"},
    "late": {"arrived": 4, "counted": 2, "lost": 1, "waiting": 1, "results": 2, "watermark": "11"},
    "lateness": {"arrived": 11, "counted": 5, "lost": 1, "results": 3, "watermark": "9"},
    "sources": {"arrived": 3, "lost": 0, "waiting": 3, "watermark": "3"},
    "idle": {"counted": 3, "lost": 0, "waiting": 2, "results": 2, "watermark": "15"},
    "spark": {"arrived": 7, "counted": 3, "lost": 1, "results": 1},
    "sandbox": {"arrived": 16, "counted": 15, "lost": 1, "waiting": 0, "results": 4},
}
"""What the prose takes for granted of each figure."""

PULLED = {
    "first-prediction": {"0": (2, 1, 11_200), "2s": (1, 2, 12_700), "3s": (0, 2, 15_200), "6s": (0, 0, None)},
    "the-price-of-waiting": {
        "0": (6, 4, 11_000), "1s": (3, 4, 12_000), "2s": (1, 4, 15_000), "3s": (1, 4, 16_000), "4s": (0, 4, 16_000),
        "5s": (0, 4, 19_000), "6s": (0, 4, 19_000),
    },
}  # fmt: skip
"""What the prose says of other bounds: records lost, results, and when (ms) the first one is emitted."""


def figure_named(name: str) -> dict[str, Any]:
    figure = next(each for each in (*FIGURES, SANDBOX) if each.name == name)
    entry = catalogue.find(figure.scenario)
    assert entry is not None
    shown = drawn(entry, figure, entry.stamp, "en")
    assert shown is not None
    return shown


@pytest.mark.parametrize("name", SHOWN)
def test_a_figure_shows_what_its_texts_say(name: str) -> None:
    shown = figure_named(name)
    assert {each: shown[each] for each in SHOWN[name]} == SHOWN[name]
    assert shown["arrived"] == shown["counted"] + shown["lost"] + shown["waiting"]
    marks = shown["picture"].count('class="g-dropped"')
    assert marks == shown["lost"], "each lost record is a cross"
    assert len(re.findall(r'class="g-result(?:-late)?"', shown["picture"])) == shown["results"]


@pytest.mark.parametrize(("name", "bound"), [(name, bound) for name, bounds in PULLED.items() for bound in bounds])
def test_pulling_the_bound_does_what_the_texts_say(name: str, bound: str) -> None:
    text = (catalogue.FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    changed = re.sub(r"bound: \w+", f"bound: {bound}", text.partition("\ngoals:")[0])
    tables = payload(scenarios.parse(changed, "link.yaml"))["tables"]
    panes = [row for row in tables["outputs"] if row["row"]["row"] == "pane"]
    lost = sum(row["row"]["row"] == "dropped" for row in tables["outputs"])
    first = tables["steps"][panes[0]["from_step"]]["at"] if panes else None
    assert (lost, len(panes), first) == PULLED[name][bound]


class Parts(HTMLParser):
    """The parts of a page that matter here."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []
        self.inside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.inside[-1:] == [tag]:
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.said.append(data)

    def named(self, tag: str, name: str = "") -> list[dict[str, str | None]]:
        return [has for each, has in self.tags if each == tag and (not name or name in (has.get("class") or ""))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_whole_without_scripts(language: str) -> None:
    with speaking(language):
        page = Parts(guide.page().decode())
        names = [each.name for each in (*FIGURES, SANDBOX)]
        assert sorted(section("guide.figures")) == sorted(names)
    assert [has["id"] for has in page.named("section") if "id" in has] == names
    assert len(page.named("svg", "g-plane")) == len(page.named("figcaption")) == len(names)
    assert all(has["aria-label"] for has in page.named("svg", "g-plane"))
    assert page.named("iframe") == [], "the player comes with the script"
    said = "".join(page.said)
    assert "{" not in said
    assert "](" not in said
    assert not re.search(r"(?<!\w)[*`]|[*`](?!\w)", said), "what is marked is marked whole"
    links = [has["href"] or "" for has in page.named("a")]
    assert [f"guide#{each.name}" for each in FIGURES] == [link for link in links if link.startswith("guide#")]
    pages = {link.removeprefix("./").partition("?")[0] for link in links if link.startswith("./")}
    assert [each for each in pages if not is_page(each) and each != guide.GUIDE] == []
    assert [has["name"] for has in page.named("meta") if "name" in has] == ["viewport", "description"]


def test_a_library_without_a_scenario_leaves_its_section_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = guide.find
    monkeypatch.setattr(guide, "find", lambda name: None if name == "first-late" else found(name))
    text = guide.page().decode()
    assert text.count("<figure") == len(FIGURES)
    assert 'id="late"' not in text
    assert 'guide#late"' not in text


def test_it_stands_behind_a_door_but_is_no_page_of_streamlits() -> None:
    assert guide.GUIDE in DOORS["learn"]
    assert not is_page(guide.GUIDE)
