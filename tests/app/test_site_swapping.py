"""The folder of a site is replaced in one step: whoever is killed before that leaves the old site whole."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tidemark.ui.site import files
from tidemark.ui.site.files import replacing

ROOT = Path(__file__).resolve().parents[2]

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


def site(folder: Path, text: str) -> None:
    (folder / "files").mkdir(parents=True)
    (folder / "index.html").write_text(text, encoding="utf-8")
    (folder / "files" / f"{text}.js").write_text(text, encoding="utf-8")


def names(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}


def write(folder: Path, text: str) -> None:
    (folder / "files").mkdir(exist_ok=True)
    (folder / "index.html").write_text(text, encoding="utf-8")
    (folder / "files" / f"{text}.js").write_text(text, encoding="utf-8")


def test_a_process_that_is_killed_leaves_the_old_site_and_the_next_one_clears_up(tmp_path: Path) -> None:
    out = tmp_path / "site"
    site(out, "old")
    with subprocess.Popen(
        [sys.executable, "-c", HALF, str(out)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "half\n"
        process.send_signal(signal.SIGKILL)
    assert names(out) == {"index.html", "files/old.js"}
    assert (out / "index.html").read_text(encoding="utf-8") == "old"
    assert len(list(tmp_path.iterdir())) == 2, "the unfinished one lies beside it"
    with replacing(out, "files") as folder:
        write(folder, "newer")
    assert [each.name for each in tmp_path.iterdir()] == ["site"]
    assert names(out) == {"index.html", "files/newer.js"}


@pytest.mark.parametrize("in_one_step", [True, False])
def test_what_else_was_there_comes_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_one_step: bool) -> None:
    if not in_one_step:
        monkeypatch.setattr(files, "_exchanged", lambda one, other: False)
    out = tmp_path / "site"
    site(out, "old")
    (out / "CNAME").write_text("example.org", encoding="utf-8")
    (out / ".git").mkdir()
    (out / ".git" / "HEAD").write_text("ref", encoding="utf-8")
    (out / "latest").symlink_to("files")
    with replacing(out, "files") as folder:
        write(folder, "new")
    assert names(out) == {"index.html", "files/new.js", "CNAME", ".git/HEAD"}
    assert (out / "latest").is_symlink()
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_an_error_leaves_everything_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "site"
    site(out, "old")

    def fails() -> None:
        with replacing(out, "files") as folder:
            write(folder, "new")
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="disk"):
        fails()
    assert names(out) == {"index.html", "files/old.js"}
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_an_old_site_that_was_moved_away_comes_back(tmp_path: Path) -> None:
    """Where names cannot be exchanged in one step, and the process was killed between the two."""
    away = tmp_path / f".site-{2**22 + 1}.unfinished.old"  # no process has this number
    site(away, "old")
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "site", "files"):
        raise KeyboardInterrupt
    assert names(tmp_path / "site") == {"index.html", "files/old.js"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names are exchanged in one step")
def test_there_is_a_whole_site_at_every_moment(tmp_path: Path) -> None:
    out = tmp_path / "site"
    site(out, "old")
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
