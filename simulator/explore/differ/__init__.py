"""The smallest stream that tells two scenarios apart: the streams that are tried, the search, and what it found."""
