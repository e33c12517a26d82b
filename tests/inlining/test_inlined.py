"""A method that was written out does what the method does, to the same objects."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.inlining import inlined, text_of

from tests.inlining.parts import Book, Prices, Tax, Till, doubling

NAMES = ["tea", "", "gold", "bread", "tea", "stop", "tea"]


def till(*, discount: Callable[[int], int] | None = None, audited: bool = False) -> Till:
    book = Book()
    tax = Tax(10, book if audited else None)
    return Till(Prices({"tea": 20, "gold": 5_000}), tax, book, discount)


def state(of: Till) -> Any:
    return of.sold, of.book.lines, of.book.count, of.tax.rate


CASES: dict[str, tuple[str, list[Any]]] = {
    "branches, early ends, continue, break": ("sell_all", NAMES),
    "arguments in their order": ("in_order", ["a", "b", "c"]),
    "what is read before a call": ("read_first", ["a", "b", "c"]),
    "a name for what then changes": ("shifted", [3, 1, 4]),
    "a name from an earlier round": ("largest", [3, 1, 4, 1, 5, 9, 2, 6]),
    "a name set now and then": ("kept", [1, 2, 3, 4, 5, 6]),
    "one call or another": ("chosen", [1, 2, 3, 4, 5]),
    "a loop within": ("counted_down", [3, 0, 2]),
    "a return from a loop": ("any_dear", [["tea"], ["tea", "gold", "tea"], []]),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("audited", [False, True])
@pytest.mark.parametrize("discount", [None, abs, doubling(3)], ids=["no discount", "built in", "closure"])
def test_result_and_state_are_the_same(case: str, audited: bool, discount: Callable[[int], int] | None) -> None:
    name, argument = CASES[case]
    called, written = till(discount=discount, audited=audited), till(discount=discount, audited=audited)
    arguments = (argument, 1_000) if name == "sell_all" else (argument,)
    assert inlined(getattr(written, name))(*arguments) == getattr(called, name)(*arguments)
    assert state(written) == state(called)


def test_what_is_known_is_decided_and_what_may_change_is_read_each_time() -> None:
    shop = till()
    text = text_of(shop.sell_all, most=100)
    assert "discount" not in text  # there is none, and it cannot be given later
    assert "most" not in text
    assert ".rate" in text
    sell = inlined(shop.sell_all, most=100)
    assert sell(["bread"]) == 5
    shop.tax.change(100)
    assert sell(["bread"]) == 10
    assert shop.sold == 2


def test_no_call_of_a_part_is_left() -> None:
    text = text_of(till().sell_all)
    for name in ("priced", "of", "on", "write"):
        assert f"{name}(" not in text
        assert f"{name}__" not in text


def test_an_error_comes_from_within_and_what_was_done_before_stays() -> None:
    shop = till()
    with pytest.raises(ValueError, match="5000 is too large"):
        inlined(shop.checked)([1, 2, 5_000, 3])
    assert shop.sold == 3


def test_it_can_go_on_where_the_method_left_off_and_back() -> None:
    called, mixed = till(), till()
    for number, name in enumerate(["tea", "bread", "gold", "tea"]):
        called.sell_all([name])
        (inlined(mixed.sell_all) if number % 2 else mixed.sell_all)(*([name], 1_000)[: 1 + number % 2])
    assert state(mixed) == state(called)


SHOP = """
class Shop:
    def __init__(self, tax):
        self.tax = tax
        self.total = 0

    def sell(self, prices):
        for price in prices:
            self.total += self.with_tax(price)
        return self.total

    def with_tax(self, price):
        return price + self.tax
"""


def loaded(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str = SHOP) -> Any:
    (folder / "a_shop.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "a_shop", raising=False)
    importlib.invalidate_caches()
    return importlib.import_module("a_shop")


def test_a_source_that_has_changed_since_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = loaded(tmp_path, monkeypatch).Shop(7)
    changed = SHOP.replace("price + self.tax", "price - self.tax")
    (tmp_path / "a_shop.py").write_text(changed, encoding="utf-8")
    assert inlined(shop.sell)([10, 20]) == 44
    assert "with_tax" in text_of(shop.sell)  # that one is called; the other is still what is loaded


def test_without_source_the_method_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = loaded(tmp_path, monkeypatch).Shop(7)
    (tmp_path / "a_shop.py").unlink()
    assert inlined(shop.sell) == shop.sell
    assert inlined(shop.sell, prices=[1, 2])() == 17


def test_an_attribute_that_is_set_outside_of_init_is_no_constant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rising = SHOP + "\n    def rise(self):\n        self.tax += 1\n"
    shop = loaded(tmp_path, monkeypatch, rising).Shop(7)
    sell = inlined(shop.sell)
    shop.rise()
    assert sell([10]) == 18


def test_a_function_that_somebody_has_put_in_its_place_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tax, "on", lambda self, price: 1)
    assert inlined(till().sell_all)(["tea", "tea"], 100) == 2
