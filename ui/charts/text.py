"""How wide a text is on the plane, about: good enough to judge what has room. The browser measures for itself."""

_NARROW = frozenset("ilI.,:;|' ()[]")
_WIDE = frozenset("mwMW→↻∞⋈∅…")


def width(text: str, size: float = 13) -> float:
    """Width (px) of ``text`` in the interface font at ``size``, half-bold."""
    return sum(0.3 if letter in _NARROW else 0.84 if letter in _WIDE else 0.54 for letter in text) * size
