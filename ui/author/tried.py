"""What a try-out changes, in one line: results that differ from the original's, and records lost or no longer lost."""

from collections import Counter
from typing import Final

from tidemark.simulator.explore.comparing import (
    DIFFERS,
    EARLIER,
    LATER,
    OFTENER,
    ONLY_LEFT,
    ONLY_RIGHT,
    RARER,
    SAME,
    Compared,
    Pair,
    compare_runs,
)
from tidemark.simulator.explore.runs import Emission, Ran
from tidemark.simulator.timeline.format import duration
from tidemark.simulator.words import words
from tidemark.ui.author.naming import value_name, window_name
from tidemark.ui.times import TimeStyle

MOST: Final = 2
"""How many results are named; the others are counted."""

WEIGHT: Final = (DIFFERS, ONLY_LEFT, ONLY_RIGHT, OFTENER, RARER, EARLIER, LATER)
"""What is said first."""

LOST: Final = ("dropped", "side", "skipped")


def told(original: Ran, changed: Ran, style: TimeStyle) -> str:
    """``[0, 5) of a now gives 22 instead of 16; 1 record less is dropped.``"""
    compared = compare_runs(original.outcome, changed.outcome)
    pairs = sorted(
        (each for each in compared.pairs if each.verdict != SAME), key=lambda each: WEIGHT.index(each.verdict)
    )
    said = [_result(each, style) for each in pairs[:MOST]]
    if len(pairs) > MOST:
        more = len(pairs) - MOST
        said.append(words("tryout.more_one" if more == 1 else "tryout.more", count=more))
    said += _losses(original, changed)
    return sentenced(words("app.semicolon").join(said) if said else _nothing(compared))


def sentenced(text: str) -> str:
    """``text`` as a sentence: with a capital and a stop."""
    return f"{text[:1].upper()}{text[1:]}{words('app.stop')}"


def _result(pair: Pair, style: TimeStyle) -> str:
    left, right = pair.left, pair.right
    row = (right or left)[-1].row
    fields = {"result": window_name(row, style)}
    match pair.verdict:
        case "differs":
            return words("tryout.differs", value=value_name(right[-1].row), before=value_name(left[-1].row), **fields)
        case "only-left":
            return words("tryout.gone", **fields)
        case "only-right" if row["row"] == "joined":
            return words("tryout.new_pair", **fields)
        case "only-right":
            return words("tryout.new", value=value_name(row), **fields)
        case "oftener" | "rarer":
            return words("tryout.times", count=len(right), before=len(left), **fields)
        case _:
            return _when(pair, fields, left[0], right[0])


def _when(pair: Pair, fields: dict[str, str], left: Emission, right: Emission) -> str:
    """Earlier or later by the clock; by the order of the stream where the clock stands still."""
    later = (right.row["at"] - left.row["at"]) or (right.moment - left.moment)
    name = "later" if later > 0 else "earlier"
    if not pair.by:
        return words(f"tryout.{name}_item", **fields)
    return words(f"tryout.{name}", span=duration(abs(pair.by)), **fields)


def _losses(original: Ran, changed: Ran) -> list[str]:
    before, after = Counter(original.fates.values()), Counter(changed.fates.values())
    said = []
    for fate in LOST:
        more = after[fate] - before[fate]
        if more:
            name = f"{fate}_{'more' if more > 0 else 'less'}{'_one' if abs(more) == 1 else ''}"
            said.append(words(f"tryout.{name}", count=abs(more)))
    return said


def _nothing(compared: Compared) -> str:
    return words("tryout.nothing" if compared.watermark_parting is None else "tryout.only_the_watermark")
