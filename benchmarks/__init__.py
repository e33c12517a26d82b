"""Speed, measured side by side in one run and told as a ratio."""
