"""Compares a workload with the application that it models: their calls, and their times."""
