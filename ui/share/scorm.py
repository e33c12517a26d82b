"""A lesson as a SCORM 1.2 package: a zip with the pages of its scenarios and one SCO that reports to the LMS.

The manifest follows the ADL SCORM 1.2 Content Aggregation Model; ``lms.js`` is the page's side of the Run-Time
Environment. The package needs no network. Its zip has no dates of its own, so equal lessons give equal bytes.
"""

import hashlib
import io
import re
import zipfile
from collections.abc import Sequence
from html import escape
from typing import Final

from tidemark.ui.share.lesson_page import Course, Kit, with_files
from tidemark.ui.share.page import filled

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

_WHEN: Final = (1980, 1, 1, 0, 0, 0)


def package(course: Course, made_of: Kit) -> bytes:
    """The zip of a course."""
    pages = {
        f"scenario-{number:02}.html": filled(page.facts, title=page.title, frame=True, into=made_of.template)
        for number, page in enumerate(course.pages, 1)
    }
    manifest = _manifest(course.id, course.title, ["index.html", *pages])
    whole = {"imsmanifest.xml": manifest, "index.html": with_files(course, list(pages), made_of), **pages}
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
