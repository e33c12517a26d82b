"""The structure that ARCHITECTURE.md promises: rings, families, forbidden calls, and the size of files."""

import fnmatch
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import architecture
from tests.architecture import Sources
from tests.rings import LAYERS, RINGS

ROOT = Path(__file__).parents[1]
PACKAGES = ("tidemark", "simulator", "spark_bridge", "ui", "benchmarks")
CODE = architecture.read(ROOT, "app.py", *(f"{package}/**/*.py" for package in PACKAGES))
EVERYTHING = architecture.read(
    ROOT,
    "app.py",
    *(f"{folder}/**/*.{kind}" for folder in (*PACKAGES, "tests") for kind in ("py", "js", "ts", "css", "html")),
)

TOP_LEVEL = set(PACKAGES) | {
    "app.py",
    "scenarios",
    "tests",
    "docs",
    "Makefile",
    "pyproject.toml",
    "hatch_build.py",
    "action.yml",
    "CHANGELOG.md",
    "CITATION.cff",
    "Dockerfile",
    ".devcontainer",
    ".dockerignore",
    ".pre-commit-hooks.yaml",
    "THIRD-PARTY.md",
    "requirements.txt",
    "requirements.lock",
    "requirements-dev.lock",
    "requirements-dev.txt",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "LICENSE",
    ".ci",
    ".git",
    ".gitignore",
    ".npmrc",
    ".prettierignore",
    ".prettierrc.json",
    "package.json",
    "package-lock.json",
    "eslint.config.js",
    "tsconfig.json",
    ".streamlit",
}

Rule = Callable[[Sources], list[str]]

RULES = [
    architecture.hidden_functions,
    architecture.imports_past_the_root,
    architecture.outward_imports,
    architecture.entangled_families,
    architecture.shortcuts_into_the_engine,
    architecture.second_readers,
    architecture.foreign_imports,
    architecture.worldly_engine,
    architecture.import_cycles,
    architecture.unguarded_events,
    architecture.stateful_configuration,
    architecture.silent_modules,
    architecture.switches_over_operators,
    architecture.logic_in_page_list,
]


@pytest.fixture(scope="module", autouse=True)
def trees() -> Iterator[None]:
    """The syntax trees of the rules, which are large, go with the tests of this file."""
    yield
    architecture.tree_of.cache_clear()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_code_obeys_the_rule(rule: Rule) -> None:
    assert not rule(CODE)


@pytest.mark.parametrize("package", ["simulator", "ui"])
def test_every_folder_has_its_ring(package: str) -> None:
    folders = {path.split("/")[1] for path in CODE if path.startswith(f"{package}/") and path.count("/") > 1}
    assert {f"{package}.{folder}" for folder in folders} <= set(RINGS)


def test_a_typescript_module_imports_from_no_higher_ring() -> None:
    assert not architecture.outward_modules(EVERYTHING)


