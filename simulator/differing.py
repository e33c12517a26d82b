"""The command `differ`: the smallest stream on which two scenarios differ.

The exit code is 1 if they differ; 0 if no stream was found on which they do, which does not prove that there is none;
2 if a file is refused, or if no stream fits both.
"""

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tidemark.simulator.console import positive, put
from tidemark.simulator.engine.values.errors import Problem, ScenarioError, shown_in_message
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.engine.values.versions import VERSIONS
from tidemark.simulator.places import ROOT
from tidemark.simulator.scenario import load, read_text
from tidemark.simulator.scenario.editing import EditError, ScenarioText, read_value
from tidemark.simulator.scenario.editing import put as put_value
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.words import words

if TYPE_CHECKING:
    from tidemark.simulator.explore.differ.search import Answer, Bounds

DIFFER: Final = 1
NOT_FOUND: Final = 0

SIDES: Final = ("a", "b")
"""The names of both scenarios over the stream that was found."""

_SPARK: Final = "engine=spark"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("files", nargs="+", metavar="A B", help=words("commands.differ_files"))
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help=words("commands.differ_set"))
    parser.add_argument(
        "--flink", action="append", default=[], choices=VERSIONS, metavar="VERSION", help=words("commands.differ_flink")
    )
    parser.add_argument("--belief", metavar="NAME", help=words("commands.differ_belief"))
    parser.add_argument("--operator", metavar="NAME", help=words("commands.operator"))
    parser.add_argument("--records", type=positive, default=3, metavar="N", help=words("commands.differ_records"))
    parser.add_argument("--seconds", type=_seconds, default=20.0, metavar="S", help=words("commands.differ_seconds"))
    parser.add_argument("--format", choices=("text", "json"), default="text", help=words("commands.differ_format"))
    parser.add_argument("--out", type=Path, metavar="DIR", help=words("commands.differ_out"))
    parser.set_defaults(parser=parser)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(words("differ.refused.seconds", text=shown_in_message(text)))
    return seconds


def sides(files: Sequence[str], changes: Sequence[str], versions: Sequence[str] = ()) -> tuple[Scenario, Scenario]:
    """The two scenarios. ``changes`` are made in the second one, or in a copy of the only one.

    ``versions`` of Flink: of both sides, or one for the second. Raises ``ScenarioError``.
    """
    left, right = _path(files[0]), _path(files[-1])
    first, second = (None, None, *versions)[-2:]
    rest = [each for each in changes if each != _SPARK]
    changed = _with(right, rest, second) if rest else _scenario(right, second)
    if len(rest) < len(changes):
        from tidemark.simulator.explore.differ.sides import by_spark

        changed = by_spark(changed)
    return _scenario(left, first), changed


def _path(name: str) -> str:
    """A file, or a scenario of the library by its name."""
    shipped = ROOT / "scenarios" / f"{name}.yaml"
    return str(shipped) if not Path(name).exists() and shipped.is_file() else name


def _is_query(path: str) -> bool:
    return path.endswith(".sql")


def _text(path: str) -> str:
    """The text of a scenario, of a query that of the scenario which from-sql makes of it."""
    if not _is_query(path):
        return Path(path).read_text(encoding="utf-8")
    from tidemark.simulator.sql import check_queries, scenario_of

    if check_queries(path) > 1:
        raise ScenarioError([Problem(path, None, None, words("differ.refused.several_queries"))])
    return scenario_of(path)


def _scenario(path: str, flink: str | None = None) -> Scenario:
    if _is_query(path):
        return read_text(_text(path), path, flink=flink)[0]
    return load(path, of_library=Path(path).parent == ROOT / "scenarios", flink=flink)


def _with(path: str, changes: Sequence[str], flink: str | None) -> Scenario:
    _scenario(path)  # for what is wrong with the file itself
    try:
        edited = ScenarioText(_text(path))
        for each in changes:
            name, equals, value = each.partition("=")
            names = tuple(part.strip() for part in name.split("."))
            if not equals:
                raise _refused(path, each, words("differ.refused.set_form"))
            if not all(names):
                raise _refused(path, each, words("differ.refused.set_name"))
            edited = put_value(edited, names, read_value(value.strip()))
    except EditError:
        raise _refused(path, each, words("differ.refused.set_place")) from None
    try:
        return read_text(edited.text, path, flink=flink)[0]
    except ScenarioError as refusal:  # its lines are those of the edited text
        raise _refused(path, " --set ".join(changes), *(each.text for each in refusal.problems)) from None


