"""What runs on a Spark Connect server: it is sent there by value, so it imports nothing from this project."""

from collections.abc import Callable

from pyspark.sql import DataFrame


def view_name(name: str, number: int) -> str:
    """The global temporary view of a batch's results."""
    return f"{name}_{number}"


def leaving(name: str) -> Callable[[DataFrame, int], None]:
    """The function of each batch: it runs on the server, with a session of its own."""

    def leave(rows: DataFrame, number: int) -> None:
        # The rows themselves: what they are made from is gone after the batch.
        copied = rows.sparkSession.createDataFrame(rows.toArrow(), rows.schema)
        copied.createOrReplaceGlobalTempView(view_name(name, number))

    return leave
