"""What tells one scenario from another by its content, for what is kept from one comparison to the next."""

from hashlib import sha256

from tidemark.simulator.scenario.model import Scenario


def content_key(scenario: Scenario) -> str:
    """Equal for equal scenarios from files of one name; it tells 1 from 1.0, as results do."""
    return sha256(repr(scenario).encode()).hexdigest()
