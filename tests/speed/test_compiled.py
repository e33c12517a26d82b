"""The engine compiled to C gives the rows and the steps of the interpreted one."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.engine.pipeline import Pipeline
from tidemark.simulator.scenario import builder
from tidemark.simulator.scenario.stream import items

from benchmarks.compiled import ROOT, compile_into, missing, sources
from benchmarks.engine import LEAST_LOOPS, OPERATORS, scenario_of

EVERYTHING = """
import sys
from hashlib import sha256
from pathlib import Path
from tidemark.simulator import run_rows, run_traced
from tidemark.simulator.engine.operators import window_operator
from tidemark.simulator.scenario import parse
from tidemark.simulator.engine.trace.trace import step_as_json
from tidemark.simulator.engine.values.rows import json_text

print(Path(window_operator.__file__).suffix)
for file in sorted(Path("tests/golden").glob("*.yaml")):
    scenario = parse(file.read_text(encoding="utf-8"), str(file))
    rows, trace = run_traced(scenario)
    steps = [json_text(step_as_json(step)) for step in trace]
    print(file.stem, sha256(repr([steps, rows, run_rows(scenario)]).encode()).hexdigest())
"""


@pytest.mark.time_limit(400)
@pytest.mark.skipif("COMPILED" not in os.environ, reason="`make compiled` runs it: compiling takes half a minute")
@pytest.mark.skipif(missing() is not None, reason=f"no {missing()}")
def test_rows_and_steps_of_the_compiled_engine_are_the_same() -> None:
    compiled = compile_into(ROOT / "build" / "compiled-quick", optimized=False)
    module, *digests = _output(compiled)
    interpreted, *expected = _output(Path(sys.executable))
    assert module == ".so"
    assert interpreted == ".py"
    assert len(expected) > 100
    assert digests == expected


@pytest.mark.parametrize("name", [name for name in sources() if not name.endswith("rows.py")])  # rows are typed dicts
def test_no_compiled_class_has_two_bases_of_ours(name: str) -> None:
    """Mypyc takes none; this notices without a compiler."""
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    bases = {each.name: [ast.unparse(base) for base in each.bases if ast.unparse(base) != "ABC"] for each in classes}
    assert {name: several for name, several in bases.items() if len(several) > 1} == {}


def _output(python: Path) -> list[str]:
    done = subprocess.run([python, "-c", EVERYTHING], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# The minimal loops against which the engine is measured produce the engine's own rows.


@pytest.mark.parametrize("case", OPERATORS)
def test_a_least_loop_produces_the_same_rows(case: str) -> None:
    scenario = scenario_of(case, 8_000)
    stream = list(items(scenario))
    engine: list[dict[str, Any]] = []
    least: list[dict[str, Any]] = []
    Pipeline(builder.plan(scenario), engine.append).run(stream)
    LEAST_LOOPS[case](stream, least.append)
    by_item = sorted(json.dumps(row, sort_keys=True) for row in engine)
    assert sorted(json.dumps(row, sort_keys=True) for row in least) == by_item
