"""The profiles of the examples, as JSON: see ``__main__``."""
