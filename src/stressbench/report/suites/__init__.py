"""The figures of suites: one file each."""
