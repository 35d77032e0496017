"""Launches of a program of somebody else's under one condition after the other: records, order, figures of merit."""
