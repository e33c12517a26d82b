"""The streaming engine of the bridge: a scenario by Spark's rules as a real Structured Streaming query.

``batches`` cuts the stream into micro-batches, ``exchange`` brings them to Spark and the results back (``server``:
behind a Spark Connect server), ``query`` builds the query, ``drive`` runs it and reads back what each micro-batch did,
``comparing`` compares that with the simulator's rows, ``run`` does everything. pyspark is not imported in ``batches``,
``rows``, ``comparing`` and ``planting``.
"""
