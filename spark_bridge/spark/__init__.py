"""Spark itself: its Java, the sessions and the ways to one, jobs that can be cancelled, and what can go wrong."""
