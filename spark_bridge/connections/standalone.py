"""The masters of a standalone cluster (``spark://host:port,host:port``): whether one of them answers."""

import socket
from typing import Final
from urllib.parse import urlsplit

from tidemark.spark_bridge.failures import CheckFails

SCHEME: Final = "spark://"
_PORT: Final = 7077
_PATIENCE_SECONDS: Final = 5.0


def require_master(place: str) -> None:
    """Raise ``CheckFails`` if none answers; Spark itself would try for a minute, after Java has started."""
    error_text = ""
    for address in place.removeprefix(SCHEME).split(","):
        try:
            target = urlsplit(f"{SCHEME}{address}")
            socket.create_connection((target.hostname or "", target.port or _PORT), _PATIENCE_SECONDS).close()
        except (OSError, ValueError) as error:
            error_text = str(error)
        else:
            return
    raise CheckFails("no_master", master=place, text=error_text)
