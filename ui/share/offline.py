"""The walkthrough as one HTML file that needs no network: a template that the browser fills with what it has.

The file runs the same player script with the same styles. The facts are in it as gzipped text; its
Content-Security-Policy lets it load nothing at all.
"""

import base64
import gzip
from functools import cache
from pathlib import Path
from typing import Final

import streamlit as st

from simulator.words import current_language, words
from ui import theme
from ui.language import tag
from ui.player.bundle import script, style

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
<body>
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


def shell() -> str:
    """The template; the browser fills in ``@@title@@``, ``@@facts@@``, ``@@fonts@@``, ``@@step@@``."""
    return _PAGE.format(
        policy=POLICY,
        language=tag(current_language()),
        generator=words("app.name"),
        noscript=words("share.offline.noscript"),
        style=f"{theme.tokens()}\n{style()}",
        script=script().replace("export default function mount", "function mount").replace("</script", "<\\/script"),
    )


_FONTS: Final = {"Source Sans": "SourceSansVF-Upright*.woff2", "Source Code Pro": "SourceCodeVF-Upright*.woff2"}
"""Font families and their files in Streamlit, which ships them for its own pages."""


@cache
def fonts() -> bytes:
    """Style rules that embed the fonts of the page; a missing family is left to the browser."""
    folder = Path(st.__file__).parent / "static" / "static" / "media"
    files = [(family, file) for family, pattern in _FONTS.items() for file in sorted(folder.glob(pattern))[:1]]
    return "\n".join(
        f'@font-face {{ font-family: "{family}"; font-weight: 200 900; '
        f"src: url(data:font/woff2;base64,{base64.b64encode(file.read_bytes()).decode()}); }}"
        for family, file in files
    ).encode()


_KIT = """
// The frame of the offline page, as it is sent once to each browser (ui/player/share/offline.js fills it).
export default function keep({ data }) {
  (globalThis.tidemarkDesk ??= { waiting: new Map(), number: Date.now() }).kit = data;
}
"""

_component = st.components.v2.component("tidemark_kit", js=_KIT, isolate_styles=False)


@st.cache_resource(show_spinner=False)
def _packed(language: str) -> bytes:
    return gzip.compress(shell().encode(), mtime=0)


def mount_kit() -> None:
    """Send the template to this browser, once."""
    _component(key="kit", data=_packed(current_language()), height=1)
