"""The watermark as plain Python and numpy, with no Spark in it and nothing of the simulator's.

``order`` goes through a stream item by item, where the watermark is no running maximum: with idle channels, and
emissions that depend on the one before. ``behind`` finds it for tasks that go through parts of a stream side by side,
``sieve`` which of their records matter to windows.
"""
