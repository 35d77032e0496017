"""Schedules and calls in the formats of other tools, one module a format. Pure."""
