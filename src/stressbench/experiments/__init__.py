"""The experiments behind the commands, as functions that take values, return results and report progress."""
