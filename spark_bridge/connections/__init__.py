"""The ways to a Spark session: started here, already there, or behind a Spark Connect server.

What the rest of the bridge needs from Spark besides DataFrames (cancelling, progress, ending it) goes through
``Connection`` and ``Jobs``. Nothing else knows whether Spark runs in this process's own Java.
"""
