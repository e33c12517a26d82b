"""``make audit``: compares the pinned packages with the known vulnerabilities.

Exit 0: none is known; 1: some are, and they are listed; 2: of some packages, or all, nothing could be learned.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


def audit(file: str) -> tuple[dict[str, list[str]], list[str]]:
    """The known vulnerabilities of each package of ``file`` that has any, and the packages that were not compared.

    Raises ``OSError`` if there is no answer. An index that has packages and no list of vulnerabilities answers, and
    says of each package that it was left out.
    """
    command = [sys.executable, "-m", "pip_audit", "--requirement", file, "--require-hashes", "--disable-pip",
               "--format", "json", "--progress-spinner", "off", "--timeout", "30"]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        raise OSError((done.stderr.strip().splitlines() or ["no answer"])[-1]) from None
    known = {
        f"{each['name']} {each['version']}": [found["id"] for found in each["vulns"]]
        for each in packages
        if each.get("vulns")
    }
    return known, [each["name"] for each in packages if "vulns" not in each]


def main() -> int:
    """Print what is known, and return the exit code."""
    try:
        known, left_out = audit("requirements-dev.lock")
    except OSError as error:
        print(f"The list of known vulnerabilities could not be read ({error}): nothing was compared.", file=sys.stderr)
        return 2
    for package, found in sorted(known.items()):
        print(f"{package}: {', '.join(found)}")
    if left_out:
        print(f"The list of known vulnerabilities could not be reached for {len(left_out)} packages.", file=sys.stderr)
    if known or not left_out:
        print(f"Packages with known vulnerabilities: {len(known)}")
    return 1 if known else 2 if left_out else 0


if __name__ == "__main__":
    sys.exit(main())
