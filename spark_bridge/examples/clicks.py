"""Clicks from the logs of four web servers.

The two causes: ``web-3`` writes the time of its own zone, an hour ahead, without saying so; and the agent that ships
the logs sends a block again when it gets no answer, so that one click in fifty is there twice.
"""

from random import Random
from typing import Any, Final

from tidemark.spark_bridge.examples.made import HOUR, SECOND, Example, epoch, written

SEED: Final = 3
CLICKS: Final = 20_000
SERVERS: Final = ("web-1", "web-2", "web-3", "web-4")
PAGES: Final = ("/", "/cart", "/search", "/product", "/help")
LASTS: Final = 6 * HOUR
BLOCK: Final = 20
"""Clicks of one server that are shipped together."""


def web_clicks() -> Example:
    """Six hours of clicks in JSON Lines, in the order in which they were received."""
    drawn = Random(SEED)
    began, shipped = epoch("2026-03-02T08:00"), []
    waiting: dict[str, list[tuple[int, str, str, int]]] = {server: [] for server in SERVERS}
    times = sorted(began + drawn.randrange(LASTS) for _ in range(CLICKS))
    for time in times:
        server, user = drawn.choice(SERVERS), f"u{drawn.randrange(500):03}"
        waiting[server].append((time, user, drawn.choice(PAGES), 20 + round(drawn.expovariate(1 / 80))))
        if len(waiting[server]) == BLOCK or time == times[-1]:
            received = time + 500 + drawn.randrange(SECOND)
            again = [received + 3 * SECOND] if drawn.random() < 1 / 50 else []
            shipped += [(arrival, server, waiting[server]) for arrival in (received, *again)]
            waiting[server] = []
    rows: list[tuple[Any, ...]] = [
        (written(time + HOUR * (server == "web-3")), written(received), {"id": user}, page, took, server)
        for received, server, block in sorted(shipped)
        for time, user, page, took in block
    ]
    return Example("web-clicks.jsonl", ("time", "received", "user", "page", "took_ms", "server"), rows)
