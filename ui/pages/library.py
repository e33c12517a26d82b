"""The library page: every scenario as a card, and every broken file with its problem."""

from tidemark.ui.pages.shelf import shelf

shelf("library")
