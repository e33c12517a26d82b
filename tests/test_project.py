"""What a newcomer relies on: two commands, docs whose names exist, and a complete CI."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.scenario import parse

from tests.architecture import read

ROOT = Path(__file__).parents[1]
DOCS = read(ROOT, "*.md", "docs/**/*.md")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


# --- make ----------------------------------------------------------------------------------------------------------


def make(*arguments: str, path: str | None = None, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run make, isolated from a make that may have started the tests."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    if path is not None:
        environment["PATH"] = path
    return subprocess.run(["make", *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False)


needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the files that `make setup` reads, and no environment."""
    for name in ("Makefile", "requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


@needs_make
def test_make_without_a_target_lists_every_command() -> None:
    shown = make().stdout
    targets = re.findall(r"^([a-z-]+):(?!=)", MAKEFILE, flags=re.MULTILINE)
    assert {"run", "test", "check", "bench", "screenshots", "clean", "help"} <= set(targets)
    for target in targets:
        assert f"make {target} " in shown


@needs_make
def test_the_address_can_be_set_so_that_phones_reach_the_app() -> None:
    assert "--server.address 127.0.0.1" in make("-n", "run").stdout
    assert "--server.address 0.0.0.0" in make("-n", "run", "ADDRESS=0.0.0.0").stdout


@needs_make
def test_a_python_that_is_too_old_is_named(checkout: Path) -> None:
    tools = checkout / "tools"
    tools.mkdir()
    for tool in ("sh", "cat", "cksum", "cut", "env", "make"):
        (tools / tool).symlink_to(str(shutil.which(tool)))
    old = tools / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = make("setup", path=str(tools), cwd=checkout)
    assert done.returncode != 0
    assert "Tidemark needs Python 3.11 or newer" in done.stderr
    assert not (checkout / ".venv").exists()


@needs_make
def test_a_python_without_venv_is_named(checkout: Path) -> None:
    bare = checkout / "bare-python"
    bare.write_text(f'#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; esac\nexec "{sys.executable}" "$@"\n')
    bare.chmod(0o755)
    done = make("setup", f"PYTHON={bare}", cwd=checkout)
    assert done.returncode != 0
    assert "sudo apt install python3-venv" in done.stderr


@needs_make
def test_setup_installs_once_and_again_after_a_pin_changes(checkout: Path) -> None:
    log = checkout / "log"
    python = checkout / "python"
    python.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        '*"-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python;;\n'
        f'*"pip install"*) echo "$*" >> "{log}";;\n'
        "*alive*) echo alive;;\n"
        "esac\n"
    )
    python.chmod(0o755)

    def installs(target: str) -> int:
        done = make(target, f"PYTHON={python}", cwd=checkout)
        assert done.returncode == 0, done.stderr
        return len(log.read_text().splitlines())

    assert installs("setup") == 1
    assert installs("setup") == 1
    assert installs("setup-dev") == 2
    assert installs("setup") == 2
    with (checkout / "requirements.lock").open("a") as file:
        file.write("# another pin\n")
    assert installs("setup-dev") == 3
    assert installs("setup") == 3
    shutil.rmtree(checkout / ".venv" / "bin")
    assert installs("setup") == 4, "an environment without its interpreter is created again"


# --- docs ----------------------------------------------------------------------------------------------------------


def links() -> Iterator[tuple[str, str]]:
    """Document and target of every relative link and picture."""
    for path, text in DOCS.items():
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)|<img[^>]+src=\"([^\"]+)\"", text):
            address = target[0] or target[1]
            if not re.match(r"[a-z]+:", address):
                yield path, address


def test_every_link_in_the_docs_leads_somewhere() -> None:
    found = list(links())
    assert ("README.md", "docs/maintainers/ARCHITECTURE.md") in found
    assert [f"{path}: {target}" for path, target in found if not (ROOT / path).parent.joinpath(target).exists()] == []


def test_the_docs_name_files_that_exist() -> None:
    """Every path such as `simulator/…` or `ui/…` in backticks in the architecture document."""
    text = DOCS["docs/maintainers/ARCHITECTURE.md"]
    named = set(re.findall(r"`((?:simulator|spark_bridge|ui|tests|scenarios|benchmarks|docs)/[\w./-]*)`", text))
    assert len(named) > 20
    assert {each for each in named if not (ROOT / each).exists()} == set()


def test_the_readme_example_prints_what_its_comments_say() -> None:
    example = re.search(r"```yaml\n(.*?)```", DOCS["README.md"], flags=re.DOTALL)
    assert example
    name = re.search(r"^name: (.*)$", example[1], flags=re.MULTILINE)
    assert name
    assert not (ROOT / "scenarios" / f"{name[1]}.yaml").exists(), "two scenarios with the same name"
    rows = run_rows(parse(example[1], "twice-then-dropped.yaml"))
    first_window = [row["value"] for row in rows if row["row"] == "pane" and row["end"] == 10_000]
    assert first_window == [4, 6]
    assert [row["ts"] for row in rows if row["row"] == "dropped"] == [9_000]
    assert [row["ts"] for row in rows if row["row"] == "watermark"][1:3] == [10_999, 17_999]


