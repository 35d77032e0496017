"""Compares a workload with the application that it stands for: their calls, and their times."""
