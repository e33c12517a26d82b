"""``python -m spark_bridge COMMAND …``: the parser of all subcommands, what each does, and how it ends.

``check FILE``: exit 0 equal, 1 not equal, 2 refused, 3 not covered, 4 a planted fault changed nothing.

``profile PATH…``: what a stream of one's own is like; exit 0 told, 2 refused.

``run SCENARIO --data PATH… --write DIR``: exit 0 written, 2 refused or failed, 3 not covered or unreadable.

``cut PATH… --around WHAT``: prints a scenario of the few records that show it; exit 0 printed, 2 there is none.
"""

import argparse
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO

from tidemark.simulator import interrupts
from tidemark.simulator.console import CANNOT_PRINT, CannotPrint, complain, finish, forget, positive, put
from tidemark.simulator.engine.values.duration import parse_duration
from tidemark.simulator.engine.values.errors import ScenarioError, shown_in_message
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.engine.values.versions import NEWEST, VERSIONS
from tidemark.simulator.forms import progress
from tidemark.simulator.limits import GENERATED_RECORDS, SAMPLED_KEYS
from tidemark.simulator.proof import spark_checks
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.data.columns import UNREADABLE, UnreadableRecords, rows_left_out
from tidemark.simulator.scenario.lengthened import with_events
from tidemark.simulator.scenario.model import Data
from tidemark.simulator.teaching.lint import require_accepted
from tidemark.simulator.words import listed, words
from tidemark.spark_bridge.check import Cancelled, NotCovered, check
from tidemark.spark_bridge.cut.case import Around, CutFails, around_of
from tidemark.spark_bridge.cut.cut import MOST, CutRequest
from tidemark.spark_bridge.cut.rules import Rules
from tidemark.spark_bridge.files.request import Columns, Files, add_files, files_of
from tidemark.spark_bridge.files.sample import described
from tidemark.spark_bridge.plan.coverage import ENGINES, engine_of
from tidemark.spark_bridge.plan.faults import Fault
from tidemark.spark_bridge.profile.profile import ProfileRequest, as_text
from tidemark.spark_bridge.spark.java import NoJava, require_spark
from tidemark.spark_bridge.spark.stages import STAGES, CheckFails, EngineFails, Stages

MOST_MS: Final = 10**15
"""The longest duration, more than 30,000 years: sums of it with any time stay within 64 bits or are far outside."""

if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[Any]
    """What ``add`` of a subcommand adds itself to."""


def add_place(command: argparse.ArgumentParser) -> None:
    """Add ``--master`` and ``--remote``: where Spark runs. ``place_of`` says which of them was given."""
    place = command.add_mutually_exclusive_group()
    place.add_argument("--master", metavar="URL", help=words("spark.help.master"))
    place.add_argument("--remote", metavar="URL", help=words("spark.help.remote"))


def place_of(options: argparse.Namespace) -> str | None:
    """The place that was asked for, as ``session.open_session`` wants it."""
    place: str | None = options.remote or options.master
    return place


def add_skipping(command: argparse.ArgumentParser) -> None:
    """Add ``--skip-unreadable``: records without a readable time are left out, and not refused."""
    command.add_argument("--skip-unreadable", action="store_true", help=words("commands.skip_unreadable"))


def duration(text: str) -> int:
    """The ms of a duration on the command line: whole ms, or a text such as ``1m30s``; never below 0."""
    ms = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else parse_duration(text)
    if ms is None or not 0 <= ms <= MOST_MS:
        raise argparse.ArgumentTypeError(words("own_cut.fails.duration", asked=shown_in_message(text)))
    return ms


def files_for(options: argparse.Namespace) -> Files | None:
    """The files of ``--data``; None without it. Raises ``ValueError`` for columns alone."""
    files = files_of(options)
    if files.paths:
        return files
    if files.columns != Columns() or files.format is not None or files.options:
        raise ValueError(words("own_run.columns_without_data"))
    return None


DONE: Final = 0
"""Done; of a check: both sides are equal."""

DIFFERENT: Final = 1
"""Only of a check: the sides differ."""

REFUSED: Final = 2
"""The input is refused, or the work could not be carried out."""

NOT_COVERED: Final = 3
"""The bridge does not cover the scenario."""

NOT_FOUND: Final = 4
"""Only of a check with a planted fault: it changed no row, so the check has shown nothing."""


