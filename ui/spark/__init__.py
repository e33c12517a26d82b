"""The Spark check as the app runs it: jobs in the background, and how their outcome is shown."""
