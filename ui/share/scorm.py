"""A lesson as a SCORM 1.2 package: a zip with the pages of its scenarios and one SCO that reports to the LMS.

The manifest follows the ADL SCORM 1.2 Content Aggregation Model; ``scorm.js`` is the page's side of the Run-Time
Environment. The package needs no network. Its zip has no dates of its own, so equal lessons give equal bytes.
"""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from simulator.words import section, words
from ui import theme

_MANIFEST: Final = """<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="{id}" version="1.0"
  xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
  xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.imsproject.org/xsd/imscp_rootv1p1p2 imscp_rootv1p1p2.xsd
    http://www.adlnet.org/xsd/adlcp_rootv1p2 adlcp_rootv1p2.xsd">
  <metadata>
    <schema>ADL SCORM</schema>
    <schemaversion>1.2</schemaversion>
  </metadata>
  <organizations default="{id}-course">
    <organization identifier="{id}-course">
      <title>{title}</title>
      <item identifier="{id}-lesson" identifierref="{id}-sco" isvisible="true">
        <title>{title}</title>
      </item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="{id}-sco" type="webcontent" adlcp:scormtype="sco" href="index.html">
{files}
    </resource>
  </resources>
</manifest>
"""

_INDEX: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{style}
</style>
</head>
<body>
<header>
<h1>{title}</h1>
<select id="places" aria-label="{choose}"></select>
<button id="next" type="button">{next}</button>
<p id="said" role="status"></p>
</header>
<iframe id="scenario" title="{title}" allow="fullscreen"></iframe>
<script type="application/json" id="lesson">{lesson}</script>
<script>
{script}
</script>
</body>
</html>
"""

_STYLE: Final = """
html, body { margin: 0; height: 100%; background: var(--tm-bg); color: var(--tm-ink); color-scheme: light dark; }
body { display: flex; flex-direction: column; font: 15px/20px system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; padding: 8px 12px; }
h1 { margin: 0; font-size: 17px; line-height: 22px; }
select, button { min-height: 34px; max-width: 100%; padding: 0 10px; border: 1px solid var(--tm-line2);
  border-radius: 7px; background: var(--tm-surface); color: inherit; font: inherit; }
p { margin: 0; color: var(--tm-ink2); }
iframe { flex: 1; width: 100%; min-height: 420px; border: 0; }
"""

_WHEN: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Page:
    """A scenario of the lesson: its whole ``html``, and the names of its graded questions as its player tells them."""

    title: str
    html: str
    questions: Sequence[str]


def package(name: str, title: str, pages: Sequence[Page], language: str) -> bytes:
    """The zip of a lesson. ``name`` identifies it; ``language`` is a tag as in HTML."""
    files = {f"scenario-{number:02}.html": page.html for number, page in enumerate(pages, 1)}
    index = _index(title, pages, list(files), language)
    whole = {"imsmanifest.xml": _manifest(name, title, ["index.html", *files]), "index.html": index, **files}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in whole.items():
            about = zipfile.ZipInfo(path, _WHEN)
            about.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(about, text.encode("utf-8", "replace"))
    return out.getvalue()


def _manifest(name: str, title: str, files: Sequence[str]) -> str:
    listed = "\n".join(f'      <file href="{each}"/>' for each in files)
    return _MANIFEST.format(id=_identifier(name), title=escape(_printable(title)), files=listed)


def _identifier(name: str) -> str:
    """An XML ID, which may not hold every character of a name."""
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"tidemark-{re.sub(r'[^A-Za-z0-9-]', '-', name)[:40]}-{digest}"


def _printable(text: str) -> str:
    """``text`` without the characters that XML cannot hold."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "", text)


def _index(title: str, pages: Sequence[Page], files: Sequence[str], language: str) -> str:
    lesson = {
        "scenarios": [
            {"title": page.title, "file": file, "questions": list(page.questions)}
            for page, file in zip(pages, files, strict=True)
        ],
        "words": section("share.scorm"),
    }
    return _INDEX.format(
        language=language,
        title=escape(title),
        style=f"{theme.tokens()}{_STYLE}",
        choose=escape(words("share.scorm.choose")),
        next=escape(words("share.scorm.next")),
        lesson=json.dumps(lesson, ensure_ascii=False).replace("<", "\\u003c"),
        script=(Path(__file__).parent / "scorm.js").read_text(encoding="utf-8"),
    )
