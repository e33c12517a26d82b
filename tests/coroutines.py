"""Coroutines, run to their end by a test."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Run ``coroutine`` in a thread of its own: after a browser test, the thread of the tests has a loop already."""
    with ThreadPoolExecutor(1) as aside:
        aside.submit(asyncio.run, coroutine).result()
