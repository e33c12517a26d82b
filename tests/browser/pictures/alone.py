"""The player, or a comparison, in a page of its own, without Streamlit: mounted from packed facts, moved, looked at.

The page is one that the browser gets from this file, so nothing is served and nothing is fetched.
"""

from pathlib import Path
from typing import Final

from tidemark.ui.pages import theme
from tidemark.ui.player.bundle import FOLDER, inline_script
from tidemark.ui.player.styles import style
from tidemark.ui.share.page import fonts

ADDRESS = "http://pictures.test/"

_HERE: Final = Path(__file__).parent
_COMPARE: Final = FOLDER.parent / "compare"

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>pictures</title><style>
{fonts}
html, body {{ margin: 0; background: var(--tm-bg); color-scheme: light dark; }}
{style}
:root {{ --tm-header: 44px; }}
</style></head><body><main id="player"></main>
<script type="module">
{script}
const bytesOf = (packed) => Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
const framesDrawn = async (count = 3) => {{
  for (let i = 0; i < count; i += 1) await new Promise(requestAnimationFrame);
}};
{driver}
globalThis.tidemarkLook = {look}
</script></body></html>"""


def player_page() -> str:
    """The page of the player as HTML. ``player.js`` has the functions that a check calls in it."""
    return _page(inline_script(), style(), "player.js")


def compare_page() -> str:
    """The page of a comparison as HTML. ``compare.js`` has the functions that a check calls in it."""
    return _page(inline_script(_COMPARE / "main.ts"), f"{style()}\n{style(_COMPARE)}", "compare.js")


def _page(modules: str, sheet: str, driver: str) -> str:
    return _PAGE.format(
        fonts=fonts().decode(),
        style=f"{theme.tokens()}\n{sheet}",
        script=modules,
        driver=(_HERE / driver).read_text(encoding="utf-8"),
        look=(_HERE / "look.js").read_text(encoding="utf-8"),
    )
