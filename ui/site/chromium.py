"""The browser that tests, measurements and screenshots drive."""

import os
import shutil
from typing import Final

NAMES: Final = ("chromium-headless-shell", "chromium", "google-chrome", "chromium-browser")
"""The first one that is there is taken: without a window's machinery a page costs a quarter to two fifths less."""

CHROMIUM: Final = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
"""Its path, or None where there is none."""

MISSING: Final = (
    "no Chromium here; on Debian and Ubuntu: sudo apt install chromium-headless-shell (or set CHROMIUM to its path)"
)
