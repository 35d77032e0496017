"""Evaluation of the benchmark suites b_eff and b_eff_io, and of HPC Challenge output. Pure functions."""
