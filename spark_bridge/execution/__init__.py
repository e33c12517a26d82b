"""The batch engine as DataFrame operations. This package and ``spark_bridge.spark.session`` alone import pyspark.

A plan goes in, the rows of the contract come out, in the columns of ``spark_bridge.results.canonical``:

  ``source``     the records and the signals of the stream, made or read where they are used
  ``watermark``  the combined watermark before and after each of them: a prefix maximum in chunks
  ``firing``     which signal is the first to reach a given time
  ``values``     what a function computes over a pane, once and again as late records come
  ``windows``    panes, late and dropped records;  ``event_sort`` the sorted records
  ``rows``       all of it put together;  ``compare`` the two sides, inside Spark

Nothing here depends on how the data is partitioned, and nothing calls the simulator's operators.
"""
