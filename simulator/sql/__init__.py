"""Flink SQL as a scenario: ``from_sql`` reads tables with watermarks and one query, and writes what they mean.

The way of a text: ``parsing`` makes statements of it, ``tables`` and ``settings`` read those before the query,
``relations`` finds what its ``FROM`` means, and ``aggregates``, ``ranks`` and ``joins`` find the operator that Flink's
planner would choose. ``records`` or ``made`` give the stream. The result is a scenario file that the one reader of
scenarios accepts; so a query that is read means in a scenario what it means in Flink, or it is refused at its place.

    >>> print(from_sql('''
    ...     CREATE TABLE orders (shop STRING, price DOUBLE, at_time TIMESTAMP(3),
    ...         WATERMARK FOR at_time AS at_time - INTERVAL '5' SECOND);
    ...     SELECT shop, SUM(price), window_start, window_end
    ...     FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at_time), INTERVAL '1' MINUTE))
    ...     GROUP BY shop, window_start, window_end'''))  # doctest: +ELLIPSIS
    # ...
"""

from tidemark.simulator.sql.problems import SqlProblem
from tidemark.simulator.sql.records import Files, RecordsProblem
from tidemark.simulator.sql.translation import from_sql

__all__ = ["Files", "RecordsProblem", "SqlProblem", "from_sql"]
