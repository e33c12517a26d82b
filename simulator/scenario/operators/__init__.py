"""The operators that a scenario names, one file each: configuration, and what the program asks about the operator."""
