"""What is wrong with a stream: rules over records in memory (``judge``), fed by Spark (``looking``)."""
