"""A profile as one HTML file: no script, nothing loaded from anywhere, so that it can be mailed and archived."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from errno import EISDIR
from html import escape
from pathlib import Path
from tempfile import mkstemp
from typing import Final

from tidemark.simulator.words import current_language, words
from tidemark.spark_bridge.files.errors import FilesError
from tidemark.spark_bridge.files.request import DEFAULT_ZONE, Columns
from tidemark.spark_bridge.profile.pictures import drawn, pictures
from tidemark.spark_bridge.profile.profile import Profile
from tidemark.spark_bridge.profile.text import heading_of, tables_of, windows_of, worth_of

_WIDTH: Final = 860

_STYLE: Final = """
body { font: 15px/1.5 system-ui, "Noto Sans CJK SC", sans-serif; color: #161b26; max-width: 900px; margin: 32px auto;
  padding: 0 20px }
h1 { font-size: 24px; margin: 0 0 4px } h2 { font-size: 17px; margin: 32px 0 8px } p { margin: 6px 0 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: 3px 12px 3px 0; text-align: right }
th { font-weight: 600; border-bottom: 1px solid #c3cad5 } th:first-child, td:first-child { text-align: left }
pre { background: #eef1f5; border-radius: 7px; padding: 10px 12px; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 13px/1.45 ui-monospace, monospace }
section { border-top: 1px solid #e1e5eb; overflow-x: auto }
.finding h2 { color: #8c1c13 } svg { max-width: 100%; height: auto }
.quiet { color: #5e687a }
"""

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def html_of(profile: Profile, subject: str, columns: Columns | None = None) -> str:
    """The report; ``subject`` names the stream, ``columns`` are those that it was read from. Every text is escaped."""
    parts = [f"<h1>{escape(words('own_page.report', subject=subject))}</h1>"]
    parts += [f"<p>{escape(line)}</p>" for line in heading_of(profile)]
    parts += [] if columns is None else [f"<p class='quiet'>{escape(_read_from(columns))}</p>"]
    parts += list(_findings(profile))
    parts.append("<section>" + "".join(f"<p>{escape(line)}</p>" for line in windows_of(profile)) + "</section>")
    charts = pictures(profile)
    named = [name for name in ("loss", "delay", "holders") if name in charts]
    texts = drawn([charts[name].properties(width=_WIDTH - 120).to_dict() for name in named])
    parts += [_section(words(f"own_page.pictures.{name}"), svg) for name, svg in zip(named, texts, strict=True)]
    parts += [_section(title, _table(rows)) for title, rows in tables_of(profile)]
    head = "<meta charset='utf-8'><meta name='viewport' content='width=device-width, initial-scale=1'>"
    head += f"<meta http-equiv='Content-Security-Policy' content=\"{_POLICY}\">"
    head += f"<title>{escape(words('own_page.report', subject=subject))}</title><style>{_STYLE}</style>"
    page = f"<head>{head}</head><body>{''.join(parts)}</body>"
    return f"<!doctype html><html lang='{current_language()}'>{page}</html>\n"


def require_place(path: Path) -> None:
    """Raise ``FilesError`` if no report can be written to ``path``: better before a stream is read than after it."""
    try:
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        number, temporary = mkstemp(dir=path.parent, prefix=f".{path.name}-")
        os.close(number)
        os.unlink(temporary)
    except OSError as error:
        raise FilesError("report", path=str(path), reason=error.strerror or str(error)) from error


def write_report(profile: Profile, subject: str, path: Path, columns: Columns | None = None) -> None:
    """Write the report to ``path``, whole or not at all. Raises ``FilesError``."""
    data = html_of(profile, subject, columns).encode()
    temporary = ""
    try:
        number, temporary = mkstemp(dir=path.parent, prefix=f".{path.name}-")
        with os.fdopen(number, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise FilesError("report", path=str(path), reason=error.strerror or str(error)) from error


def _read_from(columns: Columns) -> str:
    """Which columns the figures are from, the unit of the times and the zone."""
    parts = []
    for role, name in columns.named.items():
        unit = {"ts": columns.ts_unit, "at": columns.at_unit}.get(role)
        part = words(f"own_files.roles.{role}", name=name)
        parts.append(f"{part} ({words(f'own_files.units.{unit}')})" if unit else part)
    named = words("own_files.comma").join(parts)
    return words("own_page.read_from", columns=named, zone=columns.zone or DEFAULT_ZONE)


def _findings(profile: Profile) -> Iterable[str]:
    if not profile.findings and profile.humps is None:
        yield _section(words("own_page.findings"), f"<p>{escape(words('own_page.healthy'))}</p>")
    for each in profile.findings:
        cures = _code(each.cures) if each.cures else f"<p>{escape(each.cure)}</p>"
        cures += "".join(f"<p>{escape(line)}</p>" for line in worth_of(each, profile.asked.bound))
        yield f"<section class='finding'><h2>{escape(words(f'own_page.codes.{each.code}'))}</h2>"
        yield f"<p>{escape(each.text)}</p>{cures}</section>"
    if len(profile.findings) > 1 and profile.cure:
        yield _section(words("own_page.cure_of_all"), _code(profile.cure))


def _code(cures: Mapping[str, str]) -> str:
    return "".join(
        f"<p class='quiet'>{escape(words(f'own_page.engines.{engine}'))}</p><pre>{escape(code)}</pre>"
        for engine, code in cures.items()
    )


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *rest = rows
    first = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rest)
    return f"<table><thead><tr>{first}</tr></thead><tbody>{lines}</tbody></table>"
