"""What the commands do, callable from Python: functions that take values and return results, and print nothing."""
