"""``python -m tests.reference`` writes what is generated from the code: parts of the documents, the schema, and types.

``python -m tests.reference types`` writes the types alone.
"""

import sys

from tests.reference.files import stale, types, write

if __name__ == "__main__":
    write(types())
    if sys.argv[1:] != ["types"]:
        outdated = stale()
        write(outdated)
        for path in outdated:
            print(f"wrote {path}")
