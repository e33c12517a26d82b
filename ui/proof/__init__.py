"""What proves a scenario's rows on this machine: recordings of real Flink, and checks that Spark ran."""
