"""The page: choose files, name columns, profile, look at pictures and findings, cut, take a report."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, Final

import streamlit as st
from tidemark.simulator.engine.values.duration import format_duration
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.words import words
from tidemark.ui.pages.language import resume
from tidemark.ui.player.bundle import script
from tidemark.ui.server.background import Task, queue
from tidemark.ui.server.bridge import bridge
from tidemark.ui.server.cache import keeping
from tidemark.ui.server.roles import is_teacher
from tidemark.ui.server.screen import say
from tidemark.ui.share import links
from tidemark.ui.spark.html import card, seconds, sign, table
from tidemark.ui.spark.your_stream.questions import choose, columns_of, files_of, settings, take
from tidemark.ui.spark.your_stream.visits import (
    FOLDER,
    Chosen,
    Upload,
    Work,
    cookie,
    remove_orphans,
    visit,
    without_folders,
    work_on,
)

# What the browser does for the page: it shows the number of the visit, and lets go of a page with an upload.
#
# Such a page ends for good when the visitor goes elsewhere: the browser does not keep it for the way back. A kept
# page keeps its connection as well, for ten minutes, and the server takes the visitor to be here.

_component: Final = st.components.v2.component(
    "tidemark_holding", js=script(Path(__file__).parent / "holding.ts"), isolate_styles=False
)


def hold(*, leaving: bool) -> None:
    """From here on, the browser knows this visit. ``leaving``: to leave the page is to end it."""
    _component(key="own_stream_holding", data={"cookie": cookie(), "visit": visit().number, "leaving": leaving})


# The page's HTML: first rows, progress, headline, findings, tables. Every text goes through ``escape``.

_CELL = 40


def number(value: int) -> str:
    """``60,000``: as the texts of a profile have it."""
    return f"{value:,}"


def percent(share: float) -> str:
    """``0.66 %``."""
    return f"{share * 100:.3g} %"


def first_rows(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first rows as a table; long cells are cut."""
    body = [("", [escape(_short(cell)) for cell in row]) for row in rows]
    return f"<div class='tm-own-scroll'>{table('first-rows', [_short(name) for name in names], body, [])}</div>"


def _short(text: str) -> str:
    return text if len(text) <= _CELL else f"{text[:_CELL]}…"


def progress(work: Task, stages: Iterable[str], before: int, problem: str = "") -> str:
    """What is done and what is being done, or how it ended. ``before``: how many others come first."""
    rows = []
    for stage in stages:
        began, ended = work.stages.get(stage, [None, None])
        done = None if began is None or (ended is None and work.running) else ended is not None or "stopped"
        took = "" if began is None else seconds(max((work.seconds if ended is None else ended) - began, 0))
        rows.append(
            ("tm-later" if began is None else "", [sign(done), escape(words(f"own_page.stages.{stage}")), took])
        )
    title = {
        "waiting": _turn(before),
        "running": words("own_page.running"),
        "cancelled": words("own_page.cancelled"),
        "failed": words("own_page.failed"),
    }[work.state]
    note = f"<p class='tm-lead'>{escape(problem)}</p>" if problem else ""
    took = seconds(work.seconds) if work.state != "waiting" else ""
    return card(title, took, note + table("stages", ["", "", ""], rows, [2]))


def waits(work: Task, before: int, doing: str) -> str:
    """One line on work that is not done yet: its turn, or what is done, ``doing``, and for how long already."""
    return _turn(before) if work.state == "waiting" else f"{doing} · {seconds(work.seconds)}"


def _turn(before: int) -> str:
    return words("own_page.waiting_for", before=before) if before else words("own_page.waiting")


def headline(records: int, columns: Sequence[Sequence[str]], took: float | None) -> str:
    """How much was read, and what it comes to in a few lines, side by side. ``took``: None for an example."""
    if took is None:
        done = words("own_page.done_example", records=number(records))
    else:
        done = words("own_page.done", records=number(records), seconds=f"{took:.0f}")
    texts = ("".join(f"<p>{escape(line).replace(' %', '&nbsp;%')}</p>" for line in lines) for lines in columns)
    inside = "".join(f"<div>{text}</div>" for text in texts if text)
    return card(done, "", f"<div class='tm-own-lines'>{inside}</div>")


def example(name: str, profile: Any) -> str:
    """An example as a card: its story, how much there is, and a picture of its course."""
    counts = words("own_page.examples.counts", records=number(profile.records), findings=len(profile.findings))
    text = f"{_course(profile)}<p class='tm-own-line'>{escape(words(f'own_page.examples.{name}.about'))}</p>"
    return card(words(f"own_page.examples.{name}.title"), counts, text, "tm-own-example")


