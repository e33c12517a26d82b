"""The command line: ``python -m simulator run | trace | check | from-sql | code | differ FILE…``.

The exit code is 0; or 2 if a file is refused, with the message on stderr and nothing of that file on stdout; or 2 if
stdout cannot be written; or 3 if no program for that engine can do what the scenario does, or if rows of a data file
cannot be read and nobody has said that they may be left out; or 1 if ``differ`` found a stream that tells two scenarios
apart.
"""

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from tidemark.simulator import interrupts, run
from tidemark.simulator.console import CANNOT_PRINT, CannotPrint, complain, finish, forget, put
from tidemark.simulator.differing import add_options, are_queries, run_queries, sides
from tidemark.simulator.differing import run as differ
from tidemark.simulator.engine.trace.trace import Trace, step_as_json
from tidemark.simulator.engine.values.errors import Problem, ScenarioError, shown_in_message
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.engine.values.versions import VERSIONS
from tidemark.simulator.forms import PROBLEM_FORMS, ROW_FORMS, Sink, form_for_terminal, problems_as, write_rows
from tidemark.simulator.programs import TARGETS, NotExpressible, program
from tidemark.simulator.scenario import load, read, read_text
from tidemark.simulator.scenario.data.columns import UNREADABLE, UnreadableRecords
from tidemark.simulator.scenario.editing import ScenarioText
from tidemark.simulator.scenario.editing.edits import set_value
from tidemark.simulator.scenario.format.document import FLINK_ROWS, SPARK_ROWS
from tidemark.simulator.scenario.format.kinds import listed
from tidemark.simulator.scenario.model import Data, Scenario
from tidemark.simulator.teaching.lint import problems_of_run, require_accepted
from tidemark.simulator.words import words

SOUND: Final = 0
REFUSED: Final = 2
NOT_EXPRESSIBLE: Final = 3

if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]
    """What commands are added to."""

