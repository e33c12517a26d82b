"""Benchmarks: most measure two programs side by side in one run and report their ratio."""
