"""``make monkey``: four browsers click at random for two hours (``HOURS=2``, or ``MINUTES=10``; ``SEED=1``).

Exit 0: no error on a page, in a console or in the server's log, and the server does not grow; 1: there was. What led to
each failure is kept in build/monkey, with a picture. The server serves a copy of the library.
All that was done is in actions.jsonl there, what the server's memory held in memory.jsonl (``inside``), and what it and
its processes took in processes.jsonl.
"""

import asyncio
import json
import os
import shutil
import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from random import Random
from typing import Any, Final

from playwright.async_api import async_playwright
from tidemark.ui.server.roles import VARIABLE
from tidemark.ui.site.chromium import CHROMIUM

from benchmarks.app import ROOT, serving_folder
from tests.monkey.choosing import Addresses
from tests.monkey.keeping import Failures
from tests.monkey.memory import USED_MB, each_mb, grows, taken_mb, used_mb
from tests.monkey.monkey import Monkey
from tests.monkey.watching import tracebacks

OUT: Final = Path("build/monkey")
BROWSERS: Final = 4
SECRET: Final = "the-secret-of-the-monkeys"
SAMPLE_S: Final = 15.0
REPORT_S: Final = 600.0
LEFT_S: Final = 90.0
"""How long after the browsers have left the memory is looked at."""

_READINGS: Final = "ts,key,value\n" + "".join(
    f"{number * 3 % 97},{'ab'[number % 2]},{number}\n" for number in range(300)
)


class Server:
    """What is watched of the server beside its pages: its memory, and what it says."""

    def __init__(self, process: int, log: Path, failures: Failures) -> None:
        self.process, self.log, self.failures = process, log, failures
        self.samples: list[float] = []
        self._read = 0

    def look(self) -> None:
        """Take a sample; whatever was raised since the last one is a failure."""
        self.samples.append(taken_mb(self.process)[0])
        with (self.failures.folder / "processes.jsonl").open("a", encoding="utf-8") as file:
            each = {"time": round(time.time(), 1), "server": self.samples[-1], **each_mb(self.process)}
            file.write(json.dumps(each) + "\n")
        text = self.log.read_text(encoding="utf-8", errors="replace")
        for sign, whole in tracebacks(text[self._read :]):
            stem = self.failures.add(f"server: {sign}", whole, deque())
            if stem is not None:
                print(f"FAILED: server: {sign} ({stem}.txt)", flush=True)
        self._read = len(text)

    def tell(self, when: str, actions: int) -> None:
        """A line about the memory."""
        own, others = taken_mb(self.process)
        failed = sum(self.failures.counts.values())
        print(
            f"{when:>16}: {actions:6,} actions, {failed} failures, server {own:5.0f} MB, others {others:5.0f} MB",
            flush=True,
        )


async def _play(
    address: str, server: Server, minutes: float, seed: int, texts: dict[str, str], files: list[Path]
) -> int:
    begin = time.monotonic()
    addresses = Addresses(texts)
    async with async_playwright() as driver:
        browsers = [
            await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) for _ in range(BROWSERS)
        ]
        monkeys = [
            Monkey(number, each, address, Random(f"{seed}-{number}"), addresses, server.failures, SECRET, files)
            for number, each in enumerate(browsers)
        ]
        server.tell("at the start", 0)
        playing: Any = asyncio.gather(*(each.play(begin + 60 * minutes) for each in monkeys))
        told = 1
        while not playing.done():
            await asyncio.wait([playing], timeout=SAMPLE_S)
            server.look()
            if time.monotonic() - begin > told * REPORT_S:
                server.tell(f"{told * REPORT_S / 60:.0f} minutes", sum(each.actions for each in monkeys))
                told += 1
        await playing
        actions = sum(each.actions for each in monkeys)
        server.tell("at the end", actions)
        for each in browsers:
            await each.close()
    await asyncio.sleep(LEFT_S)
    server.tell("when all had left", actions)
    print(f"{actions:,} actions, {sum(each.missed for each in monkeys):,} of them on a page that had gone on")
    return actions


def main() -> int:
    """Until the time is over."""
    minutes = float(os.environ.get("MINUTES") or 60 * float(os.environ.get("HOURS") or 2))
    seed = int(os.environ.get("SEED") or 1)
    failures = Failures(OUT)
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder, data, checks = (Path(scratch, name) for name in ("scenarios", "data", "checks"))
        shutil.copytree(ROOT / "scenarios", folder)
        for each in (data, checks):
            each.mkdir()
        (data / "readings.csv").write_text(_READINGS, encoding="utf-8")
        texts = {each.stem: each.read_text(encoding="utf-8") for each in sorted(folder.glob("*.yaml"))}
        files = [data / "readings.csv", *sorted(ROOT.glob("scenarios/*.yaml"))[:3], ROOT / "LICENSE"]
        more = {VARIABLE: SECRET, "TIDEMARK_DATA": str(data), "TIDEMARK_CHECKS": str(checks)}
        inside = ("tests.monkey.inside", str((OUT / "memory.jsonl").absolute()))
        with serving_folder(str(folder), OUT / "server.log", inside, **more) as (address, process):
            server = Server(process, OUT / "server.log", failures)
            asyncio.run(_play(address, server, minutes, seed, texts, files))
            server.look()
        used = used_mb(OUT / "memory.jsonl")
        grown = {
            "takes more and more memory": grows(server.samples) and minutes >= 30,
            "has more and more in use": grows(used, USED_MB) and minutes >= 30,
        }
    for name, count in failures.counts.most_common():
        print(f"FAILED {count} times: {name}")
    for what in (what for what, is_so in grown.items() if is_so):
        print(f"FAILED: the server {what}: see {OUT}/memory.jsonl, and actions.jsonl for what was done meanwhile")
    return 1 if failures.counts or any(grown.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
