"""What Spark has to compute, as plain numbers and columns: nothing here imports pyspark."""
