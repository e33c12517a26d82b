"""The files generated from the schemas are up to date."""

from tests.reference.files import stale
from tests.reference.typescript import declarations, unknown_kinds


def test_no_generated_file_is_stale() -> None:
    assert not stale(), "regenerate them: make reference"


def test_the_declarations_know_every_kind() -> None:
    assert list(unknown_kinds()) == []


def test_a_status_is_a_union_of_its_words() -> None:
    assert 'export type WindowStatus = "open" | "fired" | "cleared" | "merged";' in declarations()
