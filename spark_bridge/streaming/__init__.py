"""The streaming engine of the bridge: a scenario by Spark's rules as a real Structured Streaming query.

``exchange`` cuts the stream into micro-batches, brings them to Spark and the results back; ``run`` builds the query,
runs it and reads back what each micro-batch did; ``rows``, which needs no pyspark, compares that with the simulator's
rows.
"""