ROWS: Final = tuple(dict.fromkeys((*FLINK_ROWS, *SPARK_ROWS)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m simulator", description=words("commands.about"))
    add_commands(parser.add_subparsers(required=True, metavar="COMMAND"))
    return carried_out(parser, arguments)


def carried_out(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    """Carry out the command that the ``arguments`` name, or those of the process; returns its exit code."""
    try:
        interrupts.raise_again()
        options = parser.parse_args(_file_first(sys.argv[1:] if arguments is None else arguments))
        command: Callable[[argparse.Namespace], int] = options.command
        code = command(options)
    except SystemExit:  # help was asked for, or the arguments are wrong
        if finish(SOUND):
            return CANNOT_PRINT
        raise
    except BrokenPipeError:  # the reader of the rows or steps has gone: not an error
        forget()
        return SOUND
    except CannotPrint as error:
        complain(str(error))
        forget()
        return CANNOT_PRINT
    except KeyboardInterrupt:
        code = interrupts.INTERRUPTED
    return finish(code)


def _file_first(arguments: Sequence[str]) -> Sequence[str]:
    """A file with a query before the options: ``--records`` would take it for one of its files."""
    if arguments[:1] and arguments[0] in ("sql", "from-sql"):
        return [arguments[0], *sorted(arguments[1:], key=lambda each: not each.lower().endswith(".sql"))]
    return arguments


def add_commands(commands: "Subcommands", form: str | None = "jsonl") -> None:
    """Add the commands of the simulator. ``form``: how `run` prints rows; None: as suits who reads."""

    def add(
        name: str, command: Callable[[argparse.Namespace], int], *, several: bool, least: str = "+"
    ) -> argparse.ArgumentParser:
        about = words(f"commands.{name}")
        added = commands.add_parser(name, help=about, description=about)
        added.add_argument("files", nargs=least if several else 1, metavar="FILE", help=words("commands.file"))
        added.set_defaults(command=command, parser=added)
        return added

    def add_sql(name: str, command: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        about = words(f"commands.{name.replace('-', '_')}")
        parser = commands.add_parser(name, help=about, description=about)
        parser.add_argument("file", metavar="FILE.sql", help=words("commands.sql_file"))
        records = parser.add_argument("--records", action="extend", nargs="+", default=[], metavar="[TABLE=]FILE")
        records.help = words("commands.sql_records")
        parser.add_argument("--query", type=int, metavar="N", help=words("commands.sql_query"))
        parser.set_defaults(command=command, parser=parser)
        return parser

    def add_flink(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--flink", choices=VERSIONS, metavar="VERSION", help=words("commands.flink"))

    running = add("run", _run, several=True)
    running.add_argument("--rows", type=_row_kinds, metavar="KINDS", help=words("commands.rows"))
    running.add_argument("--out", type=Path, metavar="DIR", help=words("commands.out"))
    tracing = add("trace", _trace, several=False)
    running.add_argument("--format", choices=ROW_FORMS, default=form, help=words("commands.row_format"))
    checking = add("check", _check, several=True, least="*")
    checking.add_argument("--skip-others", action="store_true", help=words("commands.skip_others"))
    checking.add_argument("--format", choices=PROBLEM_FORMS, default="text", help=words("commands.problem_format"))
    coding = add("code", _code, several=False)
    for each in (running, tracing, checking, coding):
        each.add_argument("--skip-unreadable", action="store_true", help=words("commands.skip_unreadable"))
    for each in (running, tracing, coding):
        each.add_argument("--operator", metavar="NAME", help=words("commands.operator"))
        add_flink(each)
    coding.add_argument("--to", required=True, choices=sorted(TARGETS), help=words("commands.to"))
    about = words("commands.differ")
    differing = commands.add_parser("differ", help=about, description=about)
    differing.set_defaults(command=_differ)
    add_options(differing)
    reading, printing = add_sql("from-sql", _from_sql), add_sql("sql", _sql)
    add_flink(reading)
    reading.add_argument("--stage", type=int, metavar="N", help=words("commands.sql_stage"))
    printing.add_argument("--format", choices=("table", "jsonl", "rows"), help=words("commands.sql_format"))


def _row_kinds(text: str) -> frozenset[str]:
    kinds = frozenset(text.split(","))
    for kind in sorted(kinds - set(ROWS)):
        raise argparse.ArgumentTypeError(words("problems.unknown_row", called=kind, names=listed(ROWS)))
    return kinds


def _run(options: argparse.Namespace) -> int:
    if options.out is None and len(options.files) > 1:
        options.parser.error(words("problems.out_needed"))
    if options.out is not None:
        _require_names_of_their_own(options)

    def run_one(file: str) -> None:
        scenario = _loaded(file, options)
        if options.out is None:
            _write_rows(scenario, put, options)
        else:
            _write_whole(_file_of_rows(file, options), lambda out: _write_rows(scenario, out.write, options))

    return _for_each(options.files, run_one)


def _require_names_of_their_own(options: argparse.Namespace) -> None:
    """Refuse two files whose rows would go to the same file, which is called like theirs."""
    files: dict[str, str] = {}
    for file in filter(os.path.exists, options.files):
        first = files.setdefault(Path(file).stem, file)
        if os.path.realpath(first) != os.path.realpath(file):
            out = str(_file_of_rows(file, options))
            options.parser.error(words("problems.same_name", first=first, second=file, out=out))


def _loaded(file: str, options: argparse.Namespace) -> Scenario:
    """The scenario in ``file``, if ``check`` accepts it; of several operators the one that is asked for."""
    scenario = load(file, flink=options.flink)
    _require_readable(scenario, options)
    require_accepted(scenario)
    return scenario if options.operator is None else _operator(scenario, options.operator)


def _operator(scenario: Scenario, name: str) -> Scenario:
    """The operator ``name`` by itself."""
    names = () if scenario.chain is None else tuple(each.name for each in scenario.chain.parts)
    if scenario.chain is None or name not in names:
        word = "one_operator" if scenario.chain is None else "no_such_operator"
        text = words(f"problems.{word}", called=shown_in_message(name), names=listed(names))
        raise ScenarioError([Problem(scenario.file, None, None, text)])
    return replace(scenario.chain.part(name), chain=None)


def _require_readable(scenario: Scenario, options: argparse.Namespace) -> None:
    """Refuse a stream with rows that are no records, unless they may be left out: then say how many."""
    if not isinstance(scenario.stream, Data):
        return
    if options.skip_unreadable:
        if left_out := scenario.stream.left_out:
            complain(left_out)
    else:
        scenario.stream.require_readable()


def _trace(options: argparse.Namespace) -> int:
    def trace_one(file: str) -> None:
        scenario = _loaded(file, options)
        run(scenario, lambda row: None, Trace(on_step=lambda step: _write_line(put, step_as_json(step))))

    return _for_each(options.files, trace_one)


def _check(options: argparse.Namespace) -> int:
    found: list[Problem] = []
    for_people = options.format == "text"
    report = _report if for_people else found.extend

    def check_one(file: str) -> None:
        if file.endswith(".sql"):
            # Imported here: the parser's library is needed for nothing else.
            from tidemark.simulator.sql import check_queries

            check_queries(file)
        else:
            report(_hints(file, options))
        if for_people:
            try:
                put(words("problems.sound", file=file) + "\n")
            except BrokenPipeError:  # the exit code still says whether all files are sound
                forget()

    files = [each for each in options.files if not (options.skip_others and _is_other(each))]
    code = _for_each(files, check_one, report)
    if not for_people:
        put(problems_as(options.format, found))
    return code


_SCENARIO: Final = re.compile(r"""^(?:[ \t]*\{\s*)?["']?scenario["']?[ \t]*:[ \t]*1\b""", re.MULTILINE)
_QUERY_IN_TIME: Final = re.compile(r"\bWATERMARK\s+FOR\b.*\bSELECT\b", re.IGNORECASE | re.DOTALL)


def _is_other(file: str) -> bool:
    """Whether ``file`` can be read and is neither a scenario nor a query over a watermark; neither is binary."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except OSError:
        return False
    except ValueError:
        return True
    return not (_QUERY_IN_TIME if file.endswith(".sql") else _SCENARIO).search(text)


def _hints(file: str, options: argparse.Namespace) -> list[Problem]:
    """The warnings about the scenario in ``file``. Raises ``ScenarioError`` for one that is not sound."""
    scenario, warnings = read(file)
    _require_readable(scenario, options)
    problems = problems_of_run(scenario)
    if problems:
        raise ScenarioError([*warnings, *problems])
    if not scenario.walkthrough:
        return warnings
    # Imported here: hints need the timeline, and the other commands should not wait for its import.
    from tidemark.simulator.teaching.hints import warnings_of

    return [*warnings, *warnings_of(scenario)]


def _code(options: argparse.Namespace) -> int:
    (file,) = options.files
    try:
        put(program(_loaded(file, options), options.to))
    except ScenarioError as refusal:
        _report(refusal.problems)
        return UNREADABLE if isinstance(refusal, UnreadableRecords) else REFUSED
    except NotExpressible as reason:
        what = file
        if options.operator is not None:
            what = words("problems.of_operator", file=file, operator=options.operator)
        complain(words("problems.not_expressible", file=what, engine=options.to, reason=str(reason)))
        return NOT_EXPRESSIBLE
    return SOUND


def _differ(options: argparse.Namespace) -> int:
    other = options.files[1:] or options.set or options.flink
    if len(options.files) > 2 or len(options.flink) > 2 or not (other or options.belief):
        options.parser.error(words("differ.refused.nothing_to_compare"))
    if other and options.belief:
        options.parser.error(words("differ.refused.belief_alone"))
    if "-" in options.files:
        options.parser.error(words("differ.refused.standard_input"))
    try:
        if are_queries(options):
            return run_queries(options)
        both = sides(options.files, options.set, options.flink)  # of one file without a change: the same one twice
        left, right = both if options.operator is None else (_operator(each, options.operator) for each in both)
        return differ(options, left, right)
    except ScenarioError as refusal:
        _report(refusal.problems)
        return REFUSED


def _from_sql(options: argparse.Namespace) -> int:
    # Imported here: the parser's library is needed for nothing else.
    from tidemark.simulator.sql import scenario_of

    try:
        text = scenario_of(options.file, options.records, options.query, options.stage)
        if options.flink is not None:
            text = _by_version(text, options)
        put(text)
    except ScenarioError as refusal:
        _report(refusal.problems)
        return REFUSED
    return SOUND


def _by_version(text: str, options: argparse.Namespace) -> str:
    """The scenario ``text`` by the rules of the version. Raises ``ScenarioError`` for what that version lacks."""
    text = set_value(ScenarioText(text), ("flink",), options.flink).text
    try:
        read_text(text)
    except ScenarioError as refusal:  # its lines are those of the scenario
        raise ScenarioError([Problem(options.file, None, None, each.text) for each in refusal.problems]) from None
    return text


def _sql(options: argparse.Namespace) -> int:
    from tidemark.simulator.sql import rows_of
    from tidemark.simulator.sql.output import lines_of

    try:
        result = rows_of(options.file, options.records, options.query)
    except ScenarioError as refusal:
        _report(refusal.problems)
        return REFUSED
    form = options.format or ("table" if sys.stdout.isatty() else "jsonl")
    put("".join(line + "\n" for line in lines_of(result, form)))
    if result.made_up:
        complain(words("commands.sql_made_up"))
    if result.late:
        complain(words("commands.sql_late", count=result.late))
    return SOUND


def _for_each(
    files: Iterable[str], work: Callable[[str], None], report: Callable[[Iterable[Problem]], None] | None = None
) -> int:
    """Do ``work`` on every file, also after one that is refused, and ``report`` why; returns the exit code."""
    code = SOUND
    for file in files:
        try:
            work(file)
        except ScenarioError as refusal:
            (report or _report)(refusal.problems)
            code = UNREADABLE if code != REFUSED and isinstance(refusal, UnreadableRecords) else REFUSED
    return code


def _report(problems: Iterable[Problem]) -> None:
    for problem in problems:
        complain(str(problem))


def _form(options: argparse.Namespace) -> str:
    form: str | None = options.format
    return form or ("jsonl" if options.out is not None else form_for_terminal())


def _file_of_rows(file: str, options: argparse.Namespace) -> Path:
    """The file below ``--out`` for the rows of the scenario in ``file``."""
    out: Path = options.out
    return out / f"{Path(file).stem}.{'txt' if _form(options) == 'table' else _form(options)}"


def _write_rows(scenario: Scenario, write: Callable[[str], object], options: argparse.Namespace) -> None:
    """Run ``scenario`` and write its rows as they are emitted."""
    kinds: frozenset[str] | None = options.rows

    def produce(sink: Sink) -> None:
        def of_kinds(row: Mapping[str, Any]) -> None:
            if kinds is None or row["row"] in kinds:
                sink(row)

        run(scenario, of_kinds)

    write_rows(produce, write, _form(options))


def _write_line(write: Callable[[str], object], members: Mapping[str, Any]) -> None:
    write(json_text(members) + "\n")


def _write_whole(path: Path, write: Callable[[TextIO], None]) -> None:
    """Write the file at ``path`` whole or not at all: it gets its name only when it is complete."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _cannot_write(path, error) from None
    try:
        with os.fdopen(file, "w", encoding="utf-8", newline="\n") as out:
            write(out)
        os.chmod(unfinished, 0o666 & ~_umask())
        replaced = path.exists()
        os.replace(unfinished, path)
        if replaced:
            complain(words("commands.replaced", file=path))
    except BaseException as error:
        Path(unfinished).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _cannot_write(path, error) from None
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _cannot_write(path: Path, error: OSError) -> ScenarioError:
    reason = error.strerror or str(error)
    return ScenarioError([Problem(str(path), None, None, words("problems.cannot_write", reason=reason))])
