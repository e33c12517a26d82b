"""Every code block in the documents is what it says: a scenario that runs, JavaScript that can be read, and so on."""

import contextlib
import csv
import gzip
import re
import tomllib
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario import parse, read
from tidemark.simulator.scenario.reading.nodes import Source
from tidemark.simulator.scenario.reading.yaml import read_yaml
from tidemark.simulator.sql import scenario_of
from tidemark.simulator.teaching.lint import problems_of_run
from tidemark.ui.catalogue.lessons_file import problem_in

from tests.documents.blocks import BLOCKS, COMMANDS, ROOT, TEXTS, Block, Command, without_blocks
from tests.documents.test_commands import complaint
from tests.js.node import NODE, node
from tests.own_stream.test_walk import WALK

LATE: Final = (ROOT / "scenarios/late-but-allowed.yaml").read_text(encoding="utf-8")
WINDOW: Final = (
    "operator:\n  type: window\n  assigner: {type: tumbling, size: 5s}\n  function: {call: aggregate, compute: sum}\n"
)
PARTS: Final = {"inputs": WINDOW + "stream:\n  - {end: true}\n", "stream": "inputs: {events: {channels: 2}}\n" + WINDOW}
"""What makes a scenario of a block that shows one part of it."""


def of_shell(block: Block, _folder: Path) -> None:
    """Its commands are all looked at by test_commands.py."""
    assert block.place in {command.place for command in COMMANDS}


def of_yaml(block: Block, folder: Path) -> None:
    """A scenario or a part of one, checked as ``check`` does and run; or a file of a continuous integration."""
    first = next(line for line in block.text.splitlines() if not line.startswith("#")).partition(":")[0]
    if first == "name" and "jobs:" in block.text:
        read_yaml(Source(block.place, block.text))
        for command in re.findall(r"run: (.+)", block.text):
            assert complaint(Command(block.place, command)) is None
        return
    if first in ("steps", "repos"):
        read_yaml(Source(block.place, block.text))
        return
    text = block.text if first == "scenario" else f"scenario: 1\nname: part\n{PARTS[first]}{block.text}"
    name = re.search(r"^name: (.+)$", text, re.MULTILINE)
    assert name
    if block.text in WALK:
        return  # tests/own_stream/test_walk.py runs it over the files of the walk
    if "data:" in text:
        prepare(text, folder)
    file = folder / f"{name[1]}.yaml"
    file.write_text(text, encoding="utf-8")
    scenario, warnings = read(file)
    assert warnings == []
    assert run_rows(scenario) != []
    if scenario.engine == "flink":
        assert problems_of_run(scenario) == []


