"""Experiments on interference: impact (ImpactB), compression (CompressionB), and predictions from their profiles."""
