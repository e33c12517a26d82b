"""The batch engine as DataFrame operations. This package and ``spark_bridge.spark.session`` alone import pyspark.

A plan goes in, the rows of the contract come out, in the columns of ``spark_bridge.results.canonical``:

  ``source``     the records and the signals of the stream, made or read where they are used
  ``watermark``  the combined watermark before and after each of them, a prefix maximum in chunks; and which step of it
                 is the first to reach a given time
  ``windows``    panes with their values, once and again as late records come; late and dropped records
  ``operators``  joins, sort, deduplication, Top-N, OVER;  ``keyed`` what only a function for each key can do
  ``engine``     all of it put together;  ``compare`` the two sides, inside Spark

Nothing here depends on how the data is partitioned, and nothing calls the simulator's operators.
"""