def _refused(path: str, change: str, *reasons: str) -> ScenarioError:
    texts = [words("differ.refused.set", text=shown_in_message(change), why=why) for why in dict.fromkeys(reasons)]
    return ScenarioError([Problem(path, None, None, text) for text in texts])


def are_queries(options: argparse.Namespace) -> bool:
    """Whether two queries are to be compared; one alone is read as a scenario. Raises ``ScenarioError`` for a query
    and anything else.
    """
    queries = [each for each in options.files if _is_query(each)]
    if len(options.files) == 1 or not queries:
        return False
    if len(queries) != 2 or options.set or options.operator or options.belief or options.flink:
        raise ScenarioError([Problem(queries[0], None, None, words("differ.refused.queries"))])
    return True


def run_queries(options: argparse.Namespace) -> int:
    """The same for two files with a query each. Raises ``ScenarioError`` for what is wrong with either."""
    from tidemark.simulator.explore.differ.queries import NoStreams, differ_in_sql, lines_of, members_of
    from tidemark.simulator.explore.differ.search import Bounds
    from tidemark.simulator.sql import check_queries, plan_of

    for path in options.files:
        if check_queries(path) > 1:
            raise ScenarioError([Problem(path, None, None, words("differ.refused.several_queries"))])
    left, right = map(plan_of, options.files)
    try:
        answer = differ_in_sql(left, right, Bounds(records=options.records, seconds=options.seconds))
    except NoStreams as reason:
        raise ScenarioError([Problem(options.files[1], None, None, str(reason))]) from None
    text = json_text(members_of(answer)) if options.format == "json" else "\n".join(lines_of(answer))
    if answer.rows is None:
        return _said(options, text)
    rows = "".join(f"{json_text(each)}\n" for each in answer.rows)
    return _said(options, text, {"a.sql": left.text, "b.sql": right.text, "rows.jsonl": rows})


def run(options: argparse.Namespace, left: Scenario, right: Scenario) -> int:
    """Search, print the answer, write both scenarios. Raises ``ScenarioError`` if no stream fits both."""
    from tidemark.simulator.explore.differ.report import lines_of, members_of
    from tidemark.simulator.explore.differ.search import Bounds, differ

    bounds = Bounds(records=options.records, seconds=options.seconds)
    answer = _mistaken(left, options.belief, bounds) if options.belief else differ(left, right, bounds)
    text = json_text(members_of(answer)) if options.format == "json" else "\n".join(lines_of(answer))
    if answer.stream is None:
        return _said(options, text)
    found = zip(SIDES, (answer.left, answer.right)[: 1 if answer.belief else 2], strict=False)
    return _said(options, text, {f"{name}.yaml": as_yaml(replace(each, name=name)) for name, each in found})


def _mistaken(scenario: Scenario, belief: str, bounds: "Bounds") -> "Answer":
    """The smallest stream on which a belief goes wrong. Raises ``ScenarioError`` for one that is not known, or that is
    not about this scenario."""
    from tidemark.simulator.explore.beliefs import BELIEFS
    from tidemark.simulator.explore.differ.beliefs import beliefs_about, goes_wrong

    known = {each.name: each for each in BELIEFS}
    if belief not in known:
        text = words("differ.refused.belief", text=shown_in_message(belief), known=", ".join(known))
        raise ScenarioError([Problem("--belief", None, None, text)])
    about = [each.name for each in beliefs_about(scenario)]
    if belief not in about:
        text = words(f"differ.refused.{'not_about' if about else 'no_belief'}", text=belief, known=", ".join(about))
        raise ScenarioError([Problem(scenario.file or scenario.name, None, None, text)])
    return goes_wrong(scenario, known[belief], bounds)


def _said(options: argparse.Namespace, text: str, files: Mapping[str, str] | None = None) -> int:
    """Print the answer, and write the ``files`` that show a difference: a folder of scenarios has them in Compare."""
    put(f"{text}\n")
    if files is None:
        return NOT_FOUND
    if options.out is not None:
        try:
            options.out.mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                (options.out / name).write_text(content, encoding="utf-8", newline="\n")
        except OSError as error:
            reason = words("problems.cannot_write", reason=error.strerror or str(error))
            raise ScenarioError([Problem(str(options.out), None, None, reason)]) from None
    return DIFFER
