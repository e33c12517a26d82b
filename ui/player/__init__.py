"""The player: one browser component that shows the facts of a scenario at any step."""
