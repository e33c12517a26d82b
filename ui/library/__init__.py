"""The library: all scenarios as cards, each with a picture drawn from its own facts."""
