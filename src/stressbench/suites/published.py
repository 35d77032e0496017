"""Results published by Rabenseifner and Koniges, for comparison. They are not measurements of StressBench."""

from dataclasses import dataclass

_PAPER = "Rabenseifner and Koniges, The Parallel Communication and I/O Bandwidth Benchmarks: b_eff and b_eff_io"
SOURCE = f"{_PAPER}, Table 1"
IO_SOURCE = f"{_PAPER}, Figure 3"


@dataclass(frozen=True, kw_only=True)
class Published:
    """A row of Table 1: bandwidths in MB/s (10^6 bytes), `lmax_mb` in MB; None where the table has no value."""

    system: str
    processors: int
    b_eff: float
    per_processor: float
    lmax_mb: int
    pingpong: float | None
    at_lmax: float
    per_processor_at_lmax: float
    rings_per_processor_at_lmax: float


def _row(
    system: str, processors: int, b_eff: float, per_processor: float, lmax_mb: int, pingpong: float | None,
    at_lmax: float, per_processor_at_lmax: float, rings: float,
) -> Published:  # fmt: skip
    return Published(
        system=system, processors=processors, b_eff=b_eff, per_processor=per_processor, lmax_mb=lmax_mb,
        pingpong=pingpong, at_lmax=at_lmax, per_processor_at_lmax=per_processor_at_lmax,
        rings_per_processor_at_lmax=rings,
    )  # fmt: skip


TABLE_1 = (
    _row("Cray T3E/900-512", 512, 19919, 39, 1, 330, 50018, 98, 193),
    _row("Cray T3E/900-512", 256, 10056, 39, 1, 330, 22738, 89, 190),
    _row("Cray T3E/900-512", 128, 5620, 44, 1, 330, 12664, 99, 195),
    _row("Cray T3E/900-512", 64, 3159, 49, 1, 330, 7044, 110, 192),
    _row("Cray T3E/900-512", 24, 1522, 63, 1, 330, 3407, 142, 205),
    _row("Cray T3E/900-512", 2, 183, 91, 1, 330, 421, 210, 210),
    _row("Hitachi SR 8000 round-robin", 128, 3695, 29, 8, 776, 11609, 90, 105),
    _row("Hitachi SR 8000 round-robin", 24, 915, 38, 8, 741, 2764, 115, 110),
    _row("Hitachi SR 8000 sequential", 24, 1806, 75, 8, 954, 5415, 226, 400),
    _row("Hitachi SR 2201", 16, 528, 33, 2, None, 1451, 91, 96),
    _row("NEC SX-5/8B", 4, 5439, 1360, 2, None, 35047, 8762, 8758),
    _row("NEC SX-4/32", 16, 9670, 604, 2, None, 50250, 3141, 3242),
    _row("NEC SX-4/32", 8, 5766, 641, 2, None, 28439, 3555, 3552),
    _row("NEC SX-4/32", 4, 2622, 656, 2, None, 14254, 3564, 3552),
    _row("HP-V 9000", 7, 435, 62, 8, None, 1135, 162, 162),
    _row("SGI Cray SV1-B/16-8", 15, 1445, 96, 4, 994, 5591, 373, 375),
)


@dataclass(frozen=True, kw_only=True)
class PublishedIO:
    """A system of Figure 3: partition `size`, scheduled time T in `minutes`, and b_eff_io in MB/s (10^6 bytes)."""

    system: str
    size: str
    minutes: int
    b_eff_io: float


FIGURE_3 = (
    PublishedIO(system="IBM RS 6000/SP blue Pacific, LLNL", size="128 nodes", minutes=30, b_eff_io=63),
    PublishedIO(system="Cray T3E/900-512, HLRS", size="32 PEs", minutes=30, b_eff_io=57),
    PublishedIO(system="Hitachi SR 8000, HLRS", size="16 nodes", minutes=15, b_eff_io=41),
    PublishedIO(system="NEC SX-5Be/32M2, HLRS", size="4 processors", minutes=30, b_eff_io=60),
)
