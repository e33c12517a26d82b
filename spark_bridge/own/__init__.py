"""A scenario's operator over records of one's own: on Spark, written to files, and checked against the simulator."""
