"""The wheel: nothing outside the one name, and a core installation that runs without Spark, Streamlit and pandas."""

import itertools
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hatchling.build import build_wheel
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PINS = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("requirements.txt", "requirements-dev.txt"))

CORE_ALONE = """
import sys
MISSING = {"altair", "numpy", "pandas", "pyarrow", "pyspark", "segno", "streamlit", "tomlkit", "vl_convert"}

class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Lacking())
import importlib.util
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in MISSING else find_spec(name, package)
from tidemark.__main__ import main
sys.exit(main())
"""
"""The command where the packages of all extras are missing."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the contents of the wheel, as pip lays them into site-packages."""
    folder = tmp_path_factory.mktemp("wheel")
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        name = build_wheel(str(folder))
    finally:
        os.chdir(before)
    with zipfile.ZipFile(folder / name) as wheel:
        wheel.extractall(folder / "site")
    return folder / "site"


def in_core(site: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """What the command prints in a core installation."""
    command = [sys.executable, "-P", "-c", CORE_ALONE, *arguments]
    return subprocess.run(
        command, cwd=site.parent, env={**os.environ, "PYTHONPATH": str(site)}, input=given, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


def test_nothing_lies_beside_the_one_name(installed: Path) -> None:
    (metadata,) = installed.glob("*.dist-info")
    assert {each.name for each in installed.iterdir()} == {"tidemark", metadata.name}
    assert {each.name for each in (metadata / "licenses").iterdir()} == {"LICENSE", "THIRD-PARTY.md"}


def test_the_wheel_carries_the_library_the_scripts_and_the_app(installed: Path) -> None:
    package = installed / "tidemark"
    assert len(list((package / "scenarios").glob("*.yaml"))) > 80
    (scripts,) = (package / "build" / "browser").iterdir()
    assert (scripts / "player" / "main.js").is_file()
    for name in ("app.py", "py.typed", ".streamlit/config.toml", "simulator/words/zh/app.toml", "ui/site/site.css"):
        assert (package / name).is_file(), name
    assert not [each for each in package.rglob("*") if each.name in ("tests", "__pycache__")]


def test_a_scenario_begins_runs_and_is_checked_in_a_core_installation(installed: Path) -> None:
    assert in_core(installed, "--version").stdout == "tidemark 1.0.0\n"
    done = in_core(installed, "new", "my-first.yaml")
    assert (done.stdout, done.stderr, done.returncode) == ("my-first.yaml\n", "", 0)
    assert in_core(installed, "check", "my-first.yaml").stdout == "my-first.yaml: sound\n"
    text = (installed.parent / "my-first.yaml").read_text(encoding="utf-8")
    rows = in_core(installed, "run", "-", "--rows", "pane,dropped", "--format", "csv", given=text).stdout
    assert rows.splitlines()[0] == "row,key,start,end,timing,pane,value,timestamp,watermark,at,item,input,ts"
    assert [line.split(",")[0] for line in rows.splitlines()[1:]] == ["pane", "pane", "dropped", "pane", "pane"]
    again = in_core(installed, "new", "my-first.yaml")
    assert again.returncode == 2
    assert "exists already" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "library", "extra"),
    [
        (["verify", "x.yaml"], "pyspark", "spark"),
        (["profile", "x.csv", "--bound", "2s"], "pyspark", "spark"),
        (["cut", "x.csv", "--around", "dropped"], "pyspark", "spark"),
        (["site", "out"], "streamlit", "app"),
        (["app"], "streamlit", "app"),
    ],
)
def test_what_an_extra_brings_is_named(installed: Path, arguments: Sequence[str], library: str, extra: str) -> None:
    done = in_core(installed, *arguments)
    assert done.stderr == f'{library} is not installed. Install it with: pip install "tidemark[{extra}]"\n'
    assert done.returncode == 2


def test_a_shell_completes_commands_in_a_core_installation(installed: Path) -> None:
    script = in_core(installed, "--print-completion", "bash").stdout
    assert "\0" not in script
    (installed.parent / "completion").write_text(script, encoding="utf-8")
    subprocess.run(["bash", "-c", "source completion"], cwd=installed.parent, check=True, capture_output=True)


def test_what_a_wheel_needs_is_pinned_for_the_checkout() -> None:
    """The environment of the tests has a version of each package that the metadata allow."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = map(Requirement, itertools.chain(project["dependencies"], *project["optional-dependencies"].values()))
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", PINS, re.MULTILINE))
    assert [str(each) for each in needed if each.name != "tidemark" and pins[each.name] not in each.specifier] == []
