"""Whether what a Why card advises does what it says: found by a run with the items that the advice names."""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.explore.runs import run_of
from tidemark.simulator.limits import SEARCHED_STEPS
from tidemark.simulator.values.errors import ScenarioError
from tidemark.simulator.words import words
from tidemark.ui.author.draft import draft_of
from tidemark.ui.author.edits import edited
from tidemark.ui.author.inserts import EFFECTS, MOST_AT_ONCE, asked_for, step_of_effect, steps_of_effect
from tidemark.ui.author.refusing import EditRefused
from tidemark.ui.author.tryout import shown_alone, text_before
from tidemark.ui.share import own
from tidemark.ui.share.links import LinkError
from tidemark.ui.share.remedies import is_short


def fires(question: Mapping[str, Any], source: str) -> dict[str, Any]:
    """The answer to {text, edit, window, effect, step}: {address} of the changed scenario, or {problem}.

    There is an address only if ``effect``, one of ``EFFECTS``, happens to ``window`` (an id of the facts: see
    ``steps_of_effect``) while an item is processed that ``edit``, an insertion, has added. ``text`` is as in
    ``tryout``, ``step`` is the step that is shown.
    """
    try:
        edit = question["edit"]
        effect = question.get("effect", "fires")
        if edit["kind"] != "insert" or effect not in EFFECTS:
            return {"problem": words("share.desk.unknown")}
        before = draft_of(text_before(question, source))
        if before.scenario is None or not is_short(before.scenario):
            return {"problem": words("tryout.too_long", limit=f"{SEARCHED_STEPS:,}")}
        if len(asked_for(before.scenario, edit)) > MOST_AT_ONCE:
            return {"problem": words("tryout.too_many", most=MOST_AT_ONCE)}
        draft, _ = edited(before, edit)
        assert draft.scenario is not None
        if not is_short(draft.scenario):
            return {"problem": words("tryout.too_long", limit=f"{SEARCHED_STEPS:,}")}
        run = run_of(draft.scenario)
        if step_of_effect(run.facts, run.trace, question) is None:
            shown, last = int(question.get("step", len(run.trace))), int(edit["after"])
            steps = steps_of_effect(run.facts, run.trace, question)
            coming = next((step for step in steps if step > shown and run.trace.steps[step].item <= last), None)
            return {"problem": words(f"tryout.{effect}_not" if coming is None else "tryout.anyway", step=coming)}
        return {"address": list(own.of_file(words("author.called"), shown_alone(draft)).address)}
    except (EditRefused, LinkError, ScenarioError) as error:
        return {"problem": str(error)}
    except (AttributeError, LookupError, TypeError, ValueError):  # nothing that the page itself asks
        return {"problem": words("share.desk.unknown")}