def _course(profile: Any) -> str:
    """Which channel holds the watermark back, a lane each; of a single channel how far its records are behind."""
    slices, many = profile.course.slices, len(profile.channels) > 1
    longest = max((each.longest for each in slices), default=0) or 1
    lanes = [[0.0] * (max(each.number for each in slices) + 1) for _ in profile.channels]
    for each in slices:
        lanes[each.channel][each.number] = each.held_share if many else each.longest / longest
    kind, style = ("holders", "opacity:{:.2f}") if many else ("delay", "height:{:.0%}")
    label = escape(words(f"own_page.pictures.{kind}"))
    bars = ("".join(f"<i style='{style.format(share)}'></i>" for share in lane) for lane in lanes)
    drawn = "".join(f"<div>{lane}</div>" for lane in bars)
    return f"<p class='tm-quiet'>{label}</p><div class='tm-own-course' role='img' aria-label='{label}'>{drawn}</div>"


def finding(found: Any, sentence: str, worth: Sequence[str]) -> str:
    """One finding: what it is, in numbers what it does, and what its cure is worth."""
    text = f"<p class='tm-lead'>{escape(sentence)}</p>"
    text += "".join(f"<p class='tm-own-line'>{escape(line)}</p>" for line in worth)
    count = words("own_page.records", number=number(found.records))
    return card(words(f"own_page.codes.{found.code}"), count, text, "tm-bad tm-finding")


