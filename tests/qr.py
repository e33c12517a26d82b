"""Reads a QR code from a picture, as a phone does. Covers what short addresses need of the standard (versions 1 to 3).

It uses nothing of the library that draws the codes.
"""

from collections.abc import Callable, Iterator

from PIL import Image

QUIET = 4
FORMAT_MASK = 0b101010000010010
TWO_BLOCKS = {0b11: 17, 0b10: 13}
"""The levels of correction at which version 3 deals its letters out to two blocks, and how many each gets."""

MASKS: tuple[Callable[[int, int], int], ...] = (
    lambda row, column: (row + column) % 2,
    lambda row, column: row % 2,
    lambda row, column: column % 3,
    lambda row, column: (row + column) % 3,
    lambda row, column: (row // 2 + column // 3) % 2,
    lambda row, column: row * column % 2 + row * column % 3,
    lambda row, column: (row * column % 2 + row * column % 3) % 2,
    lambda row, column: ((row + column) % 2 + row * column % 3) % 2,
)


def read(picture: Image.Image) -> str:
    """The text of the code in ``picture``; the code and its quiet zone must fill the picture."""
    modules = modules_of(picture)
    size = len(modules)
    format_bits = _format(modules)
    mask = MASKS[format_bits >> 10 & 0b111]
    bits = "".join(
        str(modules[row][column] ^ (mask(row, column) == 0))
        for row, column in _path(size)
        if not _is_function(row, column, size)
    )
    if size == 29 and format_bits >> 13 in TWO_BLOCKS:
        words = [bits[at : at + 8] for at in range(0, 16 * TWO_BLOCKS[format_bits >> 13], 8)]
        bits = "".join(words[0::2] + words[1::2])
    assert bits[:4] == "0100", "the mode is not bytes"
    length = int(bits[4:12], 2)
    return bytes(int(bits[at : at + 8], 2) for at in range(12, 12 + 8 * length, 8)).decode("ascii")


def modules_of(picture: Image.Image) -> list[list[int]]:
    """A matrix with 1 for each dark module; asserts that there is a quiet zone around it."""
    grey = picture.convert("L")
    assert grey.width == grey.height, "the picture is not square"
    for size in (21, 25, 29):
        wide = grey.width / (size + 2 * QUIET)
        spots = [int((at + 0.5) * wide) for at in range(size + 2 * QUIET)]
        dark = [[int(grey.getpixel((x, y)) < 128) for x in spots] for y in spots]
        modules = [row[QUIET:-QUIET] for row in dark[QUIET:-QUIET]]
        if _has_corner(modules) and sum(map(sum, dark)) == sum(map(sum, modules)):
            return modules
    raise AssertionError("no code with a quiet zone is seen")


def _has_corner(modules: list[list[int]]) -> bool:
    ring = [1, 0, 0, 0, 0, 0, 1, 0]
    timing = modules[6][8:-8]
    return modules[1][:8] == ring and modules[5][:8] == ring and all(bit != n % 2 for n, bit in enumerate(timing))


def _format(modules: list[list[int]]) -> int:
    """Two bits for the error correction level, three for the mask, then their check bits."""
    places = [*((8, column) for column in (0, 1, 2, 3, 4, 5, 7, 8)), *((row, 8) for row in (7, 5, 4, 3, 2, 1, 0))]
    return int("".join(str(modules[row][column]) for row, column in places), 2) ^ FORMAT_MASK


def _path(size: int) -> Iterator[tuple[int, int]]:
    """Up and down in columns of two, from the right; the column of the timing pattern is skipped."""
    upwards = True
    for right in (*range(size - 1, 6, -2), 5, 3, 1):
        for row in range(size - 1, -1, -1) if upwards else range(size):
            yield row, right
            yield row, right - 1
        upwards = not upwards


def _is_function(row: int, column: int, size: int) -> bool:
    """Whether a module belongs to a function pattern and not to the data."""
    corner = (row < 9 and (column < 9 or column >= size - 8)) or (row >= size - 8 and column < 9)
    middle = size - 7
    aligned = size > 21 and abs(row - middle) <= 2 and abs(column - middle) <= 2
    return corner or aligned or row == 6 or column == 6
