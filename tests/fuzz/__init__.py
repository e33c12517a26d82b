"""Hostile input at length: what comes from outside is damaged at random, and must be read or refused with a message.

``targets`` names the doors through which input comes, each with some sound inputs; ``damage`` damages them; ``running``
hands a damaged input to its door within limits of time and memory. ``python -m tests.fuzz`` does that for an hour,
``test_fuzz.py`` for a moment.
"""
