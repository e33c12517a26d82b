"""What Python in the browser answers: the same as the app, by code that needs nothing a browser lacks."""

import gzip
import importlib.util
import io
import json
import random
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.scenario import load
from tidemark.ui import catalogue
from tidemark.ui.author.desk import reply
from tidemark.ui.catalogue import find, library
from tidemark.ui.payload.charts.compiled import compiled as compiled_chart
from tidemark.ui.payload.packing import STUDENT, choices_of, packed
from tidemark.ui.share.lesson import lesson_for_students, lesson_package, own_parts
from tidemark.ui.share.links import token_of
from tidemark.ui.share.page import fonts, shell
from tidemark.ui.site import code as site_code
from tidemark.ui.site.build import ENGINE, PYODIDE, SiteError, build
from tidemark.ui.site.code import LIBRARY, STANDING_IN, BytecodeError, code, compiled
from tidemark.ui.site.engine import answered
from xxhash import xxh64_intdigest

ROOT = Path(__file__).resolve().parents[2]

SCENARIO = ROOT / "scenarios" / "late-but-allowed.yaml"

LESSON = "first-visit"
"""The shortest lesson of the library."""

LACKING = ("streamlit", "pandas", "numpy", "pyarrow", "PIL", "altair", "vl_convert", "segno", "pyspark", "playwright")
"""Packages that the app has and a browser does not."""

IN_A_BROWSER = f"""
import sys
sys.dont_write_bytecode = True
for name in {LACKING!r}:
    sys.modules[name] = None
sys.path[:0] = [sys.argv[1]]
from tidemark.ui.site.engine import answered
from pathlib import Path
import json, xxhash
from tidemark import ui
assert Path(ui.__file__).is_relative_to(sys.argv[1]) and Path(xxhash.__file__).is_relative_to(sys.argv[1])
for text in sys.argv[2:]:
    sys.stdout.buffer.write(answered(text))
"""


def said_and_body(answer: bytes) -> tuple[dict[str, Any], bytes]:
    length = int.from_bytes(answer[:4], "big")
    return json.loads(answer[4 : 4 + length]), answer[4 + length :]


def ask(**question: Any) -> tuple[dict[str, Any], bytes]:
    return said_and_body(answered(json.dumps(question)))


def unpacked(body: bytes) -> dict[str, Any]:
    return dict(json.loads(gzip.decompress(body)))


