"""A walkthrough in a notebook: ``show("scenario.yaml")`` in a cell of Jupyter, Quarto or VS Code.

The page stands whole in the output of the cell, in a frame without a network, an address or an origin of its own; so a
notebook that was saved shows it on any machine, without a server.
"""

from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Final

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import LANGUAGES, speaking, words
from tidemark.ui.catalogue.walkable import obstacle
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.packing import for_students, pack
from tidemark.ui.share.page import filled

WIDTH: Final = "100%"
HEIGHT: Final = 520

SANDBOX: Final = "allow-scripts allow-downloads allow-popups"
"""What the frame may do. Without ``allow-same-origin`` it reads nothing of the notebook."""


class NotShownError(ValueError):
    """A scenario cannot be shown; the message says why."""


@dataclass(frozen=True)
class Shown:
    """What a notebook displays as the output of a cell. ``page`` is the whole HTML page, ``last`` its last step."""

    title: str
    page: str = field(repr=False)  # a notebook keeps the text of an output beside its HTML
    height: int
    last: int = 0

    def _repr_html_(self) -> str:
        """The frame with the page in it.

        A notebook that is not trusted takes the frame out and keeps the text between its tags, which browsers ignore.
        """
        instead = escape(words("share.notebook.untrusted"))
        return (
            f'<iframe srcdoc="{escape(self.page)}" title="{escape(self.title)}" width="{WIDTH}" '
            f'height="{self.height}" style="border: 0" sandbox="{SANDBOX}">{instead}</iframe>'
        )


def show(
    path: str | Path, *, step: int = 0, height: int = HEIGHT, language: str | None = None, student: bool = False
) -> Shown:
    """The scenario file ``path`` as the output of a cell, opening at micro-step ``step``.

    ``height`` in px; ``language``: ``en`` or ``zh``; ``student``: without notes and answers. Raises ``ScenarioError``
    for a file that cannot be read and ``NotShownError`` for a run that cannot be shown.
    """
    return shown(scenarios.load(path), step=step, height=height, language=language, student=student)


def shown(
    scenario: Scenario, *, step: int = 0, height: int = HEIGHT, language: str | None = None, student: bool = False
) -> Shown:
    """``show`` for a scenario that was read already."""
    if language is not None:
        if language not in LANGUAGES:
            raise NotShownError(words("share.notebook.language", asked=language, known=", ".join(LANGUAGES)))
        with speaking(language):
            return shown(scenario, step=step, height=height, student=student)
    if problem := obstacle(scenario):
        raise NotShownError(problem)
    contents = {**payload(scenario, predict=True), "badges": [], "visit": None}
    if type(step) is not int or not 0 <= step < contents["steps"]:
        raise NotShownError(words("share.notebook.step", step=step, last=contents["steps"] - 1))
    facts = pack(for_students(contents) if student else contents)
    return Shown(
        contents["title"], filled(facts, title=contents["title"], step=step, frame=True), height, contents["steps"] - 1
    )
