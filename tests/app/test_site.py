"""A site of static files: what is in its folder, and what the command refuses."""

import gzip
import json
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.words import LANGUAGES, section, speaking
from tidemark.ui import catalogue
from tidemark.ui.catalogue import library
from tidemark.ui.catalogue.tours import visit_of
from tidemark.ui.payload.packing import choices_of, packed
from tidemark.ui.site import __main__ as command
from tidemark.ui.site import files
from tidemark.ui.site.__main__ import main
from tidemark.ui.site.build import ADDRESS, GUIDES, MARK, PAGES, build, left_out
from tidemark.ui.site.files import replacing

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("two-clocks", "late-but-allowed")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A library of two scenarios and a broken file."""
    folder = tmp_path_factory.mktemp("course")
    for name in NAMES:
        shutil.copy(ROOT / "scenarios" / f"{name}.yaml", folder)
    (folder / "broken.yaml").write_text("scenario: 1\nname: broken\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "FOLDER", folder)
        yield folder


@pytest.fixture(scope="module")
def site(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of that library, without Python."""
    out = tmp_path_factory.mktemp("out") / "site"
    list(build(out, course / "nothing"))
    return out


def manifest_of(page: Path) -> dict[str, Any]:
    """What a page of a site says of its files."""
    found = re.search(r'id="tidemark-site">(.*?)</script>', page.read_text(encoding="utf-8"))
    assert found
    return dict(json.loads(found[1]))


