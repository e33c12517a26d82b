"""What Spark counts of a stream, in one pass or two, and the figures that follow from the counts."""
