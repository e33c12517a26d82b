"""A check while Spark works: watched by a thread, stopped on request, clean when it fails.

A check is cancelled when nothing works any more: the simulator's process is ended, Spark's jobs are cancelled, and if
their tasks do not stop soon, Java is ended as well. A refusal of ours and a file that Spark could not read say nothing
of the session. After any other failure it is not trusted any more: it is discarded, and the next check starts a new
one.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Event, Thread
from time import monotonic, sleep
from typing import Protocol

from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.spark.connection import Jobs
from tidemark.spark_bridge.spark.stages import Cancelled, CheckFails, EngineFails, Stages, unreadable_file

_POLL_SECONDS = 0.2
_PATIENCE_SECONDS = 1.5
"""The time that cancelled tasks have to stop (s)."""
WORKERS_SECONDS = 120.0
"""How long a cluster may have no worker for a check (s): it may be busy, but Spark itself would wait for ever."""


class Beside(Protocol):
    """What works beside Spark: a ``Simulation``, or nothing."""

    @property
    def failed(self) -> bool:
        """Whether it has ended with an error."""

    def stop(self) -> None:
        """End it."""

    def wait(self) -> object:
        """Wait for its end. Raises what it failed with."""


class _Nothing:
    failed = False

    def stop(self) -> None:
        pass

    def wait(self) -> None:
        pass


def alone(stages: Stages) -> AbstractContextManager[None]:
    """As ``watched``, where Spark alone has work to do."""
    return watched(_Nothing(), stages)


@contextmanager
def watched(simulating: Beside, stages: Stages) -> Iterator[None]:
    """The block in which the open session works for ``stages``.

    Raises ``Cancelled``, and ``CheckFails`` in place of what Spark throws; the failure of the simulator's process
    comes first, since Spark's jobs are ended because of it.
    """
    jobs, done = session.jobs(), Event()
    found: list[CheckFails] = []
    jobs.begin()
    watcher = Thread(target=_watch, args=(jobs, simulating, stages, done, found), daemon=True)
    watcher.start()
    try:
        yield
    except Exception as error:
        done.set()
        watcher.join()
        if stages.cancelled.is_set():
            _let_go(jobs)
            raise Cancelled from error
        if simulating.failed and session.is_alive():
            simulating.wait()
        if not found:
            if isinstance(error, EngineFails | CheckFails):
                raise
            if (file := unreadable_file(error)) is not None:
                _let_go(jobs)
                raise file from error
        described = found[0] if found else session.failure(error)
        session.discard_session()
        raise described from error
    except BaseException:
        done.set()
        session.discard_session()
        raise
    finally:
        done.set()
        watcher.join()
        if session.is_alive():
            with suppress(Exception):  # it may have died just now
                jobs.end()


def _watch(jobs: Jobs, simulating: Beside, stages: Stages, done: Event, found: list[CheckFails]) -> None:
    """Until ``done``: end both sides when they are no longer wanted, and report Spark's own figures.

    What nobody else would notice goes to ``found``; then the jobs are ended, so that whoever waits for them looks
    there.
    """
    give_up_at = None
    had_workers_at = monotonic()
    while not done.wait(_POLL_SECONDS):
        cancelled = stages.cancelled.is_set()
        if cancelled:
            simulating.stop()
            give_up_at = give_up_at or monotonic() + _PATIENCE_SECONDS
            if monotonic() > give_up_at:
                session.kill_java()
                return
        try:
            if jobs.have_workers():
                had_workers_at = monotonic()
            elif monotonic() - had_workers_at > WORKERS_SECONDS and not found:
                found.append(CheckFails("no_workers", master=session.current_place()))
            if cancelled or found or simulating.failed:
                jobs.cancel()
            elif stages.work is not None:
                stages.work(jobs.figures())
        except Exception:  # Spark is gone, which the thread that works with it reports better
            return


def _let_go(jobs: Jobs) -> None:
    """Wait until no task runs; discard the session if they keep running."""
    give_up_at = monotonic() + _PATIENCE_SECONDS
    with suppress(Exception):
        while monotonic() < give_up_at:
            if jobs.are_over():
                return
            sleep(_POLL_SECONDS / 2)
    session.discard_session()
