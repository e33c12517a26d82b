"""The Spark check: Spark computes the scenario as well, and the page shows the progress and every difference.

``/spark?scenario=NAME`` offers a check of a library scenario, ``?s=TEXT`` and ``?own=DIGEST`` of the reader's own;
``&job=ID`` shows the result of an earlier check.
"""

import json
from html import escape

import streamlit as st
from streamlit import runtime
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.timeline.wording import time_format
from tidemark.simulator.words import words
from tidemark.ui.catalogue import Entry, library
from tidemark.ui.pages.kit import notice
from tidemark.ui.pages.language import resume
from tidemark.ui.payload.brief import records_in
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.server.bridge import bridge
from tidemark.ui.server.roles import is_teacher
from tidemark.ui.share import links
from tidemark.ui.share.links import LinkError
from tidemark.ui.spark import html, views
from tidemark.ui.spark.jobs import Asked, Job, jobs
from tidemark.ui.spark.views import about, estimate, rows, small

SIZES = (1_000, 20_000, 200_000, 1_000_000, 10_000_000, 100_000_000)

Choice = tuple[Entry, tuple[str, str]]
"""A scenario, and the part of an address that opens it."""


def _own() -> Choice | None:
    """The reader's own scenario, if the address carries one. Raises ``LinkError``."""
    query = st.query_params
    if "scenario" in query or not ("s" in query or "own" in query):
        return None
    try:
        opened = links.of_link(query["s"]) if "s" in query else links.of_shelf(query["own"])
    except ScenarioError as error:
        raise LinkError(str(error)) from None
    return opened.entry, opened.address


def _of(entry: Entry, address: tuple[str, str]) -> str:
    """What identifies a scenario's jobs: the reader's own scenario may have the name of another."""
    return entry.name if address[0] == "scenario" else entry.stamp


def _choose(choices: list[Choice]) -> Choice:
    """The scenario chosen here; the address selects it at first."""
    places = range(len(choices))
    wanted = st.query_params.get("scenario")
    index = next((n for n in places if choices[n][1] == ("scenario", wanted)), 0)
    key = f"spark_scenario_{wanted or ''}"
    chosen = st.selectbox(
        words("pages.spark.scenario"), places, index=index, format_func=lambda n: choices[n][0].title,
        key=key, on_change=_chosen, args=(choices, key),
    )  # fmt: skip
    return choices[chosen]


def _chosen(choices: list[Choice], key: str) -> None:
    """The address names the scenario that was chosen."""
    place = st.session_state.get(key)
    if isinstance(place, int) and place < len(choices):
        st.query_params.from_dict(dict([choices[place][1]]))


def _events(scenario: Scenario, of: str) -> int | None:
    """The number of records to check; only a generated stream can be longer than written."""
    written = records_in(scenario)
    if not isinstance(scenario.stream, Generated):
        st.selectbox(
            words("pages.spark.events"), [written], format_func=html.number, disabled=True,
            help=words("pages.spark.events_fixed"),
        )  # fmt: skip
        return None
    sizes = sorted({written, *SIZES})

    def label(events: int) -> str:
        time = about(estimate(events, jobs().all(), of))
        return words("pages.spark.estimate", events=html.number(events), time=time)

    return st.selectbox(
        words("pages.spark.events"), sizes, index=sizes.index(written), format_func=label, key=f"spark_events_{of}",
        help=words("pages.spark.estimate_help"),
    )  # fmt: skip


def _engine(scenario: Scenario) -> str | None:
    """The engine chosen among those that cover the scenario; None if none does."""
    engines = [engine for engine in bridge().ENGINES if not bridge().gaps_of(scenario, engine)]
    label = words("pages.spark.engine")
    alone = words("pages.spark.engine_alone") if len(engines) < 2 else None
    return st.selectbox(label, engines, disabled=len(engines) < 2, help=alone) if engines else None


def _fault(job: Job | None) -> str | None:
    """The fault to plant; at first the one that was planted in the job that the address names."""
    faults = ["", *(str(each) for each in bridge().Fault)]
    planted = (job.asked.fault if job is not None and job.id == st.query_params.get("job") else None) or ""
    chosen = st.selectbox(
        words("pages.spark.plant"), faults, index=faults.index(planted) if planted in faults else 0,
        format_func=lambda f: words(f"pages.spark.faults.{f or 'none'}"), key=f"spark_fault_{planted}",
    )  # fmt: skip
    return chosen or None


def _selected(of: str) -> Job | None:
    """The job that the address names, else the scenario's newest."""
    named = jobs().find(st.query_params.get("job", ""))
    if named is not None and named.asked.of == of:
        return named
    return next(iter(jobs().of(of)), None)


