"""Behind the watermark, late, dropped: three things, each said in one way in all words and texts."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TEXTS = sorted(
    each
    for pattern in (
        "simulator/words/*/*.toml", "scenarios/*.yaml", "scenarios/*.toml", "ui/**/*.toml", "ui/author/templates/*",
        "README.md", "docs/*.md",
    )
    for each in ROOT.glob(pattern)
    if each.is_file()
)  # fmt: skip

ELSEWHERE = {
    "scenarios/first-of-each-key.yaml": "a deduplication has no window: there it says what the operator compares",
}
"""Where another rule is the operator's own."""

OWN_TIME = "a record is late when its window has fired; at or below the watermark it is only behind"
ASSUMED = "a watermark is an assumption: it can be wrong, and nobody has promised it"

DISAGREES = {
    # English
    r"\blate (means|is|if|only if|when)\b[^.;]{0,50}\b(at or below|below|behind) the watermark": OWN_TIME,
    r"\blate if the watermark had (already )?passed its (own )?time": OWN_TIME,
    r"\b(at or below|below|behind) the watermark[^.;]{0,20}\b(is|are|means) late\b(?! only if)": OWN_TIME,
    r"<= \S+ are late\b": OWN_TIME,
    r"\blate compares it\b": OWN_TIME,
    r"\bbehind the watermark, (on|in) time": "the legend says what the record is: not late",
    r"\blate when its window has fired and is gone": "gone is dropped, not late",
    r"\bwatermarks?( is a)? promis": ASSUMED,
    r"\bwould promise (too much|something)": ASSUMED,
    r"\bpromise in the stream": ASSUMED,
    # Chinese
    r"迟到是?指?(不高于|低于|落后于|不晚于)水位线": OWN_TIME,
    r"迟到，是和水位线比": OWN_TIME,
    r"在水位线之后才来的才?算迟到": OWN_TIME,
    r"(越过|走过)它的时间，它就迟到": OWN_TIME,
    r"<= \S+ 的元素都算迟到": OWN_TIME,
    r"触发并清除之后才来的记录，就是迟到": "已经清除的是丢弃，不是迟到",
    r"落后于水位线，仍准时": OWN_TIME,
    r"承诺": ASSUMED,
}
"""What a text must not say of lateness, and why."""

PLANTED = (
    "Late means at or below the watermark, and that is 3 s.",
    "A record is late if the watermark had already passed its time when it arrived.",
    "A record is late only if it is behind the watermark; out of order is in time.",
    "Elements with timestamp <= {watermark} are late from now on.",
    "A watermark is a promise, and this record breaks it.",
    "迟到是指不高于水位线；水位线落后三秒。",
    "在水位线之后才来的才算迟到。",
    "水位线是一个承诺，这条记录违背了它。",
)


def disagreements(text: str) -> list[str]:
    """What in ``text`` defines lateness otherwise than the glossary, with the reason."""
    flowing = " ".join(text.split())
    return [
        f"{found.group()!r}: {why}"
        for pattern, why in DISAGREES.items()
        for found in re.finditer(pattern, flowing, re.IGNORECASE)
    ]


def test_no_text_has_another_meaning_of_late_than_the_glossary() -> None:
    assert len(TEXTS) > 150
    found = {
        str(each.relative_to(ROOT)): wrong
        for each in TEXTS
        if (wrong := disagreements(each.read_text(encoding="utf-8")))
    }
    assert {name: wrong for name, wrong in found.items() if name not in ELSEWHERE} == {}
    assert ELSEWHERE.keys() <= found.keys(), "an exception that nothing needs any more"


@pytest.mark.parametrize("said", PLANTED)
def test_a_planted_definition_is_found(said: str) -> None:
    assert disagreements(said)