# --- continuous integration ----------------------------------------------------------------------------------------


def test_ci_runs_the_commands_of_a_newcomer(tmp_path: Path) -> None:
    """On a machine that has everything, CI installs no package, and runs ``make setup-dev`` and then all tests."""
    log = tmp_path / "log"
    for name in ("make", "apt-get", "sudo"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho "{name} $*" >> "{log}"\n')
    (tmp_path / "java").write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\n")
    for name in ("chromium-headless-shell", "python3", "fc-list"):
        (tmp_path / name).write_text("#!/bin/sh\necho found\n")
    for program in tmp_path.iterdir():
        program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    log.touch()
    subprocess.run([ROOT / ".ci" / "run"], env={**os.environ, "PATH": path}, check=True)
    assert log.read_text().splitlines() == ["make setup-dev", "make test-all"]


def project_with(folder: Path, **tests: str) -> None:
    """Makes ``folder`` a project with the settings of this one and these files of tests, by their names."""
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name in ("conftest.py", "examples.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests")
    for name, text in tests.items():
        (folder / "tests" / f"test_{name}.py").write_text(text)


PLANTED = """
import time
import pytest

tries = []

@pytest.mark.spark
def test_spark():
    pytest.skip("no Java")

@pytest.mark.browser
@pytest.mark.skipif(True, reason="no Chromium")
def test_browser():
    pass

@pytest.mark.browser
def test_unsteady():
    tries.append(1)
    assert len(tries) == 2

@pytest.mark.app
def test_app():
    pytest.skip("not on this system")

@pytest.mark.app
def test_steady():
    assert False

def test_plain():
    pass

@pytest.mark.time_limit(1)
def test_hangs():
    time.sleep(60)
"""


@pytest.mark.parametrize(
    ("ci", "outcomes"),
    [
        (
            "true",
            """plain PASSED, hangs FAILED, app SKIPPED, steady FAILED,
            browser RERUN, browser ERROR, unsteady RERUN, unsteady PASSED, spark FAILED""",
        ),
        (
            "",
            """plain PASSED, hangs FAILED, app SKIPPED, steady FAILED,
            browser SKIPPED, unsteady FAILED, spark SKIPPED""",
        ),
    ],
    ids=["in CI", "at home"],
)
def test_ci_skips_no_browser_or_spark_test_and_retries_browser_tests(tmp_path: Path, ci: str, outcomes: str) -> None:
    project_with(tmp_path, planted=PLANTED)
    shown = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env=os.environ | {"CI": ci},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    ran = re.findall(r"::test_(\w+) ([A-Z]+) ", shown.partition("short test summary")[0])
    assert [" ".join(each) for each in ran] == re.split(r",\s+", outcomes)
    assert ("RERUN tests/test_planted.py::test_unsteady" in shown) == bool(ci), "a retried test is named in the summary"
    assert "took longer than its limit of 1 s" in shown


SHARING = """
import pytest

@pytest.mark.spark
@pytest.mark.parametrize("number", range(6))
def test_spark(number):
    pass

@pytest.mark.browser
@pytest.mark.parametrize("number", range(6))
def test_browser(number):
    pass

@pytest.mark.browser
@pytest.mark.spark
def test_browser_of_spark():
    pass
"""


def test_tests_that_share_a_server_or_a_spark_session_run_in_one_process(tmp_path: Path) -> None:
    project_with(tmp_path, a=SHARING, b=SHARING)
    two = ["-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder"]
    shown = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", *two, "-p", "no:cacheprovider"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    ran = re.findall(r"\[(gw\d)\] .* PASSED \S+test_(\w).py::test_(spark|browser)", shown)
    assert len(ran) == 26
    assert len({process for process, _, kind in ran if kind == "spark"}) == 1, "all Spark tests of a folder"
    browsed = {(process, file) for process, file, kind in ran if kind == "browser"}
    assert len(browsed) == 2, "a file of browser tests runs in one process"


def test_the_long_tests_are_those_of_a_browser_or_spark_that_are_no_journey(tmp_path: Path) -> None:
    marked = ("app", "browser", "spark", "alone", "browser\n@pytest.mark.journey")
    tests = [f"@pytest.mark.{each}\ndef test_{number}(): pass\n" for number, each in enumerate(marked)]
    project_with(tmp_path, planted="\n".join(["import pytest", *tests]))
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-m"]
    chosen = {
        part: re.findall(
            r"test_(\d)$", subprocess.run([*collect, part], cwd=tmp_path, capture_output=True, text=True).stdout, re.M
        )
        for part in ("not long", "long")
    }
    assert chosen == {"not long": ["0", "4"], "long": ["3", "1", "2"]}


def test_no_group_is_repeated_possessively() -> None:
    """Python up to 3.11.4, the one of Debian 12 among them, goes on in the wrong place where such a group fails."""
    files = [path for name in ("simulator", "spark_bridge", "ui") for path in (ROOT / name).rglob("*.py")]
    found = [path.name for path in files if re.search(r"\)[*+?]\+(?!\+)[^ ]*[\"']", path.read_text(encoding="utf-8"))]
    assert found == []