def _outcome(entry: Entry, of: str, job: Job) -> None:
    """Everything about one job, as a grid of cards."""
    assert entry.scenario is not None
    style = TimeStyle(time_format(entry.scenario))
    cards = [
        views.verdict(job, jobs().before(job)),
        f"<div class='tm-row'>{views.progress(job, bridge().STAGES)}"
        f"{views.earlier(jobs().of(of), job, jobs().unreadable)}</div>",
    ]
    if job.result is not None:
        result, shape = job.result, job.result.distributions
        about_rows = rows(job, small(entry), style)
        if shape is None:
            cards.append(f"<div class='tm-row tm-wide'>{about_rows}{views.counts(result)}</div>")
        else:
            marks = small(entry).delays
            lateness = html.lateness(shape, result.events, marks, len(marks))
            below = f"<div class='tm-pair'>{html.firings(shape)}{html.keys(shape)}</div>"
            cards.append(f"<div class='tm-row'>{about_rows}<div class='tm-stack'>{lateness}{below}</div></div>")
    st.html(f"<div class='tm-spark' data-state='{job.state}'>{''.join(cards)}</div>")


@st.fragment(run_every=0.5)
def _watch(entry: Entry, of: str, job: Job) -> None:
    """Refreshes twice a second while the job runs, and reruns the whole page when it ends."""
    resume()
    if not job.running:
        st.rerun()
    _outcome(entry, of, job)


def _report(job: Job | None) -> None:
    result = None if job is None else job.result
    text = "" if job is None or result is None else json.dumps(job.as_json(), ensure_ascii=False, indent=1)
    st.download_button(
        words("pages.spark.report"), text, f"spark-check-{job.id if job else ''}.json", "application/json",
        help=words("pages.spark.report_help"), disabled=result is None, width="stretch", on_click="ignore",
    )  # fmt: skip


def _run_button(entry: Entry, asked: Asked, *, again: bool) -> None:
    label = words("pages.spark.run_again" if again else "pages.spark.run")
    allowed = is_teacher()
    why = None if allowed else words("roles.spark")
    if st.button(
        label, type="primary", key="spark_run", disabled=not (asked.engine and allowed), help=why, width="stretch"
    ):
        assert entry.scenario is not None
        job = jobs().start(entry.scenario, asked)
        st.query_params.from_dict(dict([asked.address, ("job", job.id)]))
        st.rerun()


def _explain(scenario: Scenario, engine: str | None) -> None:
    """Before the first run: what a check is, or why none is possible, and what is covered."""
    if engine is None:
        gaps = bridge().gaps_of(scenario, None)
        reasons = "".join(f"<li>{escape(gap.reason)}</li>" for gap in gaps)
        first = html.card(words("pages.spark.not_covered"), "", f"<ul class='tm-lead'>{reasons}</ul>")
    else:
        lead = words("pages.spark.explain" if is_teacher() else "roles.spark")
        if is_teacher() and not jobs().spark_runs:
            lead = f"{lead} {words('pages.spark.not_started')}"
        text = f"<p class='tm-lead'>{escape(lead)}</p>"
        first = html.card(words("pages.spark.what"), "", text)
    st.html(f"<div class='tm-spark tm-start'>{first}{views.ways(bridge().ways())}</div>")


def _page(choices: list[Choice]) -> None:
    with st.container(key="tm_choices"):
        columns = st.columns([30, 20, 11, 17, 10, 10, 12], vertical_alignment="bottom")
        with columns[0]:
            entry, address = _choose(choices)
        assert entry.scenario is not None
        scenario, of = entry.scenario, _of(entry, address)
        with columns[1]:
            events = _events(scenario, of)
        with columns[2]:
            engine = _engine(scenario)
        job = _selected(of)
        with columns[3]:
            fault = _fault(job)
        with columns[4], st.popover(words("pages.spark.what_is_covered"), width="stretch"):
            st.html(views.ways(bridge().ways()))
        with columns[5]:
            _report(job)
        with columns[6]:
            if job is not None and job.running:
                st.button(
                    words("pages.spark.stop"), key="spark_stop", width="stretch", on_click=jobs().stop, args=(job,),
                    disabled=job.stop.is_set() or not is_teacher(),
                )  # fmt: skip
            else:
                _run_button(entry, Asked(of, entry.title, address, events, engine or "", fault), again=job is not None)
    # Without a server there is nobody to save time for.
    if engine is not None and runtime.exists() and is_teacher():
        jobs().expect(scenario, engine)
    if job is None or engine is None:
        _explain(scenario, engine)
    elif job.running:
        _watch(entry, of, job)
    else:
        _outcome(entry, of, job)


def page() -> None:
    """The page."""
    choices: list[Choice] = [(entry, ("scenario", entry.name)) for entry in library() if entry.scenario]
    try:
        own_one = _own()
    except LinkError as error:
        notice(str(error), words("pages.walkthrough.offer_library"))
        return
    with st.container(key="tm_page"):
        if own_one is not None:
            choices.insert(0, own_one)
        if choices:
            _page(choices)
        else:
            st.text(words("pages.spark.no_scenarios"))


page()
