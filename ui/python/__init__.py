"""Tidemark for Python: scenarios, runs, queries, charts and the player for scripts and notebooks.

The public names are those of ``tidemark`` itself (``tidemark.PUBLIC``), which loads each where it is first used. What
needs a library that a core installation lacks says which extra has it (``frames.needs``).
"""
