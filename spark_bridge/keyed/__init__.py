"""What the order of records decides, key by key: plain functions over a key's records, written for Spark.

``windows``, ``table``, ``event_sort`` and ``interval_join`` are the operators of one key. Two ways lead through a
task's records. ``by_key`` takes one key after another and sees the combined watermark only where a record came: so a
firing says which watermark it waited for (``due``), and a join finds later which one that was. ``ordered`` takes all
keys side by side and is told every move of the watermark, for operators that the clock wakes too.
"""
