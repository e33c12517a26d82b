"""The colours of an animation: those of the page and their blends with white, on the server and in the browser."""

from typing import Final

COLOURS: Final = {
    "ink": "#161B26", "ink2": "#465063", "ink3": "#5E687A", "surface": "#FFFFFF", "band": "#F3F5F9",
    "behind": "#E9ECF2", "line": "#E1E5EB", "line2": "#C3CAD5", "on_time": "#1F5FBF", "late": "#B26A00",
    "dropped": "#8C1C13", "fired": "#2E8B57", "ahead": "#8A8A8A",
}  # fmt: skip
"""The colours of the plane, as ``ui/theme/tokens.css`` has them on paper."""

TINTS: Final = ("#E8F0FB", "#FBF1E2", "#E6F3EC", "#EEF1F5", "#FFF4CC")
"""Light backgrounds of the page that are not colours of the plane."""

STRENGTHS: Final = (1, 0.87, 0.74, 0.61, 0.48, 0.36, 0.24, 0.13)
"""The shares of a colour in the pixels at the edge of a letter or a line."""


def colours() -> list[tuple[int, int, int]]:
    """Red, green and blue of each colour; fewer than 256, and a rare one counts as much as a common one."""
    made = [(255, 255, 255)]
    for colour in dict.fromkeys([*COLOURS.values(), *TINTS]):
        parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        for strength in STRENGTHS:
            red, green, blue = (round(255 - (255 - part) * strength) for part in parts)
            made.append((red, green, blue))
    assert len(made) < 256
    return made
