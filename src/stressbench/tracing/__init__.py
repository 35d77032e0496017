"""Pure functions on MPI traces: call sequences and their comparison, profiles, suitability for replay."""
