"""The rows of both sides in the one form in which they are compared, their digests, and the report of a check."""
