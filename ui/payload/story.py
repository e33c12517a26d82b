"""What frames the steps of a scenario: what it is about, what to look for, and what it showed."""

from tidemark.simulator.scenario.model import Scenario
from tidemark.ui.catalogue import text_of


def story_of(scenario: Scenario) -> dict[str, str]:
    """{summary, look_for, takeaway} in the current language; "" for a text that the file does not have."""
    texts = {name: text_of(getattr(scenario, name)) for name in ("summary", "look_for", "takeaway")}
    return {name: " ".join(text.split()) for name, text in texts.items()}
