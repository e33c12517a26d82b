"""Flink's own environment, and the Java that it runs on."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

VERSIONS = (11, 17, 21)
"""What Flink 2.3 runs on."""


class Missing(Exception):
    """Something is not installed; the message says what, and how to get it."""


@dataclass(frozen=True)
class Environment:
    """``python``: that of Flink. ``java``: the home of a JDK. ``classpath``: Flink's jars."""

    python: Path
    java: Path
    classpath: str

    def tool(self, name: str) -> str:
        """``java`` or ``javac``."""
        return str(self.java / "bin" / name)

    def variables(self) -> dict[str, str]:
        """What a process of Flink finds around it."""
        quick = "-XX:TieredStopAtLevel=1"  # the process is short: the optimizing compiler gains it nothing
        return {**os.environ, "JAVA_HOME": str(self.java), "JDK_JAVA_OPTIONS": quick, "PYTHONUTF8": "1"}


def environment(python: Path) -> Environment:
    """The environment whose Python is ``python``. Raises ``Missing``."""
    try:
        where = [str(python), "-c", "import pyflink, os; print(os.path.dirname(pyflink.__file__))"]
        found = subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise Missing(f"There is no Flink in {python}; `make flink` installs it.") from None
    jars = sorted((Path(found) / "lib").glob("*.jar"))
    return Environment(python, java_home(), os.pathsep.join(map(str, jars)))


def java_home() -> Path:
    """The home of the JDK that JAVA_HOME names, or else that of ``javac``."""
    given = os.environ.get("JAVA_HOME")
    compiler = shutil.which("javac")
    homes = [Path(given)] if given else [Path(compiler).resolve().parents[1]] if compiler else []
    for home in homes:
        if (home / "bin" / "javac").exists() and _version(home) in VERSIONS:
            return home
    found = f" (found: {homes[0]})" if homes else ""
    wanted = ", ".join(map(str, VERSIONS))
    raise Missing(
        f"`make flink` needs a JDK, version {wanted}, in JAVA_HOME or on the PATH{found}; "
        "on Debian and Ubuntu: sudo apt install openjdk-17-jdk-headless"
    )


def _version(home: Path) -> int:
    said = subprocess.run([str(home / "bin" / "javac"), "-version"], capture_output=True, text=True, check=False)
    match = re.search(r"javac (\d+)", said.stdout + said.stderr)
    return int(match.group(1)) if match else 0


def call(command: list[str], given: Environment, log: Path) -> bool:
    """Run ``command``, with its messages in ``log``; whether it went well."""
    with log.open("w") as messages:
        variables = {**given.variables(), "TMPDIR": str(log.parent)}  # programs leave their files there
        done = subprocess.run(command, env=variables, stdout=messages, stderr=messages, check=False)
    if done.returncode:
        print(f"{command[0]} stopped with {done.returncode}; its last words:", file=sys.stderr)
        print("\n".join(log.read_text(errors="replace").splitlines()[-20:]), file=sys.stderr)
    return not done.returncode
