"""The rules of the code's structure. Each is a function that takes sources and returns complaints.

``sources`` maps a path (``simulator/engine/values/time.py``) to the text of that file. A complaint has the form
``PATH:LINE: what is wrong``. The tests apply the rules to the project and to planted faults.
"""

import ast
import gc
import posixpath
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.rings import (
    BORROWED,
    BROWSER_LAYERS,
    ENGINE,
    FAMILIES,
    FAMILY_BASES,
    MACHINERY,
    OUTSIDE_THE_ENGINE,
    RINGS,
    SIBLINGS,
    STATELESS,
    THIRD_PARTY,
    WORLD,
)

Sources = Mapping[str, str]

LINES = 600
"""No source file is longer."""


def owner(table: Mapping[str, object], module: str) -> str:
    """The longest name in ``table`` that is ``module`` itself or a package that contains it."""
    names = [name for name in table if module == name or module.startswith(name + ".")]
    if not names:
        raise KeyError(module)
    return max(names, key=len)


def module_of(path: str) -> str:
    """``simulator/engine/values/time.py`` is ``simulator.engine.values.time``, ``ui/__init__.py`` is ``ui``."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class _Read(NamedTuple):
    imports: tuple[tuple[int, str], ...]
    has_code: bool
    has_docstring: bool


@cache
def tree_of(source: str) -> ast.Module:
    """The syntax tree of a module, which several rules look at; whoever is done with all of them clears the cache."""
    return parsed(source)


def parsed(source: str) -> ast.Module:
    """The tree of ``source``. A tree is no garbage: to look for some in it meanwhile takes longer than to parse."""
    gc.disable()
    try:
        return ast.parse(source)
    finally:
        gc.enable()


@cache
def _read(source: str) -> _Read:
    """What most rules ask of a file."""
    tree = tree_of(source)
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += ((node.lineno, each.name.removeprefix("tidemark.")) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative imports are banned by the linter"
            found += ((node.lineno, f"{node.module}.{each.name}".removeprefix("tidemark.")) for each in node.names)
    return _Read(tuple(found), bool(tree.body), bool(ast.get_docstring(tree)))


def imports(source: str) -> tuple[tuple[int, str], ...]:
    """Line and name of every import, including those inside functions; of the project without ``tidemark``."""
    return _read(source).imports


def _of_project(name: str) -> bool:
    return name.partition(".")[0] in {part.partition(".")[0] for part in RINGS}


_PAST_THE_ROOT = re.compile(r"^ *(?:from|import) +(?:simulator|spark_bridge|ui)\b", re.MULTILINE)


def imports_past_the_root(sources: Sources) -> list[str]:
    """A module of the project is imported by another name than ``tidemark.…``: it would be loaded a second time."""
    return [
        f"{path}:{source.count(chr(10), 0, found.start()) + 1}: import it from tidemark"
        for path, source in sources.items()
        for found in _PAST_THE_ROOT.finditer(source)
    ]


def hidden_functions(sources: Sources) -> list[str]:
    """A loop's name hides a function of the file that is called beside it: the call meets the loop's value."""
    wrong = []
    for path, source in sources.items():
        tree = tree_of(source)
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        for outer in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
            loops = [node.target for node in ast.walk(outer) if isinstance(node, ast.For)]
            names = {name.id for loop in loops for name in ast.walk(loop) if isinstance(name, ast.Name)} & functions
            calls = [node.func for node in ast.walk(outer) if isinstance(node, ast.Call)]
            wrong += [
                f"{path}:{call.lineno}: {call.id} is a loop's name here"
                for call in calls
                if isinstance(call, ast.Name) and call.id in names
            ]
    return wrong


def outward_imports(sources: Sources) -> list[str]:
    """A lower ring imports a higher one, or a part imports a sibling in its own ring."""
    wrong = []
    for path, source in sources.items():
        part = owner(RINGS, module_of(path))
        for line, name in imports(source):
            if not _of_project(name):
                continue
            target = owner(RINGS, name)
            siblings = SIBLINGS.get(part.partition(".")[0]) == target.partition(".")[0]
            if RINGS[target] > RINGS[part] or siblings:
                wrong.append(f"{path}:{line}: {part} must not import {name}")
    return wrong


_FROM = re.compile(r"""^(?:import|export)\b(?!\s+type\b)[^;]*?\bfrom\s+["'](\.[^"']+)["']""", re.MULTILINE | re.DOTALL)


def outward_modules(sources: Sources) -> list[str]:
    """A TypeScript module imports from a higher ring, or a page imports a part of the player that is not shared."""
    rings = {folder: ring for ring, folders in enumerate(BROWSER_LAYERS) for folder in folders}
    wrong = []
    for path, source in sources.items():
        if not path.endswith(".ts") or not path.startswith("ui/"):
            continue
        folder = path.rpartition("/")[0]
        for found in _FROM.finditer(source):
            target = posixpath.normpath(f"{folder}/{found[1]}").rpartition("/")[0]
            line = source.count("\n", 0, found.start(1)) + 1
            inside = folder.startswith("ui/player") or not target.startswith("ui/player") or target in BORROWED
            if folder not in rings or target not in rings or rings[target] > rings[folder] or not inside:
                wrong.append(f"{path}:{line}: {folder} must not import {target}")
    return wrong


def entangled_families(sources: Sources) -> list[str]:
    """A family imports another, a module of one more than its base, or an operator more than the interfaces."""
    wrong = []
    for path, source in sources.items():
        part = owner(RINGS, module_of(path))
        for line, name in imports(source):
            target = owner(RINGS, name) if _of_project(name) else ""
            if target in FAMILIES and part in FAMILIES and not (target == part and name.startswith(f"{part}.base.")):
                wrong.append(f"{path}:{line}: families are independent: {part} must not import {name}")
            if target in FAMILIES and part == "simulator.engine.operators" and not name.startswith(FAMILY_BASES):
                wrong.append(f"{path}:{line}: operators know families by their base alone, not {name}")
    return wrong


def shortcuts_into_the_engine(sources: Sources) -> list[str]:
    """The bridge or the app uses the engine's internals, so that a comparison would compare the engine with itself."""
    return [
        f"{path}:{line}: {name} is the engine's inside"
        for path, source in sources.items()
        if module_of(path).startswith(tuple(SIBLINGS))
        for line, name in imports(source)
        if _of_project(name) and owner(RINGS, name) in MACHINERY
    ]


