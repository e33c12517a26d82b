"""The colours of the plane, by their names as parameters of the chart."""

COLOURS = {
    "ink": "#161B26", "ink2": "#465063", "ink3": "#5E687A", "surface": "#FFFFFF", "band": "#F3F5F9",
    "behind": "#E9ECF2", "line": "#E1E5EB", "line2": "#C3CAD5", "on_time": "#1F5FBF", "late": "#B26A00",
    "dropped": "#8C1C13", "fired": "#2E8B57", "ahead": "#8A8A8A",
}  # fmt: skip
"""Colour parameters with their light values; the player sets them from the page's own tokens."""
