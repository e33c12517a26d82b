"""Charts: what Altair draws (no rows in it) and the rows that go into it."""
