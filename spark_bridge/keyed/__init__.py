"""What the order of records decides, one key at a time: a plain function over a key's records, written for Spark.

A task sees the records of its keys and, of each, the combined watermark at its arrival; not the watermarks between.
So a firing says which watermark it waited for (``due``), and a join finds later which one that was.
"""
