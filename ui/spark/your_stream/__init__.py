"""The page *Your stream*: files of one's own, profiled by Spark; where they lie, the work, and what is shown of it."""
