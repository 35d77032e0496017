"""What others measured: Table I of Casas and Bronevetsky, on Cab. For comparison, never as a measurement of ours."""

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
"""How much slower, in percent, the application of a row is beside that of a column."""
