"""Messages where only plain text can be shown. ``ui/player/base/coded.js`` shows the same ones with code as code."""

import re

_BETWEEN_BACKTICKS = re.compile(r"`([^`\n]+)`")


def plain(message: str) -> str:
    """``message`` without the backticks around members, values and commands."""
    return _BETWEEN_BACKTICKS.sub(r"\1", message)
