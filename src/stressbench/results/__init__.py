"""What studies and sweeps found, as values: pure types and functions that reports draw and experiments return."""