def data(site: Path, path: str) -> Any:
    """The contents of a file of a site."""
    return json.loads(gzip.decompress((site / path).read_bytes()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_common_parts_and_a_scenarios_own_are_what_the_app_sends(site: Path, language: str) -> None:
    manifest = manifest_of(site / "index.html")
    common = data(site, manifest["parts"][language]["common"])["payload"]
    with speaking(language):
        entries = library()
        assert common["words"]["play"] == section("player")["play"]
        for entry in entries:
            if entry.scenario is not None:
                visit = visit_of(entry.name, entries, catalogue.lessons())
                sent, steps = packed(entry, entry.name, entry.stamp, choices_of(entries), visit)
                there = manifest["scenarios"][entry.name]
                assert {**common, **data(site, there[language])} == json.loads(gzip.decompress(sent))
                assert there["steps"] == steps
    assert sorted(manifest["scenarios"]) == sorted(NAMES)


def test_texts_in_further_languages_have_a_walkthrough_of_their_own(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "more"
    shutil.copytree(course, folder)
    file = folder / "two-clocks.yaml"
    text = re.sub(
        r"^title: \{en: ", "title: {de: Zwei Uhren, en: ", file.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(catalogue, "FOLDER", folder)
    list(build(tmp_path / "site", course / "nothing"))
    manifest = manifest_of(tmp_path / "site" / "index.html")
    scenarios = manifest["scenarios"]
    assert sorted(scenarios["two-clocks"]) == ["de", "en", "steps", "zh"]
    assert sorted(scenarios["late-but-allowed"]) == ["en", "steps", "zh"]
    common = data(tmp_path / "site", manifest["parts"]["en"]["common"])["payload"]
    read = {**common, **data(tmp_path / "site", scenarios["two-clocks"]["de"])}
    assert read["title"] == "Zwei Uhren"
    assert read["words"]["play"] == section("player")["play"]


def test_the_scenarios_of_a_course_are_not_called_the_readers_and_are_no_files_of_the_project(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    text = (course / "two-clocks.yaml").read_text(encoding="utf-8")
    text = re.sub(r"^lesson: .*\n", "", text.replace("name: two-clocks", "name: mine"), flags=re.MULTILINE)
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(catalogue, "CHOSEN", folder)
    list(build(tmp_path / "site", course / "nothing"))
    manifest = manifest_of(tmp_path / "site" / "index.html")
    assert manifest["own"] == ["mine"]
    first = data(tmp_path / "site", manifest["parts"]["en"]["library"])["lessons"][0]
    assert (first["title"], first["topics"][0]["names"]) == ("Scenarios of this course", ["mine"])


def test_every_page_names_files_that_exist_and_runs_no_script_of_its_own(site: Path) -> None:
    for page in (site / "index.html", *(site / name / "index.html" for name in PAGES)):
        text = page.read_text(encoding="utf-8")
        manifest = manifest_of(page)
        root = (page.parent / re.findall(r'<base href="(.*?)">', text)[0]).resolve()
        assert root == site.resolve()
        named = [*manifest["scripts"].values(), manifest["logo"], manifest["fonts"], manifest["vega"]]
        named += [path for parts in manifest["parts"].values() for path in parts.values()]
        named += re.findall(r'(?:href|src)="(files/.*?)"', text)
        assert [path for path in named if not (root / path).is_file()] == []
        assert "script-src 'self' " in text
        assert re.findall(r"<script(?! type=\"application/json\"| type=\"module\" src=)", text) == []


@pytest.mark.parametrize("base", ["", "https://example.org/streams/"])
def test_every_page_says_what_it_is_and_has_a_preview(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str
) -> None:
    monkeypatch.setenv(ADDRESS, base)
    site = tmp_path / "site"
    list(build(site, course / "nothing"))
    titles = []
    for page in (*PAGES, "", *GUIDES.values()):
        text = (site / page / "index.html").read_text(encoding="utf-8")
        [title] = re.findall(r"<title>(.+?)</title>", text)
        [said] = re.findall(r'<meta name="description" content="(.+?)">', text)
        shown = dict(re.findall(r'<meta property="og:(\w+)" content="(.+?)">', text))
        assert (shown["title"], shown["description"]) == (title, said)
        assert shown["image"].startswith(base)
        assert (site / shown["image"].removeprefix(base)).is_file()
        titles.append(title)
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_guide_is_a_page_of_the_site_in_each_language(site: Path, language: str) -> None:
    file = site / GUIDES[language] / "index.html"
    text = file.read_text(encoding="utf-8")
    root = (file.parent / re.findall(r'<base href="(.*?)">', text)[0]).resolve()
    assert root == site.resolve()
    assert "frame-src 'self'" in text
    assert re.findall(r"<script(?! type=\"module\" src=)", text) == []
    named = re.findall(r'(?:href|src)="(files/.*?)"', text)
    assert named
    assert [path for path in named if not (root / path).is_file()] == []
    assert {f'href="{each}"' for each in GUIDES.values()} <= set(re.findall(r'href="[^"]*"', text))
    doors = data(site, manifest_of(site / "index.html")["parts"][language]["common"])["site"]["doors"]["doors"]
    assert GUIDES[language] in [link["address"] for link in doors[0]["links"]]


def test_the_library_offers_nothing_that_needs_a_server_and_no_file_that_does_not_run(site: Path) -> None:
    shown = data(site, manifest_of(site / "index.html")["parts"]["en"]["library"])
    assert {card["name"] for card in shown["cards"]} == set(NAMES)
    assert all(card["picture"] for card in shown["cards"])
    assert shown["broken"] == []  # whoever makes the site is told, with the path on their computer
    assert (shown["saving"], shown["packages"]) == (False, None)


def test_a_second_site_replaces_the_first_and_leaves_no_file_of_it(
    site: Path, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "site"
    shutil.copytree(site, out)
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path / "less")
    shutil.copytree(course, tmp_path / "less", ignore=shutil.ignore_patterns("two-clocks.yaml"))
    monkeypatch.setattr(
        command, "build", lambda folder: build(folder, course / "nothing")
    )  # Python changes nothing here
    assert main([str(out)]) == 1
    assert f"Not in the site, or to be fixed:\n{tmp_path / 'less' / 'broken.yaml'}:" in capsys.readouterr().err
    first, second = ({path.name for path in (each / "files").iterdir()} for each in (site, out))
    assert [name for name in first if name.startswith("two-clocks")]
    assert not [name for name in second if name.startswith("two-clocks")]
    assert {name for name in first if name.startswith(("player", "main", "style"))} <= second, "equal files keep names"


def test_a_scenario_of_ones_own_that_check_refuses_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "CHOSEN", tmp_path)
    before = left_out()
    sound = (ROOT / "scenarios" / "two-clocks.yaml").read_text(encoding="utf-8")
    (tmp_path / "sound.yaml").write_text(sound.replace("name: two-clocks", "name: sound"), encoding="utf-8")
    assert left_out() == before
    unmet = sound.replace("name: two-clocks", "name: unmet").replace("goals:", "goals:\n  - {rows: pane, count: 99}")
    (tmp_path / "unmet.yaml").write_text(unmet, encoding="utf-8")
    [problem] = set(left_out()) - set(before)
    assert problem.startswith(f"{tmp_path / 'unmet.yaml'}:")
    assert "99" in problem
    (tmp_path / "sound.yaml").rename(tmp_path / "sound.yml")
    advice = "a library has only files that end in .yaml or .json; rename the file to `sound.yaml`"
    assert f"{tmp_path / 'sound.yml'}: {advice}" in left_out()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [([], "Usage"), (["--scenarios"], "Usage"), (["OUT", "more"], "Usage"), (["OUT"], "holds other files")],
)
def test_what_cannot_be_made_is_refused_in_one_line(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    (tmp_path / "thesis.txt").write_text("two years of work", encoding="utf-8")
    assert main([str(tmp_path) if each == "OUT" else each for each in arguments]) == 2
    assert said in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").is_file()
    assert not (tmp_path / MARK).exists()


def test_a_place_where_nothing_can_be_written_is_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    out = tmp_path / "file" / "site"
    assert main([str(out)]) == 2
    assert capsys.readouterr().err.startswith(f"The site could not be written to {out}: ")


def test_a_library_without_a_scenario_makes_no_site(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    assert main([str(tmp_path / "out")]) == 2
    assert "No scenario can be run" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_everything_is_there_without_a_network(site: Path) -> None:
    """Each export and each step of a lecture needs some file: all of them are kept after the first visit."""
    found = re.match(r"globalThis\.tidemarkKept = (.*);\n", (site / "keep.js").read_text(encoding="utf-8"))
    assert found
    kept = json.loads(found[1])
    pages = {Path(page, "index.html").as_posix() for page in kept["pages"]}
    there = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert there - {*kept["first"], *kept["later"], *pages} == {"keep.js", MARK}


# The folder of a site is replaced in one step: whoever is killed before that leaves the old site whole.

HALF = """
import sys, time
from pathlib import Path
from tidemark.ui.site.files import replacing
with replacing(Path(sys.argv[1]), "files") as folder:
    (folder / "index.html").write_text("new")
    (folder / "files").mkdir()
    print("half", flush=True)
    time.sleep(60)
"""


def old_site(folder: Path, text: str) -> None:
    (folder / "files").mkdir(parents=True)
    (folder / "index.html").write_text(text, encoding="utf-8")
    (folder / "files" / f"{text}.js").write_text(text, encoding="utf-8")


def files_in(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}


def write(folder: Path, text: str) -> None:
    (folder / "files").mkdir(exist_ok=True)
    (folder / "index.html").write_text(text, encoding="utf-8")
    (folder / "files" / f"{text}.js").write_text(text, encoding="utf-8")


def test_a_process_that_is_killed_leaves_the_old_site_and_the_next_one_clears_up(tmp_path: Path) -> None:
    out = tmp_path / "site"
    old_site(out, "old")
    with subprocess.Popen(
        [sys.executable, "-c", HALF, str(out)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "half\n"
        process.send_signal(signal.SIGKILL)
    assert files_in(out) == {"index.html", "files/old.js"}
    assert (out / "index.html").read_text(encoding="utf-8") == "old"
    assert len(list(tmp_path.iterdir())) == 2, "the unfinished one lies beside it"
    with replacing(out, "files") as folder:
        write(folder, "newer")
    assert [each.name for each in tmp_path.iterdir()] == ["site"]
    assert files_in(out) == {"index.html", "files/newer.js"}


@pytest.mark.parametrize("in_one_step", [True, False])
def test_what_else_was_there_comes_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_one_step: bool) -> None:
    if not in_one_step:
        monkeypatch.setattr(files, "_exchanged", lambda one, other: False)
    out = tmp_path / "site"
    old_site(out, "old")
    (out / "CNAME").write_text("example.org", encoding="utf-8")
    (out / ".git").mkdir()
    (out / ".git" / "HEAD").write_text("ref", encoding="utf-8")
    (out / "latest").symlink_to("files")
    with replacing(out, "files") as folder:
        write(folder, "new")
    assert files_in(out) == {"index.html", "files/new.js", "CNAME", ".git/HEAD"}
    assert (out / "latest").is_symlink()
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_an_error_leaves_everything_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "site"
    old_site(out, "old")

    def fails() -> None:
        with replacing(out, "files") as folder:
            write(folder, "new")
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="disk"):
        fails()
    assert files_in(out) == {"index.html", "files/old.js"}
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_an_old_site_that_was_moved_away_comes_back(tmp_path: Path) -> None:
    """Where names cannot be exchanged in one step, and the process was killed between the two."""
    away = tmp_path / f".site-{2**22 + 1}.unfinished.old"  # no process has this number
    old_site(away, "old")
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "site", "files"):
        raise KeyboardInterrupt
    assert files_in(tmp_path / "site") == {"index.html", "files/old.js"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names are exchanged in one step")
def test_there_is_a_whole_site_at_every_moment(tmp_path: Path) -> None:
    out = tmp_path / "site"
    old_site(out, "old")
    seen, done = set(), threading.Event()

    def look() -> None:
        while not done.is_set():
            seen.add(out.joinpath("index.html").is_file())

    looking = threading.Thread(target=look)
    looking.start()
    for number in range(20):
        with replacing(out, "files") as folder:
            write(folder, f"new{number}")
        time.sleep(0.005)
    done.set()
    looking.join()
    assert seen == {True}
