"""``make mutants``: the code is broken on purpose, one line at a time, and something must notice each time.

``faults/*.toml`` is the table: where, what stands there, what takes its place, what that means, and who should find it.
"""