def test_the_code_runs_where_only_python_is(tmp_path: Path) -> None:
    zipfile.ZipFile(io.BytesIO(code())).extractall(tmp_path)
    generated = next(each.path for each in library() if each.name == "three-hundred")
    rows = "".join(f"{json_text(row)}\n" for row in run_rows(load(generated))).encode()
    sweep = {"do": "compare", "query": {"scenario": "late-but-allowed"}, "searches": {"sweep": "bound"}}
    questions = [json.dumps(each) for each in ({"do": "run", "text": generated.read_text(encoding="utf-8")}, sweep)]
    done = subprocess.run(
        [sys.executable, "-I", "-c", IN_A_BROWSER, str(tmp_path), *questions], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    said, body = said_and_body(done.stdout)
    assert (said, body[: len(rows)]) == ({}, rows)
    said, body = said_and_body(body[len(rows) :])
    assert said == {}
    assert unpacked(body)["sweep"]["spec"] == compiled_chart()


def test_a_run_gives_the_rows_that_the_command_prints_or_the_message_of_check() -> None:
    text = SCENARIO.read_text(encoding="utf-8")
    said, body = ask(do="run", text=text)
    printed = subprocess.run(
        [sys.executable, "-m", "simulator", "run", str(SCENARIO)], capture_output=True, check=True, cwd=ROOT
    )
    assert (said, body) == ({}, printed.stdout)
    said, body = ask(do="run", text=text.replace("tumbling", "tumblin"), file="mine.yaml")
    assert said["problem"].startswith("mine.yaml:")
    assert "tumblin" in said["problem"]
    assert body == b""


def test_a_scenario_in_a_link_opens_as_in_the_app() -> None:
    text = SCENARIO.read_text(encoding="utf-8").replace("late-but-allowed", "mine")
    said, body = ask(do="open", query={"s": token_of(text, json=False)}, language="zh")
    shown = unpacked(body)
    assert (shown["name"], said["steps"]) == ("mine", shown["steps"])
    assert shown["words"]["play"] == "播放"
    assert "damaged" in ask(do="open", query={"s": "garbage"}, language="en")[0]["problem"]
    refused, _ = ask(do="file", name="a.yaml", text="scenario: 1")
    assert refused["file"] == "a.yaml cannot be opened"
    assert ask(do="file", name="a.yaml", text=text)[0]["address"][0] == "s"


def test_the_pages_get_what_their_desks_answer() -> None:
    text = SCENARIO.read_text(encoding="utf-8")
    asked = {"number": 3, "text": text, "edit": None, "before": None}
    assert unpacked(ask(do="author", asked=asked)[1]) == unpacked(reply(asked))
    assert unpacked(ask(do="author", query={"new": "1"})[1])["start"]["fresh"]
    compared = unpacked(ask(do="compare", query={"scenario": "late-but-allowed", "b.bound": "0"}, searches={})[1])
    assert compared["address"] == {"scenario": "late-but-allowed", "b.bound": "0"}
    assert "no scenario nowhere" in ask(do="compare", query={"scenario": "nowhere"})[0]["problem"]
    first = ask(do="inventory")[0]
    assert ask(do="inventory", asked={"number": 1, "ask": "form", "form": first["forms"][0]})[0]["number"] == 1
    assert ask(do="practice")[0]["levels"] == 8
    asked = {"number": 2, "ask": "exercise", "seed": 7, "level": 1}
    assert ask(do="practice", asked=asked)[0]["exercise"]["seed"] == 7


def test_what_the_player_asks_is_answered_about_the_scenario_of_the_address() -> None:
    query = {"scenario": "late-but-allowed"}
    entry = find("late-but-allowed")
    assert entry is not None
    assert entry.scenario is not None
    said, body = ask(do="desk", query=query, asked={"kind": "data", "what": "rows", "form": "jsonl"})
    assert len(body.decode().splitlines()) == len(run_rows(entry.scenario))
    edit = {"kind": "number", "name": "bound", "value": "0 s"}
    said, body = ask(do="desk", query=query, asked={"kind": "tryout", "text": None, "edit": edit, "original": query})
    assert set(said) == {"problem"} or unpacked(body)["name"]
    facts, _ = packed(entry, entry.name, entry.stamp, choices_of(library()), edition=STUDENT)
    assert ask(do="desk", query=query, asked={"kind": "students"})[1] == facts
    assert "problem" in ask(do="desk", query=query, asked={"kind": "room-open"})[0]


def test_a_lesson_to_take_away_is_that_of_the_app_made_of_what_the_page_hands_over() -> None:
    handed = {"shell": shell(), "fonts": fonts().decode(), **dict(zip(("style", "script"), own_parts(), strict=True))}
    asked = {"do": "lesson", "lesson": LESSON, "kit": handed}
    assert ask(**asked, **{"as": "html"}, student=True)[1] == lesson_for_students(LESSON)
    assert ask(**asked, **{"as": "zip"}, student=True)[1] == lesson_package(LESSON, student=True)
    assert "no lesson nowhere" in ask(**{**asked, "lesson": "nowhere"})[0]["problem"]


@pytest.mark.parametrize("seed", [0, 42, 2**64 - 1])
def test_the_hash_that_stands_in_is_xxh64(seed: int) -> None:
    spec = importlib.util.spec_from_file_location("standing_in", STANDING_IN / "xxhash.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    chance = random.Random(seed)
    for length in range(80):
        data = chance.randbytes(length)
        assert module.xxh64_intdigest(data, seed) == xxh64_intdigest(data, seed)


def test_equal_code_makes_equal_bytes() -> None:
    assert code() == code()


def test_a_course_is_beside_the_shipped_library_and_not_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = tmp_path / "mine"
    course.mkdir()
    text = (ROOT / "scenarios" / "two-clocks.yaml").read_text(encoding="utf-8")
    (course / "ferries.yaml").write_text(text.replace("name: two-clocks", "name: ferries"), encoding="utf-8")
    (course / "exam.yaml").write_text("scenario: 1\nname: exam\n# unfinished\n", encoding="utf-8")
    named = 'title.en = "Ports"\nabout.en = "Fog"\n'
    lesson = f'[[lessons]]\nid = "ports"\n{named}[[lessons.topics]]\n{named}scenarios = ["ferries"]\n'
    (course / "lessons.toml").write_text(lesson, encoding="utf-8")
    monkeypatch.setattr(catalogue, "CHOSEN", course)
    site = tmp_path / "site"
    zipfile.ZipFile(io.BytesIO(code())).extractall(site)
    assert sorted(path.name for path in (site / "tidemark" / "course").iterdir()) == ["ferries.yaml", "lessons.toml"]
    monkeypatch.setattr(catalogue, "CHOSEN", None)
    monkeypatch.setattr(catalogue, "FOLDER", site / "tidemark" / "scenarios")
    monkeypatch.setattr(catalogue, "COURSE", site / "tidemark" / "course")
    assert [each.id for each in catalogue.lessons().lessons][:2] == ["ports", "first-visit"]
    assert catalogue.lessons().lecture is not None
    _, opened = ask(do="library", folder={"files": {}})
    assert b"Ports" in opened
    assert b"First steps" in opened
    assert b"exam" not in opened


# What `make site` compiles for the browser: everything that the engine imports, and nothing is lost on the way.


def compiles(test: Callable[..., None]) -> Callable[..., None]:
    """Marks a test that compiles everything, which takes half a minute of a processor."""
    return pytest.mark.long(pytest.mark.time_limit(300)(test))


def contents(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def compiled_whole() -> tuple[bytes, bytes]:
    """Python's library and all of the code, two zips."""
    library, program = compiled(code(), ENGINE)
    return library, gzip.decompress(program)


def as_source(name: str) -> str:
    return re.sub(r"\.pyc$", ".py", name)


@pytest.mark.skipif(not ENGINE.is_dir(), reason="needs Python for the browser: make site fetches it")
@compiles
def test_the_code_is_bytecode_and_every_other_file_is_as_it_was() -> None:
    before = contents(code())
    after = contents(compiled_whole()[1])
    assert {as_source(name) for name in after} == set(before)
    assert [name for name in after if name.endswith(".py")] == []
    assert [name for name in before if name in after and before[name] != after[name]] == []


@pytest.mark.skipif(not ENGINE.is_dir(), reason="needs Python for the browser: make site fetches it")
@compiles
def test_of_the_library_what_the_engine_imports_is_bytecode() -> None:
    before = contents((ENGINE / LIBRARY).read_bytes())
    after = contents(compiled_whole()[0])
    assert {as_source(name) for name in after} == set(before)
    assert {"os.pyc", "json/decoder.pyc", "dataclasses.pyc", "_pyodide/_base.pyc"} <= set(after)
    assert {"pdb.py", "unittest/case.py"} <= set(after), "bytecode is larger, and these are not used"


@pytest.mark.skipif(not ENGINE.is_dir(), reason="needs Python for the browser: make site fetches it")
@compiles
def test_the_same_code_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A browser keeps a file by its name, which is made from its contents: a reader loads nothing a second time.

    A few modules are compiled by themselves: the whole takes half a minute.
    """
    whole = [contents(each) for each in compiled_whole()]
    *packages, module = site_code.ASKED.split(".")
    few = io.BytesIO()
    with zipfile.ZipFile(few, "w") as archive:
        own = {"/".join((*packages[:depth], "__init__.py")) for depth in range(1, len(packages) + 1)}
        own.add("/".join((*packages, f"{module}.py")))
        for name in own:
            archive.writestr(name, "import dataclasses, json, zipfile\n")
        for name, content in contents(code()).items():
            if name.startswith("tidemark/simulator/engine/triggers/"):
                archive.writestr(name, content)
    monkeypatch.setattr("tidemark.ui.server.cache.BUILD", tmp_path)
    library, program = compiled(few.getvalue(), ENGINE)
    for before, after in zip(whole, (contents(library), contents(gzip.decompress(program))), strict=True):
        same = {name for name in after if name in before and name.endswith(".pyc") and as_source(name) not in own}
        assert len(same) > 3
        assert [name for name in same if after[name] != before[name]] == []


@pytest.mark.skipif(not ENGINE.is_dir(), reason="needs Python for the browser: make site fetches it")
def test_a_python_that_cannot_be_started_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "pyodide"
    broken.mkdir()
    for name in ("package.json", *PYODIDE, LIBRARY):
        (broken / name).write_text('{"version": "1"}' if name.endswith("json") else "damaged", encoding="utf-8")
    monkeypatch.setattr("tidemark.ui.server.cache.BUILD", tmp_path / "build")
    course = tmp_path / "course"
    course.mkdir()
    shutil.copy(ROOT / "scenarios" / "two-clocks.yaml", course)
    monkeypatch.setattr(catalogue, "FOLDER", course)
    with pytest.raises(BytecodeError):
        compiled(code(), broken)
    out = tmp_path / "site"
    with pytest.raises(SiteError, match=r"could not be compiled: .*make site"):
        for _ in build(out, broken):
            pass
    assert not out.exists(), "nothing is half written"


@pytest.mark.skipif(not ENGINE.is_dir(), reason="needs Python for the browser: make site fetches it")
def test_the_worker_asks_the_module_that_is_compiled() -> None:
    assert f'const DESK = "{site_code.ASKED}";' in (ROOT / "ui" / "site" / "worker.ts").read_text(encoding="utf-8")
