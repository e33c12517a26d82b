"""From a stream of any length to the few records that show one thing, as a scenario: same record, same reason."""
