"""Proofs of a scenario's rows on this machine: recordings of real Flink, and checks by Spark."""
