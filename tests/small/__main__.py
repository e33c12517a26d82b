"""``make small``: all small streams in all settings of the family, on all processors.

What is done stands in ``build/small.jsonl``, a line for each setting, so that it can be stopped and goes on there; a
change of either side's code begins anew. Exit 0: no differences; 1: some.
"""

import json
import sys
from dataclasses import asdict
from hashlib import sha256
from multiprocessing import Pool
from pathlib import Path
from typing import Any, Final

from tests.small.family import family
from tests.small.trying import tried

ROOT: Final = Path(__file__).parents[2]
DONE: Final = ROOT / "build" / "small.jsonl"


def code() -> str:
    """A digest of both sides."""
    folders = (ROOT / "simulator" / "engine", ROOT / "spark_bridge", ROOT / "tests" / "small", ROOT / "tests" / "spark")
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def main() -> int:
    """Try what is not done yet."""
    now = code()
    DONE.parent.mkdir(exist_ok=True)
    lines = DONE.read_text(encoding="utf-8").splitlines() if DONE.exists() else []
    done: list[dict[str, Any]] = [each for each in map(json.loads, lines) if each["code"] == now]
    known = {each["name"] for each in done}
    settings = [each for each in family() if each.name not in known]
    with DONE.open("a", encoding="utf-8") as out, Pool() as pool:
        for found in pool.imap_unordered(tried, settings):
            done.append({"code": now, **asdict(found)})
            print(json.dumps(done[-1]), file=out, flush=True)
            print(f"{len(done)} of {len(known) + len(settings)}  {found.streams:6,} streams  {found.name}", flush=True)
            for text in found.different:
                print(text, flush=True)
    different = sum(bool(each["different"]) for each in done)
    streams = sum(each["streams"] for each in done)
    print(f"{streams:,} streams in {len(done)} settings; the two sides differ in {different} of these")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
