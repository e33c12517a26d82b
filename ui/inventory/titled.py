"""The part of an address that holds a whole scenario, with a title for those who open it."""

from collections.abc import Mapping

from tidemark.ui.share.links import token_of


def query_of(text: str, titles: Mapping[str, str]) -> dict[str, str]:
    """The query of a scenario that is in no file; ``titles`` by language, none of them with quotes in it."""
    said = ", ".join(f'{language}: "{title}"' for language, title in titles.items())
    return {"s": token_of(f"{text}title: {{{said}}}\n", json=False)}
