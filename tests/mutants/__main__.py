"""``make mutants``: plant each fault of the table in a copy of the tree, and see who finds it (``FAULTS=words``: some).

Exit 0: every fault that can be found was found, and none that is said to survive; 1: not so; 2: the table does not fit
the code, or the tests fail without any fault.
"""

import os
import sys
import time
from collections import Counter

from tests.mutants.finders import FINDERS
from tests.mutants.running import Copy, Look, copied, looks
from tests.mutants.table import Fault, WrongTable, faults


def main() -> int:
    """All faults, or those whose file or meaning contains ``FAULTS``."""
    wanted = os.environ.get("FAULTS", "").lower()
    try:
        chosen = [each for each in faults() if wanted in f"{each.file} {each.means}".lower()]
        with copied() as copy:
            for each in chosen:
                each.planted((copy.root / each.file).read_text(encoding="utf-8"))
            return _sound(copy, chosen) or _tried(copy, chosen)
    except WrongTable as error:
        print(error, file=sys.stderr)
        return 2


def _sound(copy: Copy, chosen: list[Fault]) -> int:
    """Without a fault nothing is found: else all that follows would mean nothing."""
    asked = {each.partition(":")[0] for fault in chosen for each in fault.found_by}
    for finder in FINDERS if any(fault.survives for fault in chosen) else sorted(asked):
        look = copy.look(finder)
        print(f"{look.seconds:6.1f} s  {finder}: {'FAILS' if look.found else 'passes'} without a fault", flush=True)
        if look.found:
            print(look.said)
            return 2
    return 0


def _tried(copy: Copy, chosen: list[Fault]) -> int:
    began, found_by, wrong, survived = time.monotonic(), Counter[str](), 0, 0
    for number, fault in enumerate(chosen, start=1):
        said = looks(copy, fault)
        found = said[-1].found
        survived += not found
        found_by.update([said[-1].finder.partition(":")[0]] if found else [])
        is_wrong = found == bool(fault.survives)
        wrong += is_wrong
        print(f"{number:3} of {len(chosen)}  {_told(fault, said)}", flush=True)
        if is_wrong:
            print(f"    {fault.file}: {fault.old}\n      -> {fault.new}\n{said[-1].said}", flush=True)
    told = ", ".join(f"{number} by {finder}" for finder, number in found_by.most_common())
    minutes = (time.monotonic() - began) / 60
    print(f"{len(chosen)} faults, {len(chosen) - survived} found ({told}), {survived} not; {minutes:.0f} minutes")
    return 1 if wrong else 0


def _told(fault: Fault, said: list[Look]) -> str:
    seconds = sum(look.seconds for look in said)
    if said[-1].found:
        how = f"found by {said[-1].finder}" + (", though the table explains why not" if fault.survives else "")
    else:
        how = f"not found: {fault.survives or 'A TEST IS MISSING'}"
    return f"{seconds:6.1f} s  {fault.means}: {how}"


if __name__ == "__main__":
    sys.exit(main())
