"""The HTML of a site, the same for each of its pages: ``main.js`` reads the manifest in it and draws what is shown."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from tidemark.simulator.words import current_language, words
from tidemark.ui.tags import tag

POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self'; "
    "base-uri 'self'; form-action 'none'"
)
"""Nothing comes from elsewhere, and no script stands in a page; styles do: the player sets them on what it draws."""

_PAGE: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="{name}">
<base href="{root}">
<title>{name}</title>
<link rel="icon" href="{logo}">
<link rel="stylesheet" href="{style}">
<link rel="modulepreload" href="{main}">
{first}
<script type="application/json" id="tidemark-site">{manifest}</script>
<script type="module" src="{main}"></script>
</head>
<body>
<noscript>{noscript}</noscript>
</body>
</html>
"""


def _early(path: str) -> str:
    """Has the browser fetch a file before a script asks for it."""
    how = "modulepreload" if path.endswith(".js") else 'preload" as="style'
    return f'<link rel="{how}" href="{path}">'


def html(root: str, first: Sequence[str], files: Mapping[str, str], manifest: Mapping[str, Any]) -> str:
    """A page. ``root`` leads from it to the root of the site.

    ``first``: the script and styles that it needs at once, if it does; ``files``: the paths of ``logo``, ``style`` and
    ``main``.
    """
    return _PAGE.format(
        language=tag(current_language()),
        policy=POLICY,
        name=escape(words("app.name")),
        root=root,
        first="\n".join(map(_early, first)),
        noscript=escape(words("site.noscript")),
        manifest=json.dumps(manifest, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        **files,
    )
