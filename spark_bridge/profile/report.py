"""A profile as one HTML file: no script, nothing loaded from anywhere, so that it can be mailed and archived.

Its pictures are Vega-Lite: delay over time, who held the watermark, loss against wait. They are made of the figures of
the profile alone: no record is in them. Colours and fonts are the viewer's.

A process of its own draws them: ``python -m spark_bridge.profile.report`` reads charts as JSON, a list of Vega-Lite
specifications, and writes a list of SVG texts. vl-convert runs a browser's JavaScript engine. That stays in the memory
of its process, 70 MB at first and more with each picture, and a server would never get it back.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from errno import EISDIR
from html import escape
from pathlib import Path
from tempfile import mkstemp
from typing import Any, Final

import altair as alt
from tidemark.simulator.engine.values.duration import format_duration, format_instant
from tidemark.simulator.places import ROOT
from tidemark.simulator.words import current_language, words
from tidemark.spark_bridge.files.request import DEFAULT_ZONE, Columns, FilesError
from tidemark.spark_bridge.profile.counts.figures import Slice
from tidemark.spark_bridge.profile.profile import Profile, heading_of, tables_of, upgrade_of, windows_of, worth_of

CHANNELS: Final = 12
"""The pictures show so many channels: those that hold the watermark most."""

EPOCH: Final = 10**10
"""From here on a time is shown as a date: smaller ones count from a beginning of the stream's own."""

_SECOND: Final = 1000
_HEIGHT: Final = 240
_TICKS: Final = (0, 0.1, 1, 10, 60, 600, 3600, 36_000, 86_400, 864_000, 31_536_000)
_TICK_TEXT: Final = (
    "datum.value < 1 ? datum.value * 1000 + ' ms' : datum.value < 60 ? datum.value + ' s' : "
    "datum.value < 3600 ? datum.value / 60 + ' min' : datum.value < 86400 ? datum.value / 3600 + ' h' : "
    "datum.value / 86400 + ' d'"
)
_LANE: Final = 20
_BELOW: Final = 84
"""What the axis below the lanes takes of the height."""

_MOST_LABEL: Final = 140


def pictures(profile: Profile) -> dict[str, Any]:
    """The pictures by name (``delay``, ``holders``, ``loss``) as Altair charts; none of an empty stream."""
    course = profile.course
    if course is None or not profile.records:
        return {}
    found: dict[str, Any] = {"loss": _loss(profile)}
    shown = _shown(profile)
    rows = [each for each in course.slices if each.channel in shown]
    found["delay"] = _delay(profile, rows)
    if len(profile.channels) > 1:
        found["holders"] = _holders(profile, rows)
    return found


def time_text(ms: int) -> str:
    """A time for people: a date, or how long after 0."""
    return format_instant(ms) if abs(ms) >= EPOCH else format_duration(ms)


def _data(rows: list[dict[str, Any]]) -> Any:
    return alt.InlineData(values=rows)


def _shown(profile: Profile) -> set[int]:
    """The places of the channels that are shown."""
    by_harm = sorted(range(len(profile.channels)), key=lambda place: -profile.channels[place].held)
    return set(by_harm[:CHANNELS])


def _name(profile: Profile, place: int) -> str:
    return str(profile.channels[place].channel)


def _sorted_names(profile: Profile) -> list[str]:
    return [_name(profile, place) for place in sorted(_shown(profile))]


