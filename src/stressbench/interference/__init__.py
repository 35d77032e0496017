"""Interference between applications (Casas and Bronevetsky): probes, queueing model, profiles, predictors. Pure."""
