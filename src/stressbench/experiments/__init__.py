"""Experiments: what the commands do, as functions that take values, return results and report progress."""
