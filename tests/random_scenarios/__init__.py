"""Random scenarios for all laws, as Hypothesis strategies.

``flink.scenarios`` draws any scenario under Flink's rules, ``spark.scenarios`` any under Spark's. A law that applies
to only some of them passes ``Uses`` or a strategy for the operator. Times often meet a border exactly or miss it by
1 ms: the end of a window, of its allowed lateness, of a gap or an interval, the bound of a watermark, a tick.
"""
