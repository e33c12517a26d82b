"""The ways to a Spark session: one started here, one that is there already, one behind a Spark Connect server.

What the rest of the bridge needs of Spark beyond DataFrames (to cancel what runs, to know how far it is, to end it)
goes through ``Connection`` and ``Jobs``. Nothing else knows whether Spark runs in this process's own Java.
"""
