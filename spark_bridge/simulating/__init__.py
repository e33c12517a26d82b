"""The simulator's side of a check: the processes that run it, each for its share of the keys."""
