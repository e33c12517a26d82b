"""Practice without end: ``/practice``, ``/practice?seed=7&level=3`` for one exercise, ``/practice?view=boxes``."""

from tidemark.ui.pages.kit import asking_page
from tidemark.ui.practice.desk import first, reply

asking_page("practice", first, reply)
