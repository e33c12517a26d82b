"""``stream: {data: …}``: the records of a table in a file beside the scenario, read as a stream, in flat memory."""
