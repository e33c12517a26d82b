"""The walkthrough as one HTML page that needs no network: a template, filled by the browser or by ``filled``.

The page runs the same player script with the same styles. The facts are in it as gzipped text; its
Content-Security-Policy lets it load nothing at all.
"""

import base64
import re
from collections.abc import Callable
from functools import cache
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from tidemark.simulator.words import current_language, words
from tidemark.ui.pages import theme
from tidemark.ui.player.bundle import inline_script
from tidemark.ui.player.styles import style
from tidemark.ui.server.tags import tag

POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)

_PAGE: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="{generator}">
<title>@@title@@</title>
<link rel="icon" href="data:,">
<style>
@@fonts@@
html, body {{ margin: 0; background: var(--tm-bg); color-scheme: light dark; }}
{style}
:root {{ --tm-header: 0px; }}
</style>
</head>
<body@@frame@@>
<noscript>{noscript}</noscript>
<main id="player"></main>
<script type="text/plain" id="facts">@@facts@@</script>
<script type="module">
const packed = (id) => Uint8Array.from(atob(document.getElementById(id).textContent), (sign) => sign.charCodeAt(0));
{script}
const parentElement = document.getElementById("player");
mount({{ data: packed("facts"), parentElement, setTriggerValue() {{}}, alone: @@step@@ }});
</script>
</body>
</html>
"""


class Template(NamedTuple):
    """What all exported pages have in common: ``shell()`` in one language, and ``fonts()`` as text."""

    shell: str
    fonts: str


def template() -> Template:
    """The template in the current language."""
    return Template(shell(), fonts().decode())


def shell() -> str:
    """The template with ``@@title@@``, ``@@facts@@``, ``@@fonts@@``, ``@@step@@`` and ``@@frame@@`` to be filled in."""
    return _PAGE.format(
        policy=POLICY,
        language=tag(current_language()),
        generator=words("app.name"),
        noscript=words("share.offline.noscript"),
        style=f"{theme.tokens()}\n{style()}",
        script=inline_script(),
    )


_FONTS: Final = {"Source Sans": "SourceSansVF-Upright*.woff2", "Source Code Pro": "SourceCodeVF-Upright*.woff2"}
"""Font families and their files in Streamlit, which ships them for its own pages."""


@cache
def fonts() -> bytes:
    """Style rules that embed the fonts of the page; a missing family is left to the browser."""
    return font_faces(lambda _, file: f"data:font/woff2;base64,{base64.b64encode(file.read_bytes()).decode()}").encode()


def font_faces(place: Callable[[str, Path], str]) -> str:
    """Style rules for the fonts of the page. ``place`` returns the address of a font, for its name and file."""
    streamlit = find_spec("streamlit")
    if streamlit is None or streamlit.origin is None:
        return ""
    folder = Path(streamlit.origin).parent / "static" / "static" / "media"
    files = [(family, file) for family, pattern in _FONTS.items() for file in sorted(folder.glob(pattern))[:1]]
    return "\n".join(
        f'@font-face {{ font-family: "{family}"; font-weight: 200 900; '
        f"src: url({place(family.lower().replace(' ', '-'), file)}); }}"
        for family, file in files
    )


FRAME: Final = ' data-frame="true"'
"""On the body of a page that is shown as in a frame, whatever its address says."""


def filled(facts: bytes, *, title: str, step: int = 0, frame: bool = False, into: Template | None = None) -> str:
    """The page of a packed payload, opening at ``step``; ``frame``: the small view for a page of a course.

    ``into``: the template, by default the one in the current language.
    """
    text, faces = into or template()
    parts = {
        "facts": base64.b64encode(facts).decode(),
        "fonts": faces,
        "frame": FRAME if frame else "",
        "step": str(step),
        "title": escape(title),
    }
    return re.sub(r"@@(\w+)@@", lambda found: parts[found[1]], text)
