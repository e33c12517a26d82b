"""Random clicking for hours: four browsers on one server, as a class that hits every key and button would.

``choosing`` draws an action, ``acting`` does it in a page, ``watching`` says what must not happen, ``memory`` whether
the server grows, ``keeping`` writes down what led to a failure. ``python -m tests.monkey`` puts them together.
"""
