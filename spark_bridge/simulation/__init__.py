"""The simulator's side of a check: processes that each run a share of the keys."""
