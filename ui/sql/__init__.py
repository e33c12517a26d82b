"""The page SQL: a query is run, and each stage of it can be stepped through."""
