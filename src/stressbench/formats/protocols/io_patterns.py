"""Access patterns of b_eff_io: Table 2 of Rabenseifner and Koniges, by pattern number."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Chunk(StrEnum):
    """Sizes of contiguous chunks on disk, in the order of Figure 3 of the paper."""

    kib = "1 kB"
    kib_8 = "1 kB + 8"
    kib_32 = "32 kB"
    kib_32_8 = "32 kB + 8"
    mib = "1 MB"
    mib_8 = "1 MB + 8"
    part = "M_PART"


TYPES = (0, 1, 2, 3, 4)
TYPE_NAMES = ("scatter", "shared", "separate", "segmented", "seg. coll.")
TYPE_TITLES = (
    "0: strided, scattered collectively",
    "1: strided, shared pointer",
    "2: separate files",
    "3: segmented file",
    "4: segmented file, collective",
)
WEIGHTS = (2, 1, 1, 1, 1)
_SMALL_CHUNKS = (
    (Chunk.kib_32, 1),
    (Chunk.kib, 1),
    (Chunk.kib_32_8, 1),
    (Chunk.kib_8, 1),
    (Chunk.mib_8, 2),
)
_SEPARATE = ((Chunk.mib, 0), (Chunk.part, 2), (Chunk.mib, 2), *_SMALL_CHUNKS)
_BY_TYPE: tuple[tuple[tuple[Chunk, int], ...], ...] = (
    (
        (Chunk.mib, 0), (Chunk.part, 4), (Chunk.mib, 4), (Chunk.mib, 4), (Chunk.kib_32, 2), (Chunk.kib, 2),
        (Chunk.kib_32_8, 2), (Chunk.kib_8, 2), (Chunk.mib_8, 2),
    ),
    ((Chunk.mib, 0), (Chunk.part, 4), (Chunk.mib, 2), *_SMALL_CHUNKS),
    _SEPARATE,
    (*_SEPARATE, (Chunk.mib, 0)),
    (*_SEPARATE, (Chunk.mib, 0)),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of Table 2. `units`: scheduled time in 64ths of T, 0 for a single call.

    `fills_segment`: the pattern writes the rest of the segment.
    """

    number: int
    pattern_type: int
    chunk: Chunk
    units: int
    fills_segment: bool


def _table_rows() -> Mapping[int, Row]:
    rows_by_number: dict[int, Row] = {}
    for pattern_type, rows in enumerate(_BY_TYPE):
        for index, (chunk, units) in enumerate(rows):
            number = len(rows_by_number)
            fills_segment = pattern_type >= 3 and index == len(rows) - 1
            rows_by_number[number] = Row(
                number=number, pattern_type=pattern_type, chunk=chunk, units=units, fills_segment=fills_segment
            )
    return rows_by_number


TABLE_2 = _table_rows()