def ended(
    subject: str, command: Callable[[], int], err: TextIO | None, told: Callable[[int, str], None] | None = None
) -> int:
    """Carry out ``command`` and return its exit code, or that of what it raised, which is told on ``err``.

    ``subject``: what the command works on, for messages that do not name it: the path that was given. ``told`` is
    called with the exit code and the message as well.
    """

    def complained(text: str, code: int) -> int:
        complain(text, err)
        if told is not None:
            told(code, text)
        return code

    try:
        return command()
    except (KeyboardInterrupt, Cancelled):
        return complained(f"{subject}: {words('spark.failures.interrupted')}", interrupts.INTERRUPTED)
    except UnreadableRecords as error:
        return complained(str(error), UNREADABLE)
    except (ScenarioError, NoJava, CheckFails) as error:
        return complained(str(error), REFUSED)
    except ValueError as error:
        return complained(f"{subject}: {error}", REFUSED)
    except (NotCovered, EngineFails) as error:
        return complained(f"{subject}: {error}", NOT_COVERED)


def show(text: str, out: TextIO | None) -> None:
    """Print ``text`` and a line end. A reader that has gone away changes nothing: the exit code still tells."""
    with suppress(BrokenPipeError):
        put(text + "\n", out)


def _title(stage: str) -> str:
    return words(f"spark.stages.{stage}" if stage in STAGES else f"own_page.stages.{stage}")


def add_check(commands: "Subcommands", name: str = "check") -> None:
    """Add the subcommand and its arguments."""
    command = commands.add_parser(name, help=words("spark.help.check"), description=words("spark.help.check"))
    command.set_defaults(run=run_check)
    command.add_argument("file", metavar="FILE", help=words("spark.help.file"))
    command.add_argument("--events", type=_count, metavar="N", help=words("spark.help.events"))
    command.add_argument("--engine", choices=ENGINES, help=words("spark.help.engine"))
    command.add_argument("--json", action="store_true", help=words("spark.help.json"))
    add_place(command)
    add_files(command, flag="--data")
    add_skipping(command)
    command.add_argument("--keys", type=_sample, default=1, metavar="1/N", help=words("spark.help.keys"))
    command.add_argument("--plant", type=_fault, choices=list(Fault), help=words("spark.help.plant"))