def tables(found: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> str:
    """The tables of the figures, each with its title."""
    parts = []
    for place, (title, (head, *rows)) in enumerate(found):
        body = [("", [escape(cell) for cell in row]) for row in rows]
        inside = table(f"figures-{place}", head, body, range(1, len(head)))
        parts.append(f"<div class='tm-own-scroll'>{card(title, '', inside)}</div>")
    return "".join(parts)


_ROWS = 8
_COMMANDS = "python -m spark_bridge profile FILE --report report.html\npython -m spark_bridge cut FILE --around dropped"


def page() -> None:
    """The page. It reads files of this machine and starts Spark on it, so it is the teacher's alone."""
    with st.container(key="tm_page"):
        if not is_teacher():
            st.markdown(words("roles.own_stream"))
            st.code(_COMMANDS, language=None)
            return
        st.html(f"<div class='tm-own-lead'><p>{escape(words('own_page.lead'))}</p>"
                f"<p class='tm-quiet'>{escape(words('own_page.private'))}</p></div>")  # fmt: skip
        _tidy()
        chosen = choose()
        hold(leaving=chosen is not None and chosen.upload is not None)
        if chosen is not None:
            _ask(chosen)
        else:
            _examples()


@keeping()
def _tidy() -> None:
    """Once a server: remove what killed ones left behind."""
    remove_orphans()


def _examples() -> None:
    """Streams to begin with; each was profiled beforehand, so that a click shows its findings at once."""
    st.html(f"<h2 class='tm-own-title'>{escape(words('own_page.examples.title'))}</h2>")
    examples = bridge().stream_page.examples()
    for place, (name, profile) in zip(st.columns(len(examples)), examples.items(), strict=True):
        with place:
            st.html(example(name, profile))
            st.button(words("own_page.examples.open"), key=f"own_stream_example_{name}", width="stretch",
                      on_click=_take_example, args=(name, profile))  # fmt: skip


def _take_example(name: str, profile: Any) -> None:
    """Choose an example as if it had been uploaded and profiled: every next step is that of a stream of one's own."""
    pages, upload = bridge().stream_page, Upload([])
    try:
        file = pages.write_example(name, upload.folder)
    except OSError as error:
        upload.remove()
        say(error.strerror or str(error))
        return
    chosen = take(upload, file.name)
    files = pages.Files(chosen.paths, pages.first_rows(chosen.paths).columns)
    asked = {
        each.name: getattr(profile.request, each.name) for each in fields(profile.request) if each.name != "course"
    }
    visit().works[chosen.paths] = Work(Task(state="done", result=profile), files, asked, stored=True)


def _ask(chosen: Chosen) -> None:
    pages = bridge().stream_page
    try:
        first = _first_rows(chosen)
    except (bridge().CheckFails, ValueError) as error:
        say(_said(chosen, str(error)))
        return
    work = work_on(chosen)
    with st.expander(words("own_page.first_rows"), expanded=work is None):
        st.html(first_rows(first.names, first.cells[:_ROWS]))
    # What was asked makes room for what was found.
    with st.expander(words("own_page.settings"), expanded=work is None):
        columns = columns_of(chosen, first.names, first.columns)
        times = pages.other_times(pages.Columns(**columns), first)
        if times is not None:
            say(words("own_page.other_times", name=shown_in_message(times)), "note")
        asked = settings()
    files = files_of(chosen, columns)
    _buttons(chosen, files, asked, work)
    if work is None:
        return
    task = work.task
    if task.running:
        _watch(task, pages.STREAM_STAGES)
    elif task.state == "done":
        if (work.files, work.asked) != (files, asked):
            st.info(words("own_page.stale"))
        _found(chosen, work)
    else:
        st.html(progress(task, pages.STREAM_STAGES, 0, _said(chosen, task.problem)))


def _said(chosen: Chosen, text: str) -> str:
    """An error message with the files called what the visitor calls them."""
    folders = [] if chosen.upload is None else [chosen.upload.folder]
    return without_folders(text, [*folders, *([] if FOLDER is None else [FOLDER])])


def _first_rows(chosen: Chosen) -> Any:
    """The first rows, looked at once for each choice."""
    known = st.session_state.get("own_stream_first")
    if known is None or known[0] != chosen.paths:
        known = st.session_state["own_stream_first"] = (chosen.paths, bridge().stream_page.first_rows(chosen.paths))
    return known[1]


def _buttons(chosen: Chosen, files: Any, asked: dict[str, Any] | None, work: Work | None) -> None:
    if work is not None and work.task.running:
        stopping = work.task.stop.is_set()
        label = words("own_page.cancelling" if stopping else "own_page.cancel")
        st.button(label, key="own_stream_stop", disabled=stopping, on_click=queue().stop, args=(work.task,))
        return
    label = words("own_page.run" if work is None else "own_page.again")
    can = asked is not None and files.columns.ts is not None
    if st.button(label, type="primary", key="own_stream_run", disabled=not can) and asked is not None:
        pages = bridge().stream_page
        call = partial(pages.profile, files, pages.profile_request(asked))
        visit().works[chosen.paths] = Work(_started(call), files, asked)
        st.rerun()


def _started(call: Callable[..., Any]) -> Task:
    """A queued task that does ``call(report, stop)``."""
    task = Task()
    queue().start(task, partial(call, task.report, task.stop))
    return task


@st.fragment(run_every=0.5)
def _watch(work: Task, stages: tuple[str, ...]) -> None:
    """Refreshes twice a second while the work runs, and reruns the whole page when it ends."""
    resume()
    if not work.running:
        st.rerun()
    st.html(progress(work, stages, queue().before(work)))


def _found(chosen: Chosen, work: Work) -> None:
    profile = work.task.result
    pages = bridge().stream_page
    st.html(headline(profile.records, pages.heading(profile), None if work.stored else work.task.seconds))
    findings, pictures = st.columns([45, 55], gap="medium")
    with findings:
        _findings(chosen, work)
    with pictures:
        charts = pages.pictures(profile)
        if "loss" in charts:
            st.markdown(f"**{words('own_page.pictures.loss')}**")
            _handles(profile)
        for name in ("loss", "delay", "holders"):
            if name in charts:
                if name != "loss":
                    st.markdown(f"**{words(f'own_page.pictures.{name}')}**")
                st.altair_chart(charts[name], key=f"own_stream_{name}")
    with st.expander(words("own_page.figures")):
        st.html(tables(pages.tables(profile)))
    html, as_json, _ = st.columns([1, 1, 4])
    with html:
        st.download_button(
            words("own_page.download"), partial(pages.report, profile, chosen.subject, work.files.columns),
            "stream-report.html", "text/html", on_click="ignore", width="stretch",
        )  # fmt: skip
    with as_json:
        text = json.dumps(profile.as_json(), ensure_ascii=False, indent=1)
        st.download_button(
            words("own_page.download_json"), text, "stream-profile.json", "application/json", on_click="ignore",
            width="stretch",
        )  # fmt: skip


@st.fragment
def _handles(profile: Any) -> None:
    """Handles for bound and allowed lateness, and what each loses, from the exact counts.

    Each has a line of its own: on one line both could stand at one spot, and only one of them could be moved.
    """
    resume()
    late, dropped = dict(profile.late), dict(profile.course.dropped)
    steps = sorted(late)
    # Of a stream with a fault, the bound that covers the fault as well is nobody's choice.
    bound = 0 if profile.findings else profile.recommended
    if profile.request.bound is not None:
        bound = profile.request.bound
    first = next((step for step in steps if step >= bound), steps[-1])
    bound = st.select_slider(
        words("own_page.try_bound"), steps, first, format_func=format_duration, key=f"own_stream_try_bound_{first}",
        help=words("own_page.try_bound_help"),
    )  # fmt: skip
    lines = [words("own_page.handle_bound", bound=format_duration(bound), late=number(late[bound]),
                   share=percent(profile.share(late[bound])))]  # fmt: skip
    if dropped:
        kept = _kept([step for step in steps if step >= bound], profile.request.lateness)
        lines.append(
            words("own_page.handle_dropped", lateness=format_duration(kept - bound), kept=format_duration(kept),
                  dropped=number(dropped[kept]), share=percent(profile.share(dropped[kept])))
        )  # fmt: skip
    else:
        lines.append(words("own_page.handle_windows"))
    st.html("".join(f"<p class='tm-own-line'>{escape(line)}</p>" for line in lines))


def _kept(steps: list[int], asked: int) -> int:
    """How long windows are kept, bound and allowed lateness together (ms): one of ``steps``, which begin at the bound.

    The counts are known at the steps alone. A lateness that the reader has chosen stays, as nearly as they allow, when
    the bound changes; ``asked`` is that of the profile.
    """
    bound, *above = steps
    if not above:
        return bound
    chosen = f"own_stream_try_lateness_{asked}"
    wanted = bound + st.session_state.get(chosen, asked)
    first = next((step for step in steps if step >= wanted), steps[-1])
    kept: int = st.select_slider(
        words("own_page.try_lateness"), steps, first, format_func=lambda step: format_duration(step - bound),
        key=f"{chosen}_{bound}", help=words("own_page.try_lateness_help"),
    )  # fmt: skip
    if kept != first:
        st.session_state[chosen] = kept - bound
    return kept


def _findings(chosen: Chosen, work: Work) -> None:
    profile = work.task.result
    if not profile.findings and profile.humps is None:
        st.html(card(words("own_page.findings"), "", f"<p class='tm-lead'>{escape(words('own_page.healthy'))}</p>"))
    for place, found in enumerate(profile.findings):
        pages = bridge().stream_page
        st.html(finding(found, pages.sentence(found), pages.worth(found, profile.request)))
        _show_me(chosen, found, place, work)
        _cure("cure", found.cures, found.cure)
    if len(profile.findings) > 1 and profile.cure:
        _cure("cure_of_all", profile.cure, "")
    for text, rule in bridge().stream_page.upgrade(profile):
        _upgrade(text, rule, profile.upgrade.to)


def _upgrade(text: str, rule: Any, to: str) -> None:
    """What an upgrade changes by one rule, with the way to Compare on the smallest stream that shows it."""
    st.html(card(words("own_page.upgrade"), "", f"<p class='tm-lead'>{escape(text)}</p>"))
    if rule is None or not rule.stream:
        return
    with st.expander(words("own_profile.upgrade.smallest")):
        st.code("\n".join(rule.stream), language="yaml", wrap_lines=True)
        token = links.token_of(rule.scenario, json=False)
        if links.fits(token):
            st.link_button(words("own_page.compare_versions"), f"./compare?s={token}&flink={to}")


def _cure(kind: str, cures: Mapping[str, str], otherwise: str) -> None:
    """The code of each engine, or what is said where there is none. ``kind``: ``cure`` or ``cure_of_all``."""
    with st.expander(words(f"own_page.{kind}")):
        if not cures:
            st.html(f"<p class='tm-own-line'>{escape(otherwise)}</p>")
            return
        tabs = st.tabs([words(f"own_page.engines.{engine}") for engine in cures])
        for tab, (engine, code) in zip(tabs, cures.items(), strict=True):
            with tab:
                language = {"flink_java": "java", "flink_sql": "sql", "spark": "python"}[engine]
                st.code(code, language=language, wrap_lines=True)


def _show_me(chosen: Chosen, finding: Any, place: int, of: Work) -> None:
    """Cut out the records that show a finding; a link to the player when they are found."""
    work = of.cuts.get(place)
    if work is None:
        if st.button(words("own_page.show_me"), key=f"own_stream_show_{place}", help=words("own_page.show_me_help")):
            call = partial(bridge().stream_page.cut, of.files, finding, of.task.result.request)
            of.cuts[place] = _started(call)
            st.rerun()
    elif work.running:
        _wait(work, place)
    elif work.state == "done":
        opened = links.of_file("cut.yaml", work.result)
        name, value = opened.address
        st.link_button(words("own_page.open_cut"), f"./?{name}={value}&step=0")
    else:
        say(_said(chosen, work.problem) or words("own_page.cancelled"), "note")


@st.fragment(run_every=1)
def _wait(work: Task, place: int) -> None:
    """Refreshes every second while a cut is made, and reruns the whole page when it ends."""
    resume()
    if not work.running:
        st.rerun()
    text, stop = st.columns([3, 1])
    with text:
        say(waits(work, queue().before(work), words("own_page.cutting")), "note")
    stop.button(words("own_page.cancel"), key=f"own_stream_stop_{place}", on_click=queue().stop, args=(work,))