READER = "simulator.scenario.reading"
READERS_HOME = "simulator.scenario"


def second_readers(sources: Sources) -> list[str]:
    """Nodes of the YAML reader are visible outside ``simulator/scenario``, the only part that knows YAML."""
    return [
        f"{path}:{line}: {READERS_HOME} alone knows the reader, not {module_of(path)}: {name}"
        for path, source in sources.items()
        if not f"{module_of(path)}.".startswith(f"{READERS_HOME}.")
        for line, name in imports(source)
        if f"{name}.".startswith(f"{READER}.")
    ]


def foreign_imports(sources: Sources) -> list[str]:
    """A part imports a third-party library that is reserved for another part."""
    wrong = []
    for path, source in sources.items():
        part = owner(THIRD_PARTY, module_of(path))
        for line, name in imports(source):
            top = name.partition(".")[0]
            if top not in sys.stdlib_module_names and not _of_project(name) and top not in THIRD_PARTY[part]:
                wrong.append(f"{path}:{line}: {part} must not import {top}")
    return wrong


def worldly_engine(sources: Sources) -> list[str]:
    """The engine uses a clock, randomness or a file, or depends on the order of Python's hashes."""
    wrong = []
    for path, source in sources.items():
        part = owner(RINGS, module_of(path))
        if RINGS[part] > ENGINE or part in OUTSIDE_THE_ENGINE:
            continue
        for line, name in imports(source):
            if name.partition(".")[0] in WORLD:
                wrong.append(f"{path}:{line}: the engine must not import {name}")
        for node in ast.walk(tree_of(source)):
            match node:
                case ast.Call(func=ast.Name(id="hash" | "open" | "print" | "input" as called)):
                    wrong.append(f"{path}:{node.lineno}: the engine must not call {called}()")
                case ast.For(iter=ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset"))):
                    wrong.append(f"{path}:{node.lineno}: the order of a set is not an order")
    return wrong


def import_cycles(sources: Sources) -> list[str]:
    """Modules that import each other, directly or through others."""
    modules = {module_of(path): source for path, source in sources.items()}
    needs: dict[str, set[str]] = {}
    for module, source in modules.items():
        names = {name if name in modules else name.rpartition(".")[0] for _, name in imports(source)}
        needs[module] = names & modules.keys()
    done: set[str] = set()
    wrong = []

    def visit(module: str, way: tuple[str, ...]) -> None:
        if module in way:
            wrong.append(" -> ".join((*way[way.index(module) :], module)))
        elif module not in done:
            for each in sorted(needs[module] - {module}):
                visit(each, (*way, module))
            done.add(module)

    for module in sorted(modules):
        visit(module, ())
    return wrong


def unguarded_events(sources: Sources) -> list[str]:
    """``trace.add(…)`` without a check that there is a trace: a run without one would fail, or build events in vain.

    Allowed: inside ``if trace is not None``; after ``if trace is None: return`` or ``assert trace is not None``; in
    a function whose parameter is a ``Trace``, not an optional one.
    """
    wrong = []
    for path, source in sources.items():
        if "trace" not in source:
            continue
        tree = tree_of(source)
        guarded = {id(each) for node in ast.walk(tree) for part in _guarded(node) for each in ast.walk(part)}
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(attr="add", value=receiver)):
                    if ast.unparse(receiver).endswith("trace") and id(node) not in guarded:
                        wrong.append(f"{path}:{node.lineno}: build the event only when there is a trace")
    return wrong


