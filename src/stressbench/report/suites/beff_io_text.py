"""b_eff_io as the text files of other tools: the summary of the original program, and blocks like those of SKaMPI 5.

Rows of the summary have the columns that the plot scripts of the original read: ranks, `PEs`, position of the chunk on
the axis, chunk in bytes, access method, and MB/s (10^6 bytes) of the five pattern types, 0 where nothing was measured.
"""

from collections.abc import Iterator, Sequence

from stressbench.formats.protocols.beff_io import Access
from stressbench.formats.protocols.io_patterns import TYPE_TITLES, TYPES, Chunk
from stressbench.formats.units import minutes_text
from stressbench.suites.beff_io import BEffIO, Partition, PatternValue


def summary_text(result: BEffIO) -> str:
    """Bandwidth by chunk, access method and pattern type of each partition, its value, and that of the system."""
    return "".join(f"{line}\n" for line in _summary_lines(result))


def skampi_text(result: BEffIO) -> str:
    """One block for each partition, access method and pattern type: chunk in bytes, seconds of a call, calls.

    The time of a call is that of the pattern over the calls of a rank; a chunk with two patterns has two rows.
    """
    return "".join(f"{line}\n" for line in _skampi_lines(result))


def _summary_lines(result: BEffIO) -> Iterator[str]:
    scheduled = minutes_text(result.head.scheduled_s)
    for partition in result.partitions:
        yield f"Summary of b_eff_io on {partition.ranks} processes (partition {partition.name}), T = {scheduled}"
        yield "  n PEs pos   chunk access  " + " ".join(f"{f'type{number}':>10}" for number in TYPES) + "  [MB/s]"
        for access in Access:
            for position, chunk in enumerate(Chunk, start=1):
                values = (partition.value_at(access, number, chunk) for number in TYPES)
                yield (
                    f"{partition.ranks:3} PEs {position:3} {_chunk_bytes(partition.patterns, chunk):>7} {access:<7} "
                    + " ".join(f"{(value or 0) / 1e6:10.3f}" for value in values)
                )
        for one in partition.accesses:
            yield f"{one.access} = {_megabytes(one.value)} on {partition.ranks} processes"
        yield f"b_eff_io of these {partition.ranks} processes = {_megabytes(partition.value)}"
    best = "" if result.best is None else f" on {result.best} processes"
    number = _megabytes(result.b_eff_io)
    yield f"b_eff_io = {number}{best}, scheduled time = {scheduled}, release {result.head.release}.x"


def _megabytes(value: float | None) -> str:
    return "undefined" if value is None else f"{value / 1e6:.3f} MB/s"


def _chunk_bytes(patterns: Sequence[PatternValue], chunk: Chunk) -> str:
    """Bytes of the chunk on disk; `-` if it was not measured."""
    return next((str(one.chunk_bytes) for one in patterns if one.chunk is chunk), "-")


def _skampi_lines(result: BEffIO) -> Iterator[str]:
    measured = f"b_eff_io, release {result.head.release}.x, {result.head.ranks} ranks"
    yield f"# {measured}; rows: chunk [bytes], time of a call [s], calls"
    for partition in result.partitions:
        for access in Access:
            for number in TYPES:
                rows = [one for one in partition.patterns if one.access is access and one.pattern_type == number]
                yield from _block(partition, access, number, [one for one in rows if one.calls and one.time_s > 0])


def _block(partition: Partition, access: Access, pattern_type: int, rows: Sequence[PatternValue]) -> Iterator[str]:
    if not rows:
        return
    name = f"b_eff_io-{access}-type{pattern_type}-{partition.name}"
    yield f'begin result "{name}"'
    yield f"# {TYPE_TITLES[pattern_type]}; {partition.label}"
    for one in sorted(rows, key=lambda one: (one.chunk_bytes, one.number)):
        yield f"chunk= {one.chunk_bytes:10} {one.time_s * partition.ranks / one.calls:.6e} {one.calls}"
    yield f'end result "{name}"'
