"""Injection bandwidth: workloads or programs at one rate after the other, and their slowdown (Pedretti et al.)."""
