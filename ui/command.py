"""The command ``tidemark``: the commands of the simulator and of the Spark bridge, the app, the site, a new scenario.

Theory of operation. One ``argparse`` parser takes the commands of ``simulator.commands`` as they are, and those of
``spark_bridge.commands`` where Spark is installed (``tidemark/__main__.py``): the same code as ``python -m simulator``
and ``-m spark_bridge``. A command whose extra is missing stands in the help all the same, and says what to install.
``shtab`` writes the scripts that complete commands in a shell from the same parser.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import shtab
from tidemark.simulator.commands import REFUSED, SOUND, add_commands
from tidemark.simulator.console import complain, put
from tidemark.simulator.places import LIBRARY, ROOT
from tidemark.simulator.scenario.format.document import NAME
from tidemark.simulator.words import words
from tidemark.ui.extras import MissingExtra, require

import tidemark

if TYPE_CHECKING:
    from tidemark.simulator.commands import Subcommands

STARTER: Final = Path(__file__).with_name("starter.yaml")
"""The scenario that `new` writes, under the name of its file."""

_FILES: Final = {
    "bash": "_tidemark_files() {{ compgen -f -- $1; compgen -W '{names}' -- $1; }}",
    "zsh": "_tidemark_files() {{ _alternative 'files:file:_files' 'names:scenario:({names})'; }}",
}
"""What completes a scenario in a shell: files, and the names of the library."""

_OF_SPARK: Final = {"verify": "spark.help.check", "profile": "own_profile.help.profile", "cut": "own_cut.help.cut"}


def parser(spark_is_missing: MissingExtra | None = None) -> "tuple[argparse.ArgumentParser, Subcommands]":
    """The parser of the whole command line, and what more commands are added to.

    ``spark_is_missing``: why the commands of Spark cannot be added; they stand in the help all the same.
    """
    made = argparse.ArgumentParser(prog="tidemark", description=words("commands.program"))
    version = f"tidemark {tidemark.__version__}"
    made.add_argument("--version", action="version", version=version, help=words("commands.version"))
    names = " ".join(sorted(each.stem for each in LIBRARY.glob("*.yaml")))
    files = {shell: text.format(names=names) for shell, text in _FILES.items()}
    shtab.add_argument_to(made, "--print-completion", help=words("commands.completion"), preamble=files)
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    add_commands(commands, form=None)
    _add_app(commands)
    if spark_is_missing is not None:
        for name, about in _OF_SPARK.items():
            # It takes any arguments, also options that only Spark's own parser knows.
            command = commands.add_parser(name, help=words(about), description=words(about), add_help=False)
            command.add_argument("arguments", nargs=argparse.REMAINDER)
            command.set_defaults(command=_refusing(spark_is_missing))
    return made, commands


def add_completion(commands: "Subcommands") -> None:
    """Have a shell complete the arguments of ``commands`` that are files and folders."""
    scenario = dict.fromkeys(_FILES, "_tidemark_files")
    kinds = {"FILE": scenario, "DIR": shtab.DIRECTORY}
    for command in commands.choices.values():
        for action in command._actions:
            name = str(action.metavar or "")
            if kind := kinds.get(name) or (shtab.FILE if re.search("FILE|PATH|OUT", name) else None):
                action.complete = kind  # type: ignore[attr-defined]


def _refusing(missing: MissingExtra) -> Callable[[argparse.Namespace], int]:
    def command(options: argparse.Namespace) -> int:
        complain(str(missing))
        return REFUSED

    return command


def _add_app(commands: "Subcommands") -> None:
    def add(name: str, command: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        about = words(f"commands.{name}")
        added = commands.add_parser(name, help=about, description=about)
        added.set_defaults(command=command)
        return added

    site = add("site", _site)
    site.add_argument("out", metavar="OUT", type=Path, help=words("commands.site_out"))
    app = add("app", _app)
    app.add_argument("--port", type=int, default=8501, help=words("commands.port"))
    app.add_argument("--address", default="127.0.0.1", help=words("commands.address"))
    app.add_argument("--data", metavar="DIR", type=Path, help=words("commands.data"))
    for each in (site, app):
        each.add_argument("--scenarios", metavar="DIR", type=Path, help=words("commands.scenarios"))
    add("new", _new).add_argument("file", metavar="FILE.yaml", help=words("commands.new_file"))


def _needs_app(options: argparse.Namespace) -> bool:
    """Whether the packages of the app are there, and each folder; what is missing is reported."""
    try:
        require("app")
    except MissingExtra as missing:
        complain(str(missing))
        return False
    folders: list[Any] = [getattr(options, name, None) for name in ("scenarios", "data")]
    if wrong := next((each for each in folders if each is not None and not each.is_dir()), None):
        complain(words("saving.folder.missing", folder=wrong))
        return False
    return True


def _site(options: argparse.Namespace) -> int:
    if not _needs_app(options):
        return REFUSED
    command = [sys.executable, "-m", "tidemark.ui.site", str(options.out.absolute())]
    if options.scenarios is not None:
        command += ["--scenarios", str(options.scenarios.absolute())]
    return _in_place_of_this_process(command)


def _app(options: argparse.Namespace) -> int:
    if not _needs_app(options):
        return REFUSED
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    command += ["--server.address", options.address, "--server.port", str(options.port), "--"]
    for name in ("scenarios", "data"):
        folder: Path | None = getattr(options, name)
        command += [] if folder is None else [f"--{name}", str(folder.absolute())]
    return _in_place_of_this_process(command)


def _in_place_of_this_process(command: list[str]) -> int:
    """``command`` receives the signals and returns the exit code. Windows has no such call: there it is a child."""
    sys.stdout.flush()
    if os.name == "posix":
        os.execv(command[0], command)
    import subprocess

    return subprocess.call(command)


def _new(options: argparse.Namespace) -> int:
    file = Path(options.file)
    if not options.file.endswith(".yaml") or not NAME.fullmatch(file.stem):
        complain(words("commands.bad_name", file=options.file or "''"))
        return REFUSED
    text = STARTER.read_text(encoding="utf-8").replace("name: starter\n", f"name: {file.stem}\n")
    try:
        with file.open("x", encoding="utf-8", newline="\n") as out:
            out.write(text)
    except FileExistsError:
        complain(words("commands.exists", file=file))
        return REFUSED
    except OSError as error:
        complain(f"{file}: {words('problems.cannot_write', reason=error.strerror or error)}")
        return REFUSED
    put(f"{file}\n")
    return SOUND
