"""Speed, measured side by side in one run and reported as a ratio."""
