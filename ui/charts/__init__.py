"""Charts: the Altair chart, which contains no rows, and the rows that fill it."""
