"""Rules for every test: cheap ones first, a time limit for each, and no skipped browser or Spark test in CI."""

import faulthandler
import gc
import os
import signal
from collections.abc import Generator
from time import monotonic
from types import FrameType
from typing import Any

import pytest
from hypothesis import Phase, settings

from tests.examples import examples

IN_CI = bool(os.environ.get("CI"))

COST = ("app", "slow", "browser", "spark")
"""Markers from cheap to dear; a test runs after all cheaper ones, and one without any of them runs first."""

TIME_LIMITS = {"spark": 420, "browser": 420, "slow": 240, "app": 180}
"""Seconds that a test with the marker may take, its fixtures included; ``DEFAULT_TIME_LIMIT`` without one."""
DEFAULT_TIME_LIMIT = 120

HANGS_AFTER = 3600
"""Seconds after which a process is ended in which the limit of a test was not noticed. One that waits for the others
to finish their last tests does so for less."""
_armed = -float(HANGS_AFTER)

MUST_RUN = ("browser", "javascript", "spark")
"""Markers whose tests may be skipped on a machine that lacks Chromium, Node's tools or Java, but not in CI."""

GROUPS = ("alone", "browser", "spark")
"""Markers whose tests run one after another in one process; the first one that matches counts. The Spark tests of a
folder share a session. Browser tests share a server and a browser for each process, so a file stays together, and files
may run side by side; those that use ``SITE`` are one group, for which it is built once. Tests marked ``alone`` share
nothing, but they are long: a file of them is a group as well."""

SITE = "site"
"""The fixture that builds a site of static files, which takes a minute."""

LONGEST = ("test_ways_between_pages", "test_site", "test_phone", "test_stops", "test_engine_of_site")
"""Files that take minutes: of the groups of their kind they come first. A long one at the end leaves the other process
idle."""

JOURNEY = "journey"
LONG = "long"
"""``make test`` leaves out the tests marked ``long``; ``make test-all`` runs all tests. By one rule these are all of a
group (see above) that are not marked ``journey``, what compiles all of Python for a site, and what ``make check`` says
as well. Journeys show that each part works at all: one way through each page in a browser, and on Spark each kind of
plan, a stream, a failure and a planted fault. All else that needs neither browser nor Spark runs with ``make test``; a
test that does not, although it could, is in the wrong layer."""

LEFT_OUT = "servers"
"""The marker whose tests run only where the environment has ``SERVERS``: a minute each for what changes seldom."""

TRIED_AGAIN = "browser"
"""The marker whose tests get a second try in CI, where a machine may freeze for seconds between two looks at a page.
A test that needed it is named at the end of the run: it looks too early or too late, or the page has a fault."""

# A short-lived Java process gains nothing from the optimizing compiler, nor from collecting garbage on the side.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# Shared machines are slow at times: a test has the time limit above, and its examples have none. In CI the examples
# are the same every time, so that a failure can be reproduced.
settings.register_profile("tidemark", max_examples=examples(100), deadline=None, derandomize=IN_CI, print_blob=True)
settings.load_profile("tidemark")
# ``make mutants`` asks whether a test fails, not for the smallest example: to look for that takes longer than the rest.
settings.register_profile("mutants", settings.get_profile("tidemark"), phases=(Phase.explicit, Phase.generate))


@pytest.hookimpl(tryfirst=True)  # before xdist looks for the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Fast tests first, so that a simple mistake shows within seconds.

    With several processes the groups come first, and of the others the dear ones, so that none of them is left to one
    process at the end. (``--no-loadscope-reorder``: xdist itself would start with the groups of most tests.)
    """
    if not os.environ.get("SERVERS"):
        items[:] = [item for item in items if item.get_closest_marker(LEFT_OUT) is None]
    for item in items:
        if item.path.parent.name in ("app", "browser"):
            item.add_marker(item.path.parent.name)
    items.sort(key=lambda item: (_cost(item), _kills_java(item)))
    if hasattr(config, "workerinput"):  # a process of xdist
        order = ("spark", "alone", "browser", None)  # the longest group first
        items.sort(key=lambda item: (order.index(_group(item)), _late(item), 0 if _group(item) else -_cost(item)))
    for item in items:
        group = _group(item)
        if group is not None and not item.get_closest_marker(JOURNEY):
            item.add_marker(LONG)
        if group is not None:
            item.add_marker(pytest.mark.xdist_group(f"{group}: {_shared(group, item)}"))
        if IN_CI and item.get_closest_marker(TRIED_AGAIN):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(optionalhook=True)  # a hook of xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out the tests of no group by the file: one by one, xdist takes longer for thousands than they do."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class ByGroupOrFile(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            scope = super()._split_scope(nodeid)
            return nodeid.partition("::")[0] if scope == nodeid else scope

    return ByGroupOrFile(config, log)


def _group(item: pytest.Item) -> str | None:
    return next(filter(item.get_closest_marker, GROUPS), None)


def _shared(group: str, item: pytest.Item) -> str:
    """What the tests of a group have in common."""
    if group == "browser" and SITE in getattr(item, "fixturenames", ()):
        return SITE
    return item.path.parent.name if group == "spark" else item.path.stem


def _late(item: pytest.Item) -> bool:
    return item.path.stem not in LONGEST


def _cost(item: pytest.Item) -> int:
    return max((COST.index(mark.name) + 1 for mark in item.iter_markers() if mark.name in COST), default=0)


def _kills_java(item: pytest.Item) -> bool:
    """Such a test discards all that the shared Java has loaded and compiled, so it runs after those that share it."""
    return "works_again" in getattr(item, "fixturenames", ())


def time_limit(item: pytest.Item) -> int:
    """Seconds that ``item`` may take."""
    marker = item.get_closest_marker("time_limit")
    if marker is not None:
        return int(marker.args[0])
    marked = [seconds for marker, seconds in TIME_LIMITS.items() if item.get_closest_marker(marker)]
    return max(marked, default=DEFAULT_TIME_LIMIT)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Interrupt a test that takes longer than its limit; it fails and the next one runs."""
    _end_if_it_hangs(item.config)
    if not hasattr(signal, "SIGALRM"):  # as on Windows
        return (yield)
    seconds = time_limit(item)

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"took longer than its limit of {seconds} s", pytrace=True)

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _end_if_it_hangs(config: pytest.Config) -> None:
    """Arm the interpreter's own timer, which works where no signal is noticed. Once a minute: ``faulthandler_timeout``
    of pytest arms it for each test, and that takes longer than most of them do."""
    global _armed
    if monotonic() - _armed > 60:
        _armed = monotonic()
        stderr = config.stash[config.pluginmanager.getplugin("faulthandler").fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(HANGS_AFTER, exit=True, file=stderr)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """In CI a test that must run fails if it is skipped, so a green run means that it ran."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        marker = next((name for name in MUST_RUN if item.get_closest_marker(name)), None)
        if marker:
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid}: a {marker} test must not be skipped in CI: {_reason(report)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """In CI a file that skips itself entirely fails: the report would not show which tests it holds."""
    report = yield
    if IN_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid}: a whole file must not be skipped in CI: {_reason(report)}"
    return report


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    longrepr = report.longrepr
    return str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)


def pytest_collection() -> None:
    """Collect no garbage meanwhile: hardly anything is, and syntax trees would be traversed again and again."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Exclude everything that exists by now from garbage collection: thousands of items and their values would be
    traversed by each collection during each test."""
    gc.collect()
    gc.freeze()
    gc.enable()
