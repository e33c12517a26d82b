"""What `make site` compiles for the browser: everything that the engine imports, and nothing is lost on the way."""

import gzip
import io
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tidemark.ui import catalogue
from tidemark.ui.site import code as site_code
from tidemark.ui.site.build import ENGINE, PYODIDE, SiteError, build
from tidemark.ui.site.code import LIBRARY, ROOT, BytecodeError, code, compiled

pytestmark = pytest.mark.skipif(not ENGINE.is_dir(), reason="needs Python for the browser: make site fetches it")


def compiles(test: Callable[..., None]) -> Callable[..., None]:
    """Marks a test that compiles everything, which takes half a minute of a processor."""
    return pytest.mark.long(pytest.mark.time_limit(300)(test))


def contents(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def as_source(name: str) -> str:
    return re.sub(r"\.pyc$", ".py", name)


@compiles
def test_the_code_is_bytecode_and_every_other_file_is_as_it_was() -> None:
    before = contents(code())
    after = contents(gzip.decompress(compiled(code(), ENGINE)[1]))
    assert {as_source(name) for name in after} == set(before)
    assert [name for name in after if name.endswith(".py")] == []
    assert [name for name in before if name in after and before[name] != after[name]] == []


@compiles
def test_of_the_library_what_the_engine_imports_is_bytecode() -> None:
    before = contents((ENGINE / LIBRARY).read_bytes())
    after = contents(compiled(code(), ENGINE)[0])
    assert {as_source(name) for name in after} == set(before)
    assert {"os.pyc", "json/decoder.pyc", "dataclasses.pyc", "_pyodide/_base.pyc"} <= set(after)
    assert {"pdb.py", "unittest/case.py"} <= set(after), "bytecode is larger, and these are not used"


@compiles
def test_the_same_code_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A browser keeps a file by its name, which is made from its contents: a reader loads nothing a second time."""
    made = compiled(code(), ENGINE)
    monkeypatch.setattr("tidemark.ui.server.cache.BUILD", tmp_path)
    assert compiled(code(), ENGINE) == made


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


def test_the_worker_asks_the_module_that_is_compiled() -> None:
    assert f'const DESK = "{site_code.ASKED}";' in (ROOT / "ui" / "site" / "worker.ts").read_text(encoding="utf-8")
