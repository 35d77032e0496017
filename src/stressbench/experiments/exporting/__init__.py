"""Exports of traces and workloads for simulators and trace viewers."""
