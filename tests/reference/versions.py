"""What changed with which version of Flink, for RECORDINGS.md."""

from itertools import groupby

from tidemark.simulator.engine.values.versions import CHANGES, VERSIONS


def changes_table() -> str:
    """A Markdown table: the versions with a rule that those before lack, the rules by name and ticket."""
    rules = sorted(CHANGES.items(), key=lambda rule: VERSIONS.index(rule[1].since))
    lines = [
        f"| {since} | {', '.join(f'`{name}` ({change.ticket})' for name, change in found)} |"
        for since, found in groupby(rules, lambda rule: rule[1].since)
    ]
    return "\n".join(("| since | rules (`FlinkRules`) |", "| --- | --- |", *lines))