def _rows(profile: Profile, slices: Sequence[Slice]) -> Iterator[dict[str, Any]]:
    width = -(-profile.records // max(1, max((each.number for each in slices), default=0) + 1))
    for each in slices:
        yield {
            "first": each.first,
            "end": min(each.first + width, profile.records),
            "channel": _name(profile, each.channel),
            "longest": each.longest / _SECOND,
            "mean": each.mean / _SECOND,
            "held": each.held_share,
            "time": time_text(each.began),
            "records": each.records,
        }


def _delay(profile: Profile, slices: Sequence[Slice]) -> Any:
    rows = [row for row in _rows(profile, slices) if row["records"]]
    many = len(profile.channels) > 1
    scale, axis = _times(max((each.longest for each in slices), default=0) / _SECOND, 1)
    encoding: dict[str, Any] = {
        "x": alt.X("first:Q", title=words("own_page.axes.record"), axis=_numbers()),
        "y": alt.Y("longest:Q", title=words("own_page.axes.delay"), scale=scale, axis=axis),
        "tooltip": [
            alt.Tooltip("channel:N", title=words("own_profile.columns.channel")),
            alt.Tooltip("time:N", title=words("own_page.axes.from")),
            alt.Tooltip("longest:Q", title=words("own_page.axes.longest"), format=",.3~f"),
            alt.Tooltip("mean:Q", title=words("own_page.axes.mean"), format=",.3~f"),
            alt.Tooltip("records:Q", title=words("own_profile.columns.records"), format=","),
        ],
    }
    if many:
        encoding["color"] = alt.Color(
            "channel:N",
            title=words("own_profile.columns.channel"),
            sort=_sorted_names(profile),
            legend=alt.Legend(orient="top", columns=6, titleLimit=0),
        )
    chart = alt.Chart(_data(rows)).mark_line(interpolate="step-after", strokeWidth=1.5).encode(**encoding)
    return chart.properties(width="container", height=_HEIGHT)


def _holders(profile: Profile, slices: Sequence[Slice]) -> Any:
    rows = [row for row in _rows(profile, slices) if row["held"]]
    names = _sorted_names(profile)
    chart = (
        alt.Chart(_data(rows))
        .mark_rect(height=_LANE - 6)
        .encode(
            x=alt.X("first:Q", title=words("own_page.axes.record"), axis=_numbers()),
            x2="end:Q",
            y=alt.Y("channel:N", title=None, sort=names, scale=alt.Scale(domain=names),
                    axis=alt.Axis(labelLimit=_MOST_LABEL, labelOverlap=False)),
            opacity=alt.Opacity("held:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.08, 1])),
            tooltip=[
                alt.Tooltip("channel:N", title=words("own_profile.columns.channel")),
                alt.Tooltip("time:N", title=words("own_page.axes.from")),
                alt.Tooltip("held:Q", title=words("own_profile.columns.held"), format=".1%"),
            ],
        )
    )  # fmt: skip
    return chart.properties(width="container", height=_LANE * len(names) + _BELOW)


def _numbers() -> alt.Axis:
    """An axis of record numbers."""
    return alt.Axis(format="~s", grid=False, labelOverlap=True)


def _times(most: float, constant: float, *, grid: bool = True) -> tuple[alt.Scale, alt.Axis]:
    """Scale and axis of seconds from 0 to ``most``, written as people write durations, and linear up to ``constant``.

    An axis on which everything is 0 ends at a second: without a length, all its ticks would lie on one another.
    """
    most = max(most, 1)
    scale = alt.Scale(type="symlog", constant=constant, domain=[0, most])
    ticks = [each for each in _TICKS if each <= most]
    return scale, alt.Axis(values=ticks, labelExpr=_TICK_TEXT, labelOverlap="greedy", grid=grid)


def _loss(profile: Profile) -> Any:
    """Late records, and what windows drop, against what is waited: both are shares of all records."""
    late = words("own_page.axes.late")
    rows = [{"wait": bound / _SECOND, "share": profile.share(records), "of": late, "text": format_duration(bound),
             "records": records} for bound, records in profile.late]  # fmt: skip
    course = profile.course
    assert course is not None
    size = format_duration(profile.request.window or 0)
    dropped = words("own_page.axes.dropped", size=size)
    rows += [{"wait": limit / _SECOND, "share": profile.share(records), "of": dropped, "text": format_duration(limit),
              "records": records} for limit, records in course.dropped]  # fmt: skip
    scale, axis = _times(max(limit for limit, _ in (*profile.late, *course.dropped)) / _SECOND, 0.1, grid=False)
    lines = (
        alt.Chart(_data(rows))
        .mark_line(point=alt.OverlayMarkDef(size=14), strokeWidth=1.5)
        .encode(
            x=alt.X("wait:Q", title=words("own_page.axes.wait"), scale=scale, axis=axis),
            y=alt.Y("share:Q", title=words("own_page.axes.share"), axis=alt.Axis(format="~%", tickCount=5)),
            color=alt.Color("of:N", title=None, sort=[late, dropped],
                            legend=alt.Legend(orient="top", labelLimit=0, columns=1)),
            tooltip=[
                alt.Tooltip("of:N", title=" "),
                alt.Tooltip("text:N", title=words("own_page.axes.wait_short")),
                alt.Tooltip("records:Q", title=words("own_profile.columns.records"), format=","),
                alt.Tooltip("share:Q", title=words("own_profile.columns.share"), format=".3~%"),
            ],
        )
    )  # fmt: skip
    return lines.properties(width="container", height=_HEIGHT + 60)


def drawn(charts: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each chart as an SVG. Raises ``CalledProcessError`` for one that is no Vega-Lite."""
    if not charts:
        return []
    command = [sys.executable, "-m", "tidemark.spark_bridge.profile.report"]
    told = json.dumps(charts).encode()
    texts: list[str] = json.loads(subprocess.run(command, cwd=ROOT, input=told, capture_output=True, check=True).stdout)
    return texts


def main() -> None:
    """Draw what the standard input says."""
    import vl_convert

    texts = [vl_convert.vegalite_to_svg(chart) for chart in json.load(sys.stdin.buffer)]
    sys.stdout.buffer.write(json.dumps(texts).encode())


if __name__ == "__main__":
    main()


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
    parts += list(_upgrade(profile))
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
        cures += "".join(f"<p>{escape(line)}</p>" for line in worth_of(each, profile.request.bound))
        yield f"<section class='finding'><h2>{escape(words(f'own_page.codes.{each.code}'))}</h2>"
        yield f"<p>{escape(each.text)}</p>{cures}</section>"
    if len(profile.findings) > 1 and profile.cure:
        yield _section(words("own_page.cure_of_all"), _code(profile.cure))


def _upgrade(profile: Profile) -> Iterable[str]:
    for text, rule in upgrade_of(profile):
        stream = "\n".join(rule.stream) if rule else ""
        shown = f"<p class='quiet'>{escape(words('own_profile.upgrade.smallest'))}</p><pre>{escape(stream)}</pre>"
        yield _section(words("own_page.upgrade"), f"<p>{escape(text)}</p>" + (shown if stream else ""))


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
