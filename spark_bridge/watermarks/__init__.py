"""The watermark where it is no running maximum: idle channels, and emissions that depend on the one before.

Written for the bridge, with no Spark in it and nothing of the simulator's. ``order`` goes through a stream item by
item: ``sources`` make the watermarks of a channel, ``valve`` combines those of all.
"""
