"""The timeline: a run as facts, each true from one micro-step to another. TIMELINE.md lists the tables."""

from tidemark.simulator.timeline.build import build
from tidemark.simulator.timeline.facts import Timeline

__all__ = ["Timeline", "build"]
