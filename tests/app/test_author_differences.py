"""What two authors made of one text, in pieces: what only one changed is decided, what both changed is asked."""

from hypothesis import given
from hypothesis import strategies as st
from tidemark.ui.author.store import Block, blocks

LINES = st.lists(st.sampled_from("abcde"), max_size=9).map("\n".join)


def whole(found: list[Block], side: str) -> list[str]:
    return [line for block in found for line in block[side] or []]  # type: ignore[literal-required]


def different(mine: str, theirs: str, base: str | None) -> list[tuple[str, str, str, str]]:
    """Each piece that differs as (base, mine, theirs, taken), its lines joined."""
    return [
        ("".join(each["base"] or []), "".join(each["mine"]), "".join(each["theirs"]), each["taken"])
        for each in blocks(mine, theirs, base)
        if not each["same"]
    ]


def test_what_one_side_changed_is_taken_and_what_both_changed_is_asked() -> None:
    base, mine, theirs = "a\nb\nc\nd\ne\nf\n", "a\nB\nc\nd\nE\nf\n", "a\nb\nc\nD\nX\nf\nnew\n"
    assert different(mine, theirs, base) == [
        ("b", "B", "b", "mine"),
        ("de", "dE", "DX", ""),
        ("", "", "new", "theirs"),
    ]


def test_the_same_change_of_both_is_no_difference() -> None:
    assert different("a\nB\nc\n", "a\nB\nc\nd\n", "a\nb\nc\n") == [("", "", "d", "theirs")]


def test_records_that_both_added_at_the_end_can_both_stay() -> None:
    assert different("a\nmine\n", "a\ntheirs\n", "a\n") == [("", "mine", "theirs", "")]


def test_without_what_both_began_with_every_difference_is_asked() -> None:
    found = blocks("a\nb\n", "a\nB\nc\n")
    assert [(each["same"], each["base"], each["taken"]) for each in found] == [(True, None, "mine"), (False, None, "")]


@given(LINES, LINES, LINES)
def test_the_pieces_of_a_side_are_its_text(base: str, mine: str, theirs: str) -> None:
    found = blocks(mine, theirs, base)
    assert whole(found, "base") == base.splitlines()
    assert whole(found, "mine") == mine.splitlines()
    assert whole(found, "theirs") == theirs.splitlines()
    for each in found:
        assert each["same"] == (each["mine"] == each["theirs"])
        assert each["taken"] or (each["mine"] != each["base"] != each["theirs"] and not each["same"])


@given(LINES, LINES)
def test_who_alone_changed_the_text_is_asked_nothing(base: str, mine: str) -> None:
    for found in (blocks(mine, base, base), blocks(base, mine, base)):
        taken = [line for each in found for line in (each["mine"] if each["taken"] == "mine" else each["theirs"])]
        assert taken == mine.splitlines()
