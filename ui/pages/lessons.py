"""Lessons: ``/lessons`` puts scenarios into lessons, a lecture and a first visit, and saves ``lessons.toml``."""

from tidemark.ui.library.lessons.desk import first, reply
from tidemark.ui.pages.kit import asking_page

asking_page("lessons", first, reply)