def test_the_architecture_document_lists_the_rings_in_order() -> None:
    text = (ROOT / "docs" / "maintainers" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (.*?) \|", text.partition("## Rings")[2].partition("\n## ")[0], re.MULTILINE)
    documented = [(int(ring), tuple(re.findall(r"`([\w.]+)`", parts))) for ring, parts in rows]
    assert documented == list(enumerate(LAYERS))


def test_no_file_is_too_long_to_read() -> None:
    assert not architecture.long_files(EVERYTHING)


def test_the_browser_sends_no_requests() -> None:
    assert not architecture.requests_of_the_browser(EVERYTHING)


def test_one_module_reads_and_writes_what_the_browser_keeps() -> None:
    assert not architecture.other_keepers(EVERYTHING)
    assert len(architecture.other_keepers({"ui/a.ts": "const seen = localStorage.x;"})) == 1


def test_a_step_does_not_restyle_the_whole_page() -> None:
    assert not architecture.costly_selectors(EVERYTHING)


def test_browser_tests_open_pages_with_the_helper_that_waits() -> None:
    assert not architecture.hasty_visits(EVERYTHING)


def test_browser_tests_wait_for_conditions_not_for_time() -> None:
    assert not architecture.fixed_waits(EVERYTHING)


def test_test_modules_import_each_other_by_their_full_names() -> None:
    assert not architecture.bare_imports(EVERYTHING)


FAULTS: list[tuple[Rule, str, str, str]] = [
    (
        architecture.outward_imports,
        "simulator/engine/values/a.py",
        "from tidemark.simulator.engine.state import ListState",
        "values",
    ),
    (
        architecture.outward_imports,
        "simulator/engine/timers.py",
        "def f():\n    import tidemark.simulator.engine.operators.base",
        "timers.py:2",
    ),
    (
        architecture.hidden_functions,
        "ui/a.py",
        "def card(of):\n    return of\ndef show(found):\n    for card in found:\n        put(card(card))",
        "ui/a.py:5: card",
    ),
    (architecture.imports_past_the_root, "ui/a.py", "import ast\nfrom simulator import run", "ui/a.py:2"),
    (architecture.outward_imports, "simulator/scenario/a.py", "from tidemark import spark_bridge", "spark_bridge"),
    (architecture.outward_imports, "simulator/scenario/a.py", "from tidemark.ui.player import component", "ui.player"),
    (
        architecture.outward_imports,
        "ui/a.py",
        "from tidemark.spark_bridge import check",
        "must not import spark_bridge",
    ),
    (architecture.outward_imports, "spark_bridge/a.py", "from tidemark import ui", "must not import ui"),
    (architecture.outward_imports, "ui/a.py", "import app", "must not import app"),
    (
        architecture.outward_imports,
        "simulator/scenario/a.py",
        "from tidemark.simulator import timeline",
        "simulator.timeline",
    ),
    (
        architecture.outward_imports,
        "simulator/timeline/a.py",
        "import tidemark.simulator.explore.runs",
        "simulator.explore",
    ),
    (
        architecture.outward_imports,
        "simulator/explore/a.py",
        "from tidemark.simulator.teaching import hints",
        "teaching",
    ),
    (architecture.outward_imports, "simulator/teaching/a.py", "from tidemark.simulator import commands", "commands"),
    (architecture.outward_imports, "simulator/words/a.py", "from tidemark.simulator.scenario import model", "scenario"),
    (
        architecture.outward_imports,
        "ui/payload/charts/a.py",
        "from tidemark.ui.payload.contents import payload",
        "ui.payload",
    ),
    (architecture.outward_imports, "ui/payload/a.py", "from tidemark.ui.player import bundle", "ui.player"),
    (architecture.outward_imports, "ui/player/a.py", "from tidemark.ui.author import desk", "ui.author"),
    (architecture.outward_imports, "ui/library/a.py", "import tidemark.ui.pages.library", "ui.pages"),
    (architecture.outward_imports, "ui/new_file.py", "from tidemark.ui.catalogue import find", "ui.catalogue"),
    (architecture.outward_modules, "ui/player/base/a.ts", 'import { x } from "../frame/b.ts";', "a.ts:1"),
    (architecture.outward_modules, "ui/player/why/a.ts", 'import {\n  x,\n} from "../frame/b.ts";', "ui/player/frame"),
    (architecture.outward_modules, "ui/player/a.ts", 'import { x } from "../author/b.ts";', "ui/author"),
    (architecture.outward_modules, "ui/compare/a.ts", 'import { x } from "../player/cards/b.ts";', "ui/player/cards"),
    (
        architecture.entangled_families,
        "simulator/engine/triggers/a.py",
        "from tidemark.simulator.engine.assigners.base import WindowAssigner",
        "a.py",
    ),
    (
        architecture.entangled_families,
        "simulator/engine/operators/a.py",
        "from tidemark.simulator.engine.triggers.by_record import CountTrigger",
        "base",
    ),
    (
        architecture.shortcuts_into_the_engine,
        "ui/a.py",
        "from tidemark.simulator.engine.operators.window_operator import PLACE",
        "inside",
    ),
    (
        architecture.entangled_families,
        "simulator/engine/triggers/a.py",
        "from tidemark.simulator.engine.triggers.by_record import COUNT",
        "a.py",
    ),
    (
        architecture.shortcuts_into_the_engine,
        "spark_bridge/a.py",
        "import tidemark.simulator.engine.pipeline",
        "inside",
    ),
    (
        architecture.second_readers,
        "ui/author/a.py",
        "from tidemark.simulator.scenario.reading.nodes import ScalarNode",
        "a.py:1",
    ),
    (
        architecture.second_readers,
        "simulator/scenario_tools.py",
        "from tidemark.simulator.scenario import reading",
        "reader",
    ),
    (architecture.requests_of_the_browser, "ui/player/a.ts", "const step = await fetch('/step');", "a.ts:1"),
    (architecture.requests_of_the_browser, "ui/player/a.css", "a {}\n@import 'https://fonts';", "a.css:2"),
    (architecture.foreign_imports, "simulator/a.py", "import pandas as pd", "pandas"),
    (architecture.foreign_imports, "simulator/engine/values/a.py", "from xxhash import xxh64_intdigest", "xxhash"),
    (architecture.foreign_imports, "spark_bridge/plan/batch.py", "from pyspark.sql import functions", "pyspark"),
    (architecture.foreign_imports, "spark_bridge/spark/session.py", "import streamlit", "streamlit"),
    (architecture.foreign_imports, "ui/a.py", "import pyspark", "pyspark"),
    (architecture.worldly_engine, "simulator/engine/operators/a.py", "import time", "time"),
    (architecture.worldly_engine, "simulator/engine/generators.py", "from random import random", "random"),
    (architecture.worldly_engine, "simulator/engine/pipeline/a.py", "order = hash('k')", "hash()"),
    (
        architecture.worldly_engine,
        "simulator/engine/triggers/a.py",
        "for key in set(keys):\n    fire(key)",
        "order of a set",
    ),
    (architecture.unguarded_events, "simulator/a.py", "if rule:\n    self.trace.add(Event(1))", "a.py:2"),
    (
        architecture.unguarded_events,
        "simulator/a.py",
        "if trace is not None:\n    pass\nelse:\n    trace.add(Event(1))",
        "a.py:4",
    ),
    (
        architecture.stateful_configuration,
        "simulator/engine/triggers/a.py",
        "class CountTrigger:\n    seen = 0",
        "CountTrigger",
    ),
    (
        architecture.stateful_configuration,
        "simulator/engine/evictors.py",
        "@dataclass(slots=True)\nclass A:\n    n: int",
        "A must",
    ),
    (
        architecture.stateful_configuration,
        "simulator/engine/assigners/a.py",
        "object.__setattr__(self, 'n', 1)",
        "keyed state",
    ),
    (
        architecture.switches_over_operators,
        "ui/payload/brief.py",
        "from tidemark.simulator.scenario import model\nfound = isinstance(operator, model.Over)",
        "ui/payload/brief.py:2: ask the operator: Over",
    ),
    (
        architecture.stateful_configuration,
        "simulator/engine/triggers/a.py",
        "def f():\n    global seen\n    seen = 1",
        "keyed state",
    ),
    (architecture.silent_modules, "simulator/a.py", "x = 1", "a.py:1"),
    (architecture.logic_in_page_list, "app.py", "if ready:\n    show()", "If"),
    (architecture.logic_in_page_list, "app.py", "pages = [page(each) for each in names]", "comprehension"),
    (architecture.costly_selectors, "ui/player/a.css", ".a:has(> :is(.b, .c):not([hidden])) > .d { e: f; }", "class"),
    (architecture.costly_selectors, "ui/pages/theme/a.css", ":root:has(.a[b]) .c { d: e; }", "class"),
    (architecture.hasty_visits, "tests/browser/test_a.py", "    page.goto(address)", "opening.py"),
    (architecture.hasty_visits, "tests/browser/test_a.py", "    page.reload()", "opening.py"),
    (architecture.fixed_waits, "tests/browser/test_a.py", "def f():\n    page.wait_for_timeout(300)", "a.py:2"),
    (architecture.fixed_waits, "tests/browser/test_a.py", "from time import sleep\nsleep(1)", "a.py:2"),
    (architecture.fixed_waits, "tests/browser/test_a.py", "LATER = 'setTimeout(done, 250)'", "setTimeout"),
    (architecture.long_files, "ui/player/a.ts", "step();\n" * 601, "600 lines"),
]


@pytest.mark.parametrize(
    ("rule", "path", "source", "complaint"), FAULTS, ids=lambda each: getattr(each, "__name__", str(each)[:40])
)
def test_a_planted_fault_is_found(rule: Rule, path: str, source: str, complaint: str) -> None:
    complaints = rule({path: source})
    assert len(complaints) == 1
    assert complaint in complaints[0]


def test_a_planted_cycle_is_found() -> None:
    circle = {
        "simulator/a.py": "from tidemark.simulator.b import f",
        "simulator/b.py": "def f():\n    import tidemark.simulator.c",
        "simulator/c.py": "from tidemark.simulator import a",
    }
    assert architecture.import_cycles(circle) == ["simulator.a -> simulator.b -> simulator.c -> simulator.a"]


def test_a_planted_bare_import_is_found() -> None:
    planted = {
        "tests/spark/helpers.py": "",
        "tests/spark/test_a.py": "import json\nfrom tidemark.simulator.scenario import load\nfrom helpers import rows",
        "tests/spark/test_b.py": "from tests.spark.helpers import rows",
    }
    assert architecture.bare_imports(planted) == ["tests/spark/test_a.py:3: import it as tests.….helpers.rows"]


def test_no_complaint_about_allowed_code() -> None:
    good = {
        "app.py": '"""Pages."""\nimport streamlit\nfrom tidemark.spark_bridge import check\n'
        "from tidemark.ui import show\nshow(check)",
        "simulator/engine/triggers/datastream.py": '"""Count."""\n'
        "from tidemark.simulator.engine.triggers.base import Trigger\n"
        "@dataclass(frozen=True, slots=True)\nclass CountTrigger(Trigger):\n    max: int",
        "simulator/engine/triggers/every.py": '"""Every."""\n'
        "from tidemark.simulator.engine.triggers.base import Trigger",
        "simulator/engine/operators/base.py": '"""Base."""\n'
        "from tidemark.simulator.engine.triggers.base import Trigger\n"
        "if self.trace is not None and rule is not None:\n    self.trace.add(Event(1))",
        "simulator/engine/state.py": '"""State."""\ndef added(trace: Trace) -> None:\n    trace.add(Event(1))\n'
        "def cleared(self):\n    if self.trace is None:\n        return\n    self.trace.add(Event(1))",
        "simulator/__init__.py": "",
    }
    assert [complaint for rule in RULES for complaint in rule(good)] == []


def test_no_stray_files_at_the_top_level() -> None:
    ignored = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").split()]
    found = {path.name for path in ROOT.iterdir()}
    extra = {name for name in found - TOP_LEVEL if not any(fnmatch.fnmatch(name, each) for each in ignored)}
    assert not extra, "move it into a folder, or name it in docs/maintainers/ARCHITECTURE.md and here"


def test_every_folder_of_the_code_map_exists() -> None:
    assert {name for name in TOP_LEVEL - {".git"} if not (ROOT / name).exists()} == set()


SOMEBODYS_MACHINE = re.compile(r"(?<![\w./:-])/(?:" + "|".join(("work", "root", "home", "Users")) + r")/\w")


def test_no_file_names_a_path_on_a_developers_machine() -> None:
    kinds = ("py", "js", "css", "html", "md", "toml", "yaml", "json", "txt")
    folders = (*PACKAGES, "tests", "docs", "scenarios", ".ci", ".streamlit")
    texts = architecture.read(
        ROOT, "*.*", "Makefile", ".ci/run", *(f"{each}/**/*.{kind}" for each in folders for kind in kinds)
    )
    assert len(texts) > len(CODE)
    texts.pop(".git", None)  # in a linked worktree it is a file that holds a path
    assert [path for path, text in texts.items() if SOMEBODYS_MACHINE.search(text)] == []
    assert SOMEBODYS_MACHINE.search("open('" + "/home" + "/me/scenario.yaml')")


def test_every_scenario_of_the_library_names_the_schema() -> None:
    """Editors use the line that names the schema to complete and check a scenario."""
    scenarios = architecture.read(ROOT, "scenarios/*.yaml")
    assert scenarios
    for path, text in scenarios.items():
        named = re.search(r"^# yaml-language-server: \$schema=(\S+)$", text, flags=re.MULTILINE)
        assert named, path
        assert (ROOT / path).parent.joinpath(named[1]).is_file(), f"{path} names a schema that does not exist"
