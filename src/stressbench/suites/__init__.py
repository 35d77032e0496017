"""Suites: benchmarks that are more than a workload, and what their numbers are made of. Pure, starts nothing."""
