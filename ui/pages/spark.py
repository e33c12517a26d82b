"""The Spark check: the scenario computed by Spark as well, both sides compared, with progress and every difference."""

import streamlit as st

from simulator.scenario.model import Generated, Scenario
from simulator.timeline.format import time_format
from simulator.words import words
from ui.catalogue import Entry, library
from ui.payload.about import records_in
from ui.spark import views
from ui.spark.jobs import Job, bridge, jobs
from ui.times import TimeStyle

SIZES = (1_000, 20_000, 200_000, 1_000_000)


def _choose(entries: list[Entry]) -> Entry:
    """The row of choices; the scenario stands in the address too."""
    wanted = st.query_params.get("scenario")
    names = [e.name for e in entries]
    index = names.index(wanted) if wanted in names else 0
    title = {e.name: e.title for e in entries}
    chosen = st.selectbox(
        words("pages.spark.scenario"), names, index=index, format_func=lambda n: title[n], key="spark_scenario"
    )
    return entries[names.index(chosen)]


def _events(scenario: Scenario) -> int | None:
    """How many records; only a generated stream can be longer than written."""
    written = records_in(scenario)
    if not isinstance(scenario.stream, Generated):
        st.selectbox(words("pages.spark.events"), [written], format_func=views.number, disabled=True)
        return None
    sizes = sorted({written, *SIZES})
    return st.selectbox(
        words("pages.spark.events"), sizes, index=sizes.index(written), format_func=views.number, key="spark_events"
    )


def _fault() -> str | None:
    faults = ["", *(str(each) for each in bridge().Fault)]
    chosen = st.selectbox(
        words("pages.spark.plant"), faults, format_func=lambda f: words(f"pages.spark.faults.{f or 'none'}")
    )
    return chosen or None


def _run(entry: Entry, events: int | None, fault: str | None) -> None:
    assert entry.scenario is not None
    job = jobs().start(entry.scenario, entry.title, events, fault)
    st.query_params.from_dict({"scenario": entry.name, "job": job.id})


def _selected(entry: Entry) -> Job | None:
    """The job that the address names, else the newest of the scenario."""
    named = jobs().find(st.query_params.get("job", ""))
    if named is not None and named.scenario == entry.name:
        return named
    return next(iter(jobs().of(entry.name)), None)


def _outcome(entry: Entry, job: Job) -> None:
    """Everything about one job."""
    assert entry.scenario is not None
    style = TimeStyle(time_format(entry.scenario))
    st.html(views.verdict(job))
    left, right = st.columns([46, 54])
    with left:
        st.html(views.progress(job, bridge().STAGES))
    with right:
        st.html(views.earlier(jobs().of(entry.name), job))
    if job.report is not None:
        left, right = st.columns([64, 36])
        with left:
            st.html(views.differences(job.report, job.fault, style))
        with right:
            st.html(views.counts(job.report))


@st.fragment(run_every=0.5)
def _watch(entry: Entry, job: Job) -> None:
    """Looks again twice a second while the job runs; one whole run of the page when it ends."""
    _outcome(entry, job)
    if job.running:
        if st.button(words("pages.spark.stop"), key="spark_stop", disabled=job.stop.is_set()):
            job.stop.set()
            st.rerun(scope="fragment")
    else:
        st.rerun()


def page() -> None:
    """The page."""
    entries = [entry for entry in library() if entry.scenario]
    with st.container(key="tm_page"):
        if not entries:
            st.text(words("pages.spark.no_scenarios"))
            return
        with st.container(key="tm_choices"):
            first, second, third, fourth = st.columns([40, 18, 24, 18], vertical_alignment="bottom")
            with first:
                entry = _choose(entries)
            assert entry.scenario is not None
            with second:
                events = _events(entry.scenario)
            with third:
                fault = _fault()
            gaps = list(bridge().gaps_of(entry.scenario, "batch"))
            job = _selected(entry)
            with fourth:
                label = words("pages.spark.run_again" if job else "pages.spark.run")
                busy = job is not None and job.running
                if st.button(label, type="primary", key="spark_run", disabled=bool(gaps) or busy, width="stretch"):
                    _run(entry, events, fault)
                    st.rerun()
        if gaps:
            reasons = "".join(f"<li>{views.escape(gap.reason)}</li>" for gap in gaps)
            st.html(views.card(words("pages.spark.not_covered"), "", f"<ul class='tm-lead'>{reasons}</ul>"))
        elif job is None:
            text = views.escape(words("pages.spark.explain"))
            st.html(views.card(words("pages.spark.what"), "", f"<p class='tm-lead'>{text}</p>"))
        elif job.running:
            _watch(entry, job)
        else:
            _outcome(entry, job)


page()
