"""Small parts to write out: a till with a price list, a tax and a book; each shows one thing that a body may do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LIMIT = 1_000


class Book:
    """What was written, and how often."""

    def __init__(self) -> None:
        self.lines: list[Any] = []
        self.count = 0

    def write(self, line: Any) -> int:
        """Write one line; returns how many there are."""
        self.lines.append(line)
        self.count += 1
        return self.count


@dataclass(frozen=True, slots=True)
class Prices:
    """A price list that never changes."""

    by_name: dict[str, int]
    default: int = 5

    def of(self, name: str) -> int:
        """The price of a thing, whatever it is."""
        found = self.by_name.get(name)
        if found is None:
            return self.default
        return found


class Tax:
    """So many per cent; the rate may change."""

    def __init__(self, rate: int, book: Book | None = None) -> None:
        self.rate = rate
        self.book = book

    def change(self, rate: int) -> None:
        """From now on another rate."""
        self.rate = rate

    def on(self, price: int) -> int:
        """The price with the tax."""
        if self.book is not None:
            self.book.write(("tax", price))
        return price + price * self.rate // 100


class Till:
    """Sells things by name."""

    def __init__(self, prices: Prices, tax: Tax, book: Book, discount: Callable[[int], int] | None = None) -> None:
        self.prices = prices
        self.tax = tax
        self.book = book
        self.discount = discount
        self.sold = 0

    def sell_all(self, names: list[str], most: int = LIMIT) -> int:
        """Sell things, but none that is dearer than ``most``; returns the sum."""
        total = 0
        for name in names:
            if name == "":
                continue
            if name == "stop":
                break
            price = self.priced(name)
            if price > most:
                self.book.write(("too dear", name))
                continue
            total += price
            self.sold += 1
        return total

    def priced(self, name: str) -> int:
        """Its price, with tax and discount."""
        price = self.tax.on(self.prices.of(name))
        if self.discount is not None:
            price = self.discount(price)
        return price

    def in_order(self, names: list[str]) -> tuple[int, int, int]:
        """Arguments are worked out one after another."""
        last = 0
        for name in names:
            last = self.three(self.book.write("first " + name), self.sold, third=self.book.write("third " + name))
            self.sold += 10
        return last, self.sold, self.book.count

    def read_first(self, names: list[str]) -> list[int]:
        """What is read before a call is what it was before the call."""
        found = []
        for name in names:
            number = self.three(self.book.count, self.book.write(name), self.book.count)
            found.append(number)
        return found

    def three(self, first: int, second: int, third: int, fourth: int = 4) -> int:
        """A number that tells its arguments apart."""
        return ((first * 10 + second) * 10 + third) * 10 + fourth

    def largest(self, numbers: list[int]) -> tuple[int | None, int | None]:
        """A name that is set in one round and read in a later one keeps its value in between."""
        largest, before = None, None
        for number in numbers:
            if self.is_larger(number, largest):
                before = largest
                largest = number
        return largest, before

    def is_larger(self, number: int, than: int | None) -> bool:
        """Whether it is; any number is larger than none."""
        return than is None or number > than

    def shifted(self, numbers: list[int]) -> list[int]:
        """A name that was set to another one, which then changes."""
        last, found = 0, []
        for number in numbers:
            before = self.same(last)
            last = number
            found.append(before)
        return found

    def same(self, number: int) -> int:
        """The number."""
        return number

    def kept(self, numbers: list[int]) -> list[int]:
        """A conditional name that depends on a call, read after the branch."""
        found = []
        for number in numbers:
            doubled = self.doubled(number)
            if number % 2:
                odd = doubled
            found.append(odd if number > 1 else doubled)
        return found

    def doubled(self, number: int) -> int:
        """Twice as much; the parameter is used again."""
        if number:
            number = number + number
        return number

    def checked(self, numbers: list[int]) -> int:
        """Raises ``ValueError`` for a number beyond ``LIMIT``; what was counted before stays counted."""
        for number in numbers:
            self.sold += self.below(number)
        return self.sold

    def below(self, number: int) -> int:
        """The number, if it is not too large."""
        if number <= LIMIT:
            return number
        raise ValueError(f"{number} is too large")

    def chosen(self, numbers: list[int]) -> list[int]:
        """One call or another, by a condition that only the run knows."""
        found = []
        for number in numbers:
            value = self.doubled(number) if number > 2 else self.three(number, 0, 0)
            found.append(-value if not self.is_larger(value, 8) else value)
        return found

    def counted_down(self, numbers: list[int]) -> list[int]:
        """A loop of the called function's own."""
        return [each for number in numbers for each in self.steps(number)]

    def steps(self, number: int) -> list[int]:
        """From a number down to one."""
        found = []
        while number > 0 and self.is_larger(number, 0):
            found.append(number)
            number -= 1
        return found

    def first_dear(self, names: list[str]) -> str | None:
        """A ``return`` from within a loop."""
        for name in names:
            if self.prices.of(name) > LIMIT:
                return name
        return None

    def any_dear(self, lists: list[list[str]]) -> list[str | None]:
        """Calls the one before."""
        found = []
        for names in lists:
            dear = self.first_dear(names)
            found.append(dear)
        return found


def doubling(times: int) -> Callable[[int], int]:
    """A closure."""

    def several(price: int) -> int:
        return price * times

    return several
