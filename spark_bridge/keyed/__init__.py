"""What depends on the order of records, key by key: plain functions over the records of a key, written for Spark.

``datastream``, ``table``, ``local_slices`` and ``operators`` have the operators of one key, ``context`` what they work
with. Two ways lead through a task's records. ``by_key`` takes one key after another and sees the combined watermark
only where a record comes. So a firing reports the watermark that it waited for (``due``), and a join finds later which
step reached that. ``ordered`` takes all keys side by side and sees every move of the watermark, for operators with
processing-time timers.
"""
