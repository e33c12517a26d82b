"""What one number of a scenario changes, as a chart for Altair."""

from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING

from tidemark.simulator.explore import settings
from tidemark.simulator.limits import SWEEP_VALUES
from tidemark.simulator.words import words
from tidemark.ui.compare.searches import MEASURES
from tidemark.ui.extras import needs
from tidemark.ui.python.charts import WIDTH
from tidemark.ui.python.frames import InputError, lengths_of, named
from tidemark.ui.python.runs import Scenario

if TYPE_CHECKING:
    import altair as alt

HEIGHT = 110
"""The height (px) of a measure."""


def sweep(scenario: Scenario, setting: str, values: Iterable[str | int | timedelta] = ()) -> "alt.Chart":
    """What one number of a scenario achieves and costs: records counted, the wait for the first result, state.

    ``setting``: ``bound``, ``allowed-lateness``, ``gap``, ``emit``, ``size``, ``slide``, ``max-size``, ``step`` or
    ``idle-timeout``. ``values``: lengths of time such as ``"5s"``, or ms; without them those that are worth a try.
    Raises ``InputError`` for a number that the scenario does not have, and for more than ``SWEEP_VALUES`` values.

    >>> import tidemark
    >>> chart = tidemark.sweep(tidemark.load("late-and-dropped"), "bound", ["0s", "1s", "2s", "3s"])
    >>> chart.properties(title="Bound").to_dict()["title"]
    'Bound'
    """
    alt = needs("altair", "notebook")
    if not isinstance(scenario, Scenario):
        raise InputError("no_scenario", found=named(scenario))
    found = {each.name: each for each in (*settings.settings_of(scenario.model), *settings.shapes_of(scenario.model))}
    if setting not in found:
        raise InputError("no_setting", name=setting, known=", ".join(found) or "–")
    number = found[setting]
    wanted = sorted({*lengths_of(values, "values")}) or settings.values_of(scenario.model, number)
    if len(wanted) > SWEEP_VALUES:
        raise InputError("many_values", count=len(wanted), most=SWEEP_VALUES)
    for each in wanted:
        if each < number.least or not settings.goes(number.write(scenario.model, each)):
            raise InputError("no_value", value=each, name=setting)
    curves = (words("compare.sweep_first"), words("compare.sweep_any"))
    measures = {
        f"{title}: {curves[place]}" if len(each) > 1 else title: measure
        for name, each in MEASURES.items()
        for title in [words(f"compare.sweep_measures.{name}")]
        for place, measure in enumerate(each)
    }
    rows = [
        {"value": point.value / 1000, "measure": name, "y": y}
        for point in settings.sweep(scenario.model, number, wanted)
        for name, measure in measures.items()
        if (y := measure(point)) is not None
    ]
    chart = alt.Chart(alt.InlineData(values=rows)).mark_line(interpolate="step-after", point=True)
    return (  # type: ignore[no-any-return]
        chart.encode(
            x=alt.X("value:Q", title=f"{setting} (s)"),
            y=alt.Y("y:Q", title=None),
            row=alt.Row("measure:N", title=None, sort=[*measures], header=alt.Header(labelAngle=0, labelOrient="top")),
        )
        .resolve_scale(y="independent")
        .properties(width=WIDTH, height=HEIGHT)
    )