def prepare(text: str, folder: Path) -> None:
    """Write the table that a block takes its stream from, with the columns that the block names."""
    members = dict(re.findall(r"^ {4}(\w+): (\S+)", text, re.MULTILINE))
    columns = [members[each] for each in ("ts", "at", "key", "value", "channel")]
    with gzip.open(folder / members["path"], "wt", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(columns)
        rows.writerow(["2026-03-01 08:00:01", "2026-03-01T08:00:02Z", "a", 4, 1])


def of_toml(block: Block, _folder: Path) -> None:
    """A part of ``lessons.toml`` that names scenarios of the library."""
    assert problem_in(block.text) == ""
    names = re.findall(r'"([a-z0-9-]+)"', " ".join(re.findall(r"(?:scenarios?|lab) = (.+)", block.text)))
    assert names
    assert [name for name in names if not (ROOT / "scenarios" / f"{name}.yaml").exists()] == []
    tomllib.loads(block.text)


def of_sql(block: Block, folder: Path) -> None:
    """A query that is read as a sound scenario."""
    (folder / "query.sql").write_text(block.text, encoding="utf-8")
    assert problems_of_run(parse(scenario_of(str(folder / "query.sql")))) == []


def of_python(block: Block, folder: Path) -> None:
    """It runs in the folder of a reader who has exported a scenario."""
    (folder / "late-but-allowed.yaml").write_text(LATE, encoding="utf-8")
    with contextlib.chdir(folder):
        exec(compile(block.text, block.place, "exec"), {})


class _Balanced(HTMLParser):
    """Collects the scripts, and fails at a tag that closes another one."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            self.scripts += data


def of_html(block: Block, folder: Path) -> None:
    """Its tags are closed and its scripts can be read. tests/browser/test_embedding.py opens the pages."""
    page = _Balanced()
    page.feed(block.text)
    assert page.open == []
    if page.scripts and NODE.exists():
        (folder / "script.mjs").write_text(page.scripts, encoding="utf-8")
        node("--check", folder / "script.mjs")


def of_markdown(block: Block, _folder: Path) -> None:
    """Its own blocks are looked at one by one. A header is YAML."""
    header = re.match(r"---\n(.*?)^---$", block.text, re.MULTILINE | re.DOTALL)
    assert header or re.search(r"^ *```", block.text, re.MULTILINE)
    if header:
        read_yaml(Source(block.place, header[1]))


def of_text(block: Block, _folder: Path) -> None:
    """A diagram, whose files exist; or the message that the example at the top of the document gets."""
    if "─" in block.text:
        for name in re.findall(r"[\w*]+(?:/[\w*.]+)+", block.text):
            assert list(ROOT.glob(name)), name
        return
    example = next(each.text for each in BLOCKS if each.document == block.document and each.language == "yaml")
    with pytest.raises(ScenarioError) as refusal:
        parse(example.replace(" size:", " sise:"), "late-example.yaml")
    assert block.text.strip() == str(refusal.value)


READERS: Final[Mapping[str, Callable[[Block, Path], None]]] = {
    "sh": of_shell,
    "yaml": of_yaml,
    "toml": of_toml,
    "sql": of_sql,
    "python": of_python,
    "{python}": of_python,
    "html": of_html,
    "markdown": of_markdown,
    "text": of_text,
}
"""What is done with a block, by its language. A block of another language fails: say here how it is tried."""


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.place)
def test_the_block_is_what_it_says(block: Block, tmp_path: Path) -> None:
    assert block.language in READERS, "a block of a kind that nobody tries"
    READERS[block.language](block, tmp_path)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ruby", "puts 1\n"),
        ("yaml", "stream:\n  - {ts: 1s, value: 4}\n  - {tz: 2s}\n"),
        ("toml", "[[lessons]]\nid = 1\n"),
        ("sql", "SELECT 1\n"),
        ("python", "from tidemark.ui.share.notebook import display\n"),
        ("html", "<p><b></p></b>\n"),
        ("text", "simulator/nowhere.py ──► rows\n"),
    ],
)
def test_a_wrong_block_is_found(language: str, text: str, tmp_path: Path) -> None:
    with pytest.raises((AssertionError, ImportError, ScenarioError)):
        test_the_block_is_what_it_says(Block("", 1, language, text), tmp_path)


def test_no_block_hides_in_an_indentation() -> None:
    """Such a block has no language, so nothing would try it."""
    for document, text in TEXTS.items():
        plain = without_blocks(text)
        hidden = re.findall(r"^(?![-*\d ]).*\n\n((?: {4}\S.*\n)+)", plain, re.MULTILINE)
        assert hidden == [], document


def test_the_documents_are_short() -> None:
    assert sum(len(text.split()) for document, text in TEXTS.items() if document.startswith("docs/")) <= 35_000
    assert len(TEXTS["README.md"].split()) <= 900


# Names in the documents are names in the code: what stands in backticks has not been renamed or removed since.

FOLDERS: Final = ("simulator", "spark_bridge", "ui", "tests", "benchmarks", "scenarios")
CODE: Final = {".py", ".js", ".ts", ".toml", ".css", ".code", ".java", ".lark"}
OF_OTHERS: Final = {
    "docs/users/INSTALL.md": {"app_port", "EXTRA", "fish", "powershell"},
    "docs/users/OWN-STREAM.md": {"hdfs", "startingOffsets", "endingOffsets"},
    "docs/users/SCENARIOS.md": {"sise"},
    "docs/maintainers/BRIDGE.md": {"StreamingQueryProgress"},
}
"""Names of other programs, and a mistake that is shown, by document."""


def names_of_the_code() -> tuple[set[str], str]:
    """Every word of the code, and the paths of all files, which a document may name in part."""
    words: set[str] = set()
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix and path.is_file()]
    code = [path for path in paths if path.suffix in CODE and path.parent.name != "documents"]
    for path in (*code, ROOT / "Makefile", ROOT / "app.py", ROOT / "pyproject.toml", ROOT / "package.json"):
        words.update(re.findall(r"[A-Za-z_$][\w$]*", path.read_text(encoding="utf-8")))
    return words, "\n".join(path.relative_to(ROOT).as_posix() for path in paths)


def test_every_name_in_backticks_is_in_the_code() -> None:
    words, paths = names_of_the_code()
    assert len(words) > 10_000
    unknown = {}
    for document, text in TEXTS.items():
        quoted = " ".join(re.findall(r"`([^`\n]+)`", without_blocks(text)))
        named = set(re.findall(r"[A-Za-z_$][\w$]{2,}", quoted)) - words
        unknown[document] = {name for name in named if name not in paths}
    assert {document: names for document, names in unknown.items() if names} == OF_OTHERS
