"""Results of studies and sweeps: pure types and functions, returned by experiments and rendered by reports."""