def _guarded(node: ast.AST) -> list[ast.stmt]:
    """The statements of ``node`` that run only when there is a trace."""
    if isinstance(node, ast.If) and "trace is not None" in ast.unparse(node.test):
        return node.body
    if isinstance(node, ast.FunctionDef):
        if any(each.annotation and ast.unparse(each.annotation) == "Trace" for each in node.args.args):
            return node.body
        for number, statement in enumerate(node.body):
            match statement:
                case ast.If(test=test, body=[ast.Return()]) if ast.unparse(test).endswith("trace is None"):
                    return node.body[number + 1 :]
                case ast.Assert(test=test) if ast.unparse(test).endswith("trace is not None"):
                    return node.body[number + 1 :]
    return []


def stateful_configuration(sources: Sources) -> list[str]:
    """An assigner, trigger or evictor that could hold state: it is not frozen, or one of its fields is assigned."""
    wrong = []
    for path, source in sources.items():
        if not path.startswith(STATELESS) or path.endswith("base.py"):
            continue
        for node in ast.walk(tree_of(source)):
            abstract = isinstance(node, ast.ClassDef) and "ABC" in map(ast.unparse, node.bases)
            if (
                isinstance(node, ast.ClassDef)
                and not abstract
                and "frozen=True" not in " ".join(map(ast.unparse, node.decorator_list))
            ):
                wrong.append(f"{path}:{node.lineno}: {node.name} must be a frozen dataclass")
            if isinstance(node, ast.Attribute) and node.attr == "__setattr__":
                wrong.append(f"{path}:{node.lineno}: what is remembered belongs into keyed state")
            if isinstance(node, ast.Global | ast.Nonlocal):
                wrong.append(f"{path}:{node.lineno}: what is remembered belongs into keyed state")
    return wrong


