"""A scenario's operator over records in files: laid out for the batch engine, written to files, checked."""
