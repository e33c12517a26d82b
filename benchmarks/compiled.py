"""The engine compiled to C by mypyc: ``python -m benchmarks.compiled FOLDER``, which ``make compiled`` runs.

The sources are those that Python reads; nothing is written twice, and no row and no step changes. ``FOLDER`` gets the
package as links to the sources, the compiled modules beside them, and a command ``python`` that finds these first. The
checkout itself stays as it is. After a change of the sources the command is stale: compile again.

The families stay interpreted (triggers, assigners, generators, functions): they are dataclasses whose class variables
mypyc takes for fields, and what they derive from must be interpreted as well.

Compiled code trusts the types. Two things that Python and mypy accept fail there: ``super().__init__(*args)``, so name
the parameters; and an attribute that is read after a call which may have set it, while mypy still believes what was
assigned before that call. Read it by way of a property (``InternalTimerService._is_scheduled``).
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
OPERATORS: Final = ROOT / "simulator" / "engine" / "operators"
VALUES: Final = ("errors", "items", "rows", "time", "window")
BESIDE: Final = tuple(
    f"simulator/engine/{name}.py"
    for name in ("pipeline", "source", "state", "timers", *(f"values/{each}" for each in VALUES))
)
"""Of other parts, the modules that run for every record."""


class NotCompiled(Exception):
    """Why there is no compiled engine: what is missing, or what the compiler said."""


def sources() -> list[str]:
    """The files that are compiled, by their paths in the checkout."""
    names = (each.relative_to(ROOT).as_posix() for each in OPERATORS.glob("*.py") if each.name != "__init__.py")
    return [*sorted(names), *BESIDE]


def missing() -> str | None:
    """What compiling needs and this machine lacks; None if nothing."""
    compiler = shlex.split(str(sysconfig.get_config_var("CC") or "cc"))[0]
    if shutil.which(compiler) is None:
        return f"a C compiler ({compiler})"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "Python's header files (on Debian and Ubuntu: sudo apt install python3-dev)"
    for module, install in (("mypyc", "make setup-dev"), ("setuptools", "pip install setuptools")):
        if find_spec(module) is None:
            return f"{module} ({install})"
    return None


def compile_into(folder: Path, *, optimized: bool = True) -> Path:
    """Compile the engine into ``folder`` and return the command ``python`` there.

    Nothing is done if ``folder`` holds the same sources already. Raises ``NotCompiled``.
    """
    lacking = missing()
    if lacking is not None:
        raise NotCompiled(f"Compiling the engine needs {lacking}.")
    folder = folder.resolve()
    command, stamp = folder / "python", folder / "compiled-from"
    digest = _digest(optimized)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
        return command
    shutil.rmtree(folder, ignore_errors=True)
    _link_sources(folder)
    level = "3" if optimized else "0"
    done = subprocess.run(
        [sys.executable, "-m", "mypyc", "--follow-imports=silent", *(f"tidemark/{name}" for name in sources())],
        cwd=folder,
        env=os.environ | {"MYPYC_OPT_LEVEL": level, "MYPYC_DEBUG_LEVEL": "0"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise NotCompiled("\n".join(["The engine was not compiled:", *(done.stdout + done.stderr).splitlines()[-20:]]))
    path = shlex.quote(f"{folder}{os.pathsep}{ROOT}")
    lines = ("#!/bin/sh", f'PYTHONSAFEPATH=1 PYTHONPATH={path} exec {shlex.quote(sys.executable)} "$@"', "")
    command.write_text("\n".join(lines), encoding="utf-8")
    command.chmod(0o755)
    stamp.write_text(digest, encoding="utf-8")
    return command


def _link_sources(folder: Path) -> None:
    """The package as a wheel has it, of links to the files of ``simulator``; the compiled modules lie beside these."""
    for path in (ROOT / "tidemark" / "__init__.py", *sorted((ROOT / "simulator").rglob("*"))):
        if path.is_file() and "__pycache__" not in path.parts:
            link = folder / "tidemark" / path.relative_to(ROOT).as_posix().removeprefix("tidemark/")
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)


def _digest(optimized: bool) -> str:
    """What the compiled modules depend on, and the names of all files that are linked."""
    digest = sha256(f"{sys.version} {optimized} {ROOT}".encode())
    for name in sources():
        digest.update(name.encode() + (ROOT / name).read_bytes())
    for path in sorted((ROOT / "simulator").rglob("*.*")):
        if "__pycache__" not in path.parts:
            digest.update(path.as_posix().encode())
    return digest.hexdigest()


def main() -> None:
    """Compile into the folder that the command line names."""
    try:
        command = compile_into(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "compiled"))
    except NotCompiled as failure:
        sys.exit(str(failure))
    print(f"Compiled {len(sources())} modules. Use {os.path.relpath(command)} as Python:")
    print(f"  {os.path.relpath(command)} -m benchmarks engine")


if __name__ == "__main__":
    main()