def long_files(sources: Sources) -> list[str]:
    """Files with more than ``LINES`` lines; those that ``make reference`` writes are not read from top to bottom."""
    counted = {path: len(source.splitlines()) for path, source in sources.items()}
    return [f"{path}:{lines}: more than {LINES} lines" for path, lines in counted.items() if lines > LINES]


def silent_modules(sources: Sources) -> list[str]:
    """Python files without a docstring; an ``__init__.py`` without code needs none."""
    return [
        f"{path}:1: begins with no word on what it is"
        for path, source in sources.items()
        if not _read(source).has_docstring and (_read(source).has_code or not path.endswith("__init__.py"))
    ]


AS_A_SCRIPT = "__name__ == '__main__'"
"""Streamlit runs ``app.py`` as a script for each visit, and imports it once as the server."""


def logic_in_page_list(sources: Sources) -> list[str]:
    """``app.py`` does more than name the pages."""
    kinds = (
        ast.FunctionDef
        | ast.ClassDef
        | ast.For
        | ast.While
        | ast.If
        | ast.Try
        | ast.Lambda
        | ast.With
        | ast.comprehension
    )
    return [
        f"app.py:{getattr(node, 'lineno', 0)}: app.py is a list of pages, a {type(node).__name__} belongs elsewhere"
        for node in ast.walk(tree_of(sources.get("app.py", "")))
        if isinstance(node, kinds) and not (isinstance(node, ast.If) and ast.unparse(node.test) == AS_A_SCRIPT)
    ]


REQUESTS = re.compile(
    r"""\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|EventSource|@import|\bimport\(|https?://(?!www\.w3\.org/)"""
)


TYPE_IMPORT = re.compile(r"^(?:export )?type \w+ = .*\bimport\(")
"""Names the module of a type. Nothing of it reaches the browser."""


FETCHING = frozenset(f"ui/site/{name}.ts" for name in ("api", "keep", "store", "worker"))
"""A site has no server that sends anything: these files fetch the others of its folder."""


def requests_of_the_browser(sources: Sources) -> list[str]:
    """The page sends a request to a server or the network. The namespaces of SVG and the like are only names."""
    return [
        f"{path}:{number}: the player sends no requests: {line.strip()}"
        for path, source in sources.items()
        if path.endswith((".ts", ".css", ".html")) and path not in FETCHING
        for number, line in enumerate(source.splitlines(), 1)
        if REQUESTS.search(line) and not TYPE_IMPORT.match(line)
    ]


STORAGE = re.compile(r"\b(local|session)Storage\b")
KEEPING = ("ui/player/base/kept.ts", "ui/pages/opening/storage.ts")


def other_keepers(sources: Sources) -> list[str]:
    """A script that uses the browser's storage past ``kept.ts``, whose readers survive whatever lies there."""
    return [
        f"{path}:{number}: read and write with kept.ts: {line.strip()[:80]}"
        for path, source in sources.items()
        if path.startswith("ui/") and path.endswith((".ts", ".js")) and path not in KEEPING
        for number, line in enumerate(source.splitlines(), 1)
        if STORAGE.search(line)
    ]


BELOW_HAS = re.compile(r":has\((?:[^()]|\([^()]*\))*\)[^\s,{>+~]*(?:\s*[>+~]\s*|\s+)[^\s,{>+~]")
VISITS = re.compile(r"\.(goto|reload)\((?!\"about:blank\")")


def costly_selectors(sources: Sources) -> list[str]:
    """A selector that chooses an element by its ancestor's contents.

    After each change of the page, the browser then recomputes the styles of everything below that ancestor, and a step
    takes ten times as long. A class that is set on the ancestor when its contents change does the same at no cost.
    """
    return [
        f"{path}:{number}: set a class instead: {line.strip()[:80]}"
        for path, source in sources.items()
        if path.endswith(".css")
        for number, line in enumerate(source.splitlines(), 1)
        if BELOW_HAS.search(line)
    ]


