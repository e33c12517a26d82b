"""How each key gets its key group: from its hash code, and the murmur hash of that."""

from typing import Final

from tidemark.simulator.engine.state import DEFAULT_MAX_PARALLELISM, java_hash_code, key_group, murmur_hash
from tidemark.simulator.engine.values.key import key_of
from tidemark.simulator.timeline.derived import KeyHash
from tidemark.simulator.timeline.facts import Timeline

KEY_GROUPS: Final = DEFAULT_MAX_PARALLELISM
"""The number of key groups."""


def key_hashes(facts: Timeline) -> dict[str, list[KeyHash]]:
    """The keys with state by key group (its number as text): {key, code, murmur}, in order of arrival."""
    found: dict[str, list[KeyHash]] = {}
    seen = set()
    for row in facts.tables["state"]:
        key = key_of(row["key"])
        if key in seen:
            continue
        seen.add(key)
        code = java_hash_code(key)
        found.setdefault(str(key_group(key)), []).append({"key": row["key"], "code": code, "murmur": murmur_hash(code)})
    return found
