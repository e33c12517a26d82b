"""The library: all scenarios as cards, with a picture of each made from its own facts."""