def hasty_visits(sources: Sources) -> list[str]:
    """A browser test that goes to an address directly: it may look at the page before the page is drawn."""
    return [
        f"{path}:{number}: use tests/browser/opening.py: {line.strip()[:80]}"
        for path, source in sources.items()
        if path.startswith("tests/browser/") and path != "tests/browser/opening.py"
        for number, line in enumerate(source.splitlines(), 1)
        if VISITS.search(line)
    ]


OPERATORS = {
    "Window",
    "WindowJoin",
    "WindowTopN",
    "IntervalJoin",
    "Process",
    "TemporalJoin",
    "Over",
    "Deduplicate",
    "SparkWindow",
    "SparkJoin",
}
TABLES_OF_OPERATORS = {
    "simulator/scenario/builder.py",
    "simulator/programs/flink_java.py",
    "simulator/programs/sql_queries.py",
}
"""Where an operator is told by its class: how it is built, and written as a program."""


def switches_over_operators(sources: Sources) -> list[str]:
    """An ``isinstance`` or ``case`` of an operator class: what others ask about it, the operator says itself."""
    found = []
    for path, source in sources.items():
        if not path.startswith(("simulator/", "ui/", "spark_bridge/")) or path in TABLES_OF_OPERATORS:
            continue
        tree = tree_of(source)
        own = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("simulator.scenario.model")
            for alias in node.names
        }
        for node in ast.walk(tree):
            asked: ast.expr | None = None
            if isinstance(node, ast.MatchClass):
                asked = node.cls
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                asked = node.args[1]
            for each in ast.walk(asked) if asked is not None else ():
                of_model = isinstance(each, ast.Attribute) and getattr(each.value, "id", "") == "model"
                name = getattr(each, "attr", getattr(each, "id", ""))
                if name in OPERATORS and (of_model or name in own):
                    found.append(f"{path}:{asked.lineno if asked else 0}: ask the operator: {name}")
    return found


FIXED_WAITS = {"wait_for_timeout", "sleep"}
MAY_WAIT = {"opening.py", "conftest.py", "slow_page.py"}
"""Files of tests/browser that may wait: they poll a condition, or slow a page down on purpose."""


def fixed_waits(sources: Sources) -> list[str]:
    """A browser test that waits for a fixed time, which is too short on a slow machine and wasted on a fast one.

    It should wait for a condition, or for a number of drawn frames.
    """
    wrong = []
    for path, source in sources.items():
        folder, _, name = path.rpartition("/")
        if folder != "tests/browser" or not name.endswith(".py") or name in MAY_WAIT:
            continue
        for node in ast.walk(tree_of(source)):
            match node:
                case ast.Attribute(attr=called) | ast.Name(id=called) if called in FIXED_WAITS:
                    wrong.append(f"{path}:{node.lineno}: {called}: wait for a condition")
                case ast.Constant(value=str(script)) if "setTimeout(" in script:
                    wrong.append(f"{path}:{node.lineno}: setTimeout: wait for a condition")
    return wrong


def bare_imports(sources: Sources) -> list[str]:
    """A test module imports another one without the prefix ``tests.``.

    That works only while pytest puts the folder on the path. It also loads a module twice if another test imports it
    by its full name.
    """
    tests = {path: source for path, source in sources.items() if path.startswith("tests/") and path.endswith(".py")}
    local = {part.removesuffix(".py") for path in tests for part in path.split("/")[1:]}
    local -= {part.partition(".")[0] for part in RINGS} | set(sys.stdlib_module_names) | {"__main__"}
    return [
        f"{path}:{line}: import it as tests.….{name}"
        for path, source in tests.items()
        for line, name in imports(source)
        if name.partition(".")[0] in local
    ]


def read(root: Path, *patterns: str) -> dict[str, str]:
    """The matching files under ``root``, by their path relative to it."""
    paths = sorted(path for pattern in patterns for path in root.glob(pattern) if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}
