"""Random scenarios for all laws, as Hypothesis strategies.

``flink.scenarios`` draws any scenario by Flink's rules, ``spark.scenarios`` any by Spark's. A law that can use only
some of them says so with ``Uses`` or with a strategy for the operator. Times often meet a border exactly, or miss it
by 1 ms: the end of a window, of its allowed lateness, of a gap or an interval, the bound of a watermark, a tick.
"""
