"""Whether what a Why card advises fires its window: found by a run with the items that the advice names."""

from collections.abc import Mapping
from typing import Any

from simulator.explore.runs import run_of
from simulator.values.errors import ScenarioError
from simulator.words import words
from ui.author.draft import draft_of
from ui.author.edits import EditRefused, edited
from ui.author.inserts import step_of_firing
from ui.author.tryout import text_before
from ui.share import own
from ui.share.links import LinkError
from ui.share.remedies import is_short


def fires(question: Mapping[str, Any], source: str) -> dict[str, Any]:
    """The answer to {text, edit, window}: {address} of the changed scenario, or {problem}.

    There is an address only if ``window`` (an id of the facts) fires with a result while an item is processed that
    ``edit``, an insertion, has added. ``text`` is as in ``tryout``.
    """
    try:
        edit = question["edit"]
        if edit["kind"] != "insert":
            return {"problem": words("share.desk.unknown")}
        before = draft_of(text_before(question, source))
        if before.scenario is None or not is_short(before.scenario):
            return {"problem": words("tryout.too_long")}
        draft, _ = edited(before, edit)
        assert draft.scenario is not None
        if not is_short(draft.scenario):
            return {"problem": words("tryout.too_long")}
        run = run_of(draft.scenario)
        if step_of_firing(run.facts, run.trace, str(question["window"]), edit) is None:
            return {"problem": words("tryout.fires_not")}
        return {"address": list(own.of_file(words("author.called"), draft.text).address)}
    except (EditRefused, LinkError, ScenarioError) as error:
        return {"problem": str(error)}
    except (LookupError, TypeError, ValueError):  # nothing that the page itself asks
        return {"problem": words("share.desk.unknown")}
