"""The Spark check in the app: background jobs, and the display of their results."""
