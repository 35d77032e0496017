"""Slowdowns published by Casas and Bronevetsky (Table I, on Cab), for comparison with predictions."""

SOURCE = "Casas and Bronevetsky, Table I"

APPLICATIONS = ("FFT", "Lulesh", "MCB", "MILC", "VPFFT", "AMG")
SLOWDOWN_PERCENT = (
    (45, 5, 3, 11, 12, 7),
    (5, 5, 3, 6, 2, 3),
    (3, 5, 4, 7, 5, 6),
    (25, 12, 1, 4, 3, 14),
    (9, 0, 2, 5, 7, 2),
    (0, 5, 4, 5, 3, 4),
)
"""Slowdown of the row's application by the column's, in percent of the isolated time."""
