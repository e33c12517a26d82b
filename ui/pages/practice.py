"""Practice without end: ``/practice``, ``/practice?seed=7&level=3`` for one exercise, ``/practice?view=boxes``."""

from tidemark.ui.learning.practice.desk import first, reply
from tidemark.ui.pages.kit import asking_page

asking_page("practice", first, reply)