def run_check(options: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    """Run both sides and print the report. Returns the exit code."""

    def told(code: int, text: str) -> None:
        show(json_text({"equal": None, "exit": code, "problem": text}, ensure_ascii=False), out)

    return ended(options.file, lambda: _checked(options, out, err), err, told if options.json else None)


def _checked(options: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    scenario = load(options.file)
    engine = options.engine or engine_of(scenario)
    files = files_for(options)
    if files is None and not isinstance(scenario.stream, Data):
        require_accepted(scenario)
    try:
        with progress(_title) as shown:
            report = check(
                scenario,
                options.events,
                engine=engine,
                master=place_of(options),
                progress=shown,
                fault=options.plant,
                files=files,
                sample=options.keys,
                skip_unreadable=options.skip_unreadable,
            )
    except NotCovered as error:
        text = words("spark.not_covered", scenario=scenario.name, engine=engine, reasons=error)
        complain(text, err)
        if options.json:
            show(json_text({"equal": None, "exit": NOT_COVERED, "problem": text}, ensure_ascii=False), out)
        return NOT_COVERED
    for note in report.notes:
        complain(note, err)
    if options.plant is None and files is None and options.keys == 1:
        spark_checks.remember(scenario if options.events is None else with_events(scenario, options.events), report)
    show(json_text(report.as_json(), ensure_ascii=False) if options.json else report.as_text(), out)
    return NOT_FOUND if report.proves_nothing else DONE if report.equal else DIFFERENT


def _sample(text: str) -> int:
    """The N of ``1/N``."""
    one, _, number = text.partition("/")
    is_number = number.strip().isascii() and number.strip().isdigit() and len(number) <= 9
    if one.strip() != "1" or not is_number or not 1 <= int(number) <= SAMPLED_KEYS:
        limit = f"{SAMPLED_KEYS:,}"
        raise argparse.ArgumentTypeError(words("spark.no_sample", asked=shown_in_message(text), limit=limit))
    return int(number)


def _fault(text: str) -> Fault:
    try:
        return Fault(text)
    except ValueError:
        shown = shown_in_message(text)
        raise argparse.ArgumentTypeError(words("spark.no_fault", asked=shown, faults=listed(Fault))) from None


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= GENERATED_RECORDS:
        shown = shown_in_message(text)
        raise argparse.ArgumentTypeError(words("spark.events_out_of_range", asked=shown, most=f"{GENERATED_RECORDS:,}"))
    return number


def add_profile(commands: "Subcommands") -> None:
    """Add the subcommand and its arguments."""
    about = words("own_profile.help.profile")
    command = commands.add_parser("profile", help=about, description=about)
    command.set_defaults(run=run_profile)
    add_files(command)
    bounds = words("own_profile.help.bound")
    command.add_argument("--bound", type=duration, action="append", default=[], metavar="DUR", help=bounds)
    command.add_argument("--lateness", type=duration, default=0, metavar="DUR", help=words("own_profile.help.lateness"))
    command.add_argument("--window", type=_size, metavar="DUR", help=words("own_profile.help.window"))
    command.add_argument("--channels", type=positive, metavar="N", help=words("own_profile.help.channels"))
    target = words("own_profile.help.target")
    command.add_argument("--target", type=_share, default=Fraction(1, 1000), metavar="SHARE", help=target)
    upgrade = words("own_profile.help.flink", newest=NEWEST)
    command.add_argument("--flink", choices=VERSIONS[:-1], metavar="VERSION", help=upgrade)
    command.add_argument("--report", type=Path, metavar="FILE.html", help=words("own_profile.help.report"))
    repaired = words("own_profile.help.repaired")
    command.add_argument("--repaired", type=Path, metavar="OUT", help=repaired)
    command.add_argument("--json", action="store_true", help=words("spark.help.json"))
    add_place(command)


def run_profile(options: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    """Go through the stream with Spark and print what it is like. Returns the exit code."""
    return ended(" ".join(options.paths), lambda: _profiled(options, out, err), err)


def _profiled(options: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    require_spark()
    # Imported here: without files to read, neither pyspark nor Java is needed.
    from tidemark.spark_bridge.profile.repairs import require_new
    from tidemark.spark_bridge.profile.report import require_place, write_report
    from tidemark.spark_bridge.profile.run import profile_files

    if options.report is not None:
        require_place(options.report)
    if options.repaired is not None:
        require_new(options.repaired)

    question = ProfileRequest(
        tuple(options.bound),
        options.lateness,
        options.window,
        options.channels,
        options.target,
        course=options.report is not None,
        flink=options.flink,
    )
    files = files_of(options)
    with progress(_title) as shown:
        stages = Stages(shown, Event())
        profile, stream, repaired = profile_files(files, question, stages, place_of(options), options.repaired)
    if stream.guessed:
        complain(described(stream.columns, files.columns), err)
    if stream.source is not None:
        complain(words("own_profile.source", name=shown_in_message(stream.source)), err)
    if stream.other_times is not None:
        complain(words("own_profile.other_times", name=shown_in_message(stream.other_times)), err)
    if options.report is not None:
        write_report(profile, " ".join(options.paths), options.report, stream.columns)
    if repaired is not None and options.json:
        complain("\n".join(repaired.lines()), err)
    show(json_text(profile.as_json(), ensure_ascii=False) if options.json else as_text(profile), out)
    if repaired is not None and not options.json:
        show("\n".join(["", *repaired.lines()]), out)
    return DONE


def _size(text: str) -> int:
    size = duration(text)
    if not size:
        raise argparse.ArgumentTypeError(words("own_profile.problems.window"))
    return size


def _share(text: str) -> Fraction:
    """A share as people write it: ``0.001``, ``0.1%``. Exact."""
    number, percent = (text[:-1], 100) if text.endswith("%") else (text, 1)
    try:
        share = Fraction(number.strip()) / percent if len(text) < 30 and "e" not in text.lower() else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(words("own_profile.problems.share", asked=shown_in_message(text)))
    return share


FORMATS: Final = ("parquet", "csv", "jsonl")


def add_run(commands: "Subcommands") -> None:
    """Add the subcommand and its arguments."""
    command = commands.add_parser("run", help=words("own_run.help.run"), description=words("own_run.help.run"))
    command.set_defaults(run=run_over_files)
    command.add_argument("file", metavar="SCENARIO", help=words("spark.help.file"))
    add_files(command, flag="--data")
    add_skipping(command)
    command.add_argument("--write", type=Path, metavar="DIR", required=True, help=words("own_run.help.write"))
    command.add_argument("--format", choices=FORMATS, default=FORMATS[0], help=words("own_run.help.format"))
    add_place(command)


def run_over_files(options: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    """Write the rows and print how many there are. Returns the exit code."""
    return ended(options.file, lambda: _written(options, out, err), err)


def _written(options: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    scenario, files = load(options.file), files_for(options)
    require_spark()
    # Imported here: help needs neither pyspark nor Java.
    from tidemark.spark_bridge.over_files.run import run_over

    with progress(_title) as shown:
        done = run_over(
            scenario,
            files,
            place_of(options),
            Stages(shown, Event()),
            options.write,
            options.format,
            skip_unreadable=options.skip_unreadable,
        )
    for note in done.notes:
        complain(note, err)
    lines = [words("own_run.written", records=f"{done.records:,}", folder=options.write)]
    lines += [
        words("own_run.outcome", number=f"{number:,}", outcome=name) for name, number in sorted(done.rows.items())
    ]
    show("\n".join(lines), out)
    return DONE


def add_cut(commands: "Subcommands") -> None:
    """Add the subcommand and its arguments."""
    about = words("own_cut.help.cut")
    command = commands.add_parser("cut", help=about, description=about)
    command.set_defaults(run=run_cut)
    add_files(command)
    command.add_argument("--around", type=_around, required=True, metavar="WHAT", help=words("own_cut.help.around"))
    command.add_argument(
        "--records", type=positive, default=MOST, metavar="N", help=words("own_cut.help.records", most=MOST)
    )
    command.add_argument("--anonymous", action="store_true", help=words("own_cut.help.anonymous"))
    defaults = Rules()
    for name, default, kind in (
        ("bound", None, duration),
        ("lateness", defaults.lateness, duration),
        ("window", defaults.size, _window),
    ):
        command.add_argument(f"--{name}", type=kind, default=default, metavar="DUR", help=words(f"own_cut.help.{name}"))
    command.add_argument("--channels", type=positive, metavar="N", help=words("own_cut.help.channels"))
    add_place(command)


def run_cut(options: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    """Look for it with Spark and print the scenario. Returns the exit code."""
    return ended(" ".join(options.paths), lambda: _cut(options, out, err), err)


def _cut(options: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    require_spark()
    # Imported here: without files to read, neither pyspark nor Java is needed.
    from tidemark.spark_bridge.cut.run import cut_files
    from tidemark.spark_bridge.profile.findings.records import Expectations

    rules = Rules(options.channels or 1, options.window, options.bound or 0, options.lateness)
    asked_of = files_of(options)
    with progress(_title) as shown:
        made = cut_files(
            asked_of,
            CutRequest(options.around, rules, options.records, options.anonymous),
            Stages(shown, Event()),
            place_of(options),
            judged_by=Expectations(options.bound, options.channels),
        )
    if made.stream.guessed:
        complain(described(made.stream.columns, asked_of.columns), err)
    if left_out := rows_left_out(made.unreadable):
        complain(left_out, err)
    show(made.text.removesuffix("\n"), out)
    return DONE


def _window(text: str) -> int:
    size = duration(text)
    if not size:
        raise argparse.ArgumentTypeError(words("own_cut.fails.window"))
    return size


def _around(text: str) -> Around:
    try:
        return around_of(text)
    except CutFails as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def main(arguments: list[str] | None = None, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Run the command line and return its exit code. It prints to ``out`` and ``err``, by default the standard ones."""
    try:
        interrupts.raise_again()
        options = parser().parse_args(arguments)
        code: int = options.run(options, out, err)
    except SystemExit:  # help was asked for, or the arguments are wrong
        if finish(DONE):
            return CANNOT_PRINT
        raise
    except KeyboardInterrupt:
        return interrupts.INTERRUPTED
    except CannotPrint as error:
        complain(str(error), err)
        if out is None:
            forget()
        return CANNOT_PRINT
    return finish(code)


class _Parser(argparse.ArgumentParser):
    """A parser, also of the subcommands, that says what is wrong in one line and not after the whole usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    made = _Parser(prog="python -m spark_bridge", description=words("spark.help.program"))
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    for add in (add_check, add_profile, add_run, add_cut):  # in the order of the help
        add(commands)
    return made
