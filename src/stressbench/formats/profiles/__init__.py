"""Sensitivity profiles and measured co-runs: models, readers and writers."""
