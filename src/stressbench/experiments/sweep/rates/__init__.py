"""Injection bandwidth sweeps: workloads or programs at several rates, and their slowdown (Pedretti et al.)."""
