"""The TypeScript of the app: formatted, linted, and its pure parts tried by Node's own test runner."""

from pathlib import Path

import pytest

from tests.js.node import TOOLS, needs_node, needs_tools, node
from tests.reference.files import types, write

pytestmark = pytest.mark.javascript

of_make_check = pytest.mark.long
"""For what `make check` says as well, and takes half a minute for."""


@needs_node
def test_the_units() -> None:
    """In one process, whose start takes longer than a file: each sets up what it needs of a page in its own tests."""
    files = sorted(Path(__file__).parent.glob("*.test.js"))
    node("--test", "--test-isolation=none", "--test-reporter=spec", *files)


BOUNDED = {
    "ui/author/editor.ts": "lines of more than COLOURED characters are not looked at",
    "ui/player/base/format.ts": "of three digits",
    "ui/player/base/code_out.ts": "of programs that the app has written: each quote in them is closed",
}
"""Patterns that are not linear, and why no text can make use of it."""


@needs_tools
def test_each_pattern_is_linear_or_its_text_is_bounded() -> None:
    *slow, count = node(Path(__file__).with_name("patterns.js"), "ui").split("\n")[:-1]
    assert {each.partition(" ")[0] for each in slow} == set(BOUNDED), slow
    assert len(slow) == len(BOUNDED)
    assert int(count) > 100


@of_make_check
@needs_tools
def test_it_is_formatted() -> None:
    node(TOOLS / "prettier" / "bin" / "prettier.cjs", "--check", "--log-level=warn", ".")


@of_make_check
@needs_tools
def test_the_linter_has_no_objection() -> None:
    node(TOOLS / "eslint" / "bin" / "eslint.js", "--max-warnings=0", ".")


@of_make_check
@needs_tools
def test_the_linter_finds_planted_faults() -> None:
    faults = {
        "no-undef": "export const late = 1;\nexport const lost = later;\n",
        "eqeqeq": "export function f(a) {\n  if (a == 1) return 2;\n  return 3;\n}\n",
        "max-len": f"// {'too long ' * 14}\nexport const a = 1;\n",
    }
    planted, text = ("--stdin", "--stdin-filename", "ui/player/planted.ts"), "\n".join(faults.values())
    with pytest.raises(pytest.fail.Exception) as found:
        node(TOOLS / "eslint" / "bin" / "eslint.js", *planted, stdin=text)
    assert [rule for rule in faults if rule not in str(found.value)] == []


@of_make_check
@needs_tools
def test_the_types_hold() -> None:
    write(types())
    node(TOOLS / "typescript" / "bin" / "tsc", "--pretty", "false")
