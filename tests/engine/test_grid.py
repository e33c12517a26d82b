"""The windows of a grid, remembered or not, are those that the formulas give."""

from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.window import Grid, sliding_windows, tumbling_windows

LENGTHS = st.integers(1, 60) | st.integers(1, MAX)
INSTANTS = st.integers(-100, 100) | st.integers(MIN, MIN + 200) | st.integers(MAX - 200, MAX) | st.integers(MIN, MAX)


@given(LENGTHS, st.integers(1, 60) | st.integers(1, MAX), st.integers(-70, 70), st.lists(INSTANTS, max_size=12))
def test_a_grid_finds_the_windows_of_the_formula(size: int, slide: int, offset: int, instants: list[int]) -> None:
    slide = max(slide, -(-size // 8))  # at most eight windows for each instant
    grid = Grid(size, slide, offset)
    for instant in instants * 2:  # the second time from memory
        try:
            expected = tuple(sliding_windows(instant, size, slide, offset))
        except EngineFailure:
            continue
        assert tuple(grid.windows_of(instant)) == (
            tumbling_windows(instant, size, offset) if size == slide else expected
        )


@given(LENGTHS, st.integers(-70, 70), st.lists(INSTANTS, max_size=12))
def test_a_grid_without_overlap_gives_the_one_window(size: int, offset: int, instants: list[int]) -> None:
    grid = Grid(size, size, offset)
    for instant in instants * 2:
        assert tuple(grid.windows_of(instant)) == tumbling_windows(instant, size, offset)
