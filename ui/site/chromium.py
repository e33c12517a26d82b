"""The browser that tests, measurements and screenshots drive, and a web server for the files that it shows."""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

NAMES: Final = ("chromium-headless-shell", "chromium", "google-chrome", "chromium-browser")
"""The first one that is there is taken: without a window's machinery a page costs a quarter to two fifths less."""

CHROMIUM: Final = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
"""Its path, or None where there is none."""

MISSING: Final = (
    "no Chromium here; on Debian and Ubuntu: sudo apt install chromium-headless-shell (or set CHROMIUM to its path)"
)


class _Quiet(SimpleHTTPRequestHandler):
    """``python -m http.server`` that prints nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which the files of ``folder`` are served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
