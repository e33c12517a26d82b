"""How the key group of each key comes about: the hash code of the key, and the murmur hash of that."""

from typing import Final

from simulator.state.key_groups import DEFAULT_MAX_PARALLELISM, java_hash_code, key_group, murmur_hash
from simulator.timeline.facts import Row, Timeline
from simulator.values.key import key_of

KEY_GROUPS: Final = DEFAULT_MAX_PARALLELISM
"""How many key groups there are."""


def key_hashes(facts: Timeline) -> dict[str, list[Row]]:
    """By key group (its number as text) the keys with state in it: {key, code, murmur}, in the order of arrival."""
    found: dict[str, list[Row]] = {}
    seen = set()
    for row in facts.tables["state"]:
        key = key_of(row["key"])
        if key in seen:
            continue
        seen.add(key)
        code = java_hash_code(key)
        found.setdefault(str(key_group(key)), []).append({"key": row["key"], "code": code, "murmur": murmur_hash(code)})
    return found
