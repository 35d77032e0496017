"""Write time of the motif `mpiio` against Darshan's MPIIO_F_WRITE_TIME (StressBench III-B), summed over both ranks.

2 ranks write one file with MPI_File_write_at in transfers of 16 MB, once, under Darshan's library. Darshan reads its
clock around the call to MPI within its wrapper, the motif around the wrapper: the difference is what Darshan does in
between. Both count the bytes, which must be equal. The same launches as in benchmarks/storage_time.py, which takes the
engine's tracer in place of Darshan.

"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import compare
import storage_time
from peer import Setting
from sweep import Table, percent

GOAL = 0.001
MEGABYTES = (1000, 10_000)
TIME = "MPIIO_F_WRITE_TIME"
BYTES = "MPIIO_BYTES_WRITTEN"


@dataclass(frozen=True)
class Written:
    """Seconds and bytes of a file's writes, summed over the ranks."""

    time_s: float
    bytes: float


def darshan_figures(output: str, file: Path) -> Written:
    """What darshan-parser prints of a file's MPI-IO. Raises ValueError if there is nothing."""
    counters = {TIME: 0.0, BYTES: 0.0}
    found = False
    for module, counter, value, name in re.findall(r"^(\S+)\t-?\d+\t\d+\t(\S+)\t(\S+)\t(\S+)\t", output, re.MULTILINE):
        if module == "MPI-IO" and counter in counters and name == str(file):
            counters[counter] += float(value)
            found = True
    if not found:
        raise ValueError(f"Darshan's log has no MPI-IO on {file}")
    return Written(counters[TIME], counters[BYTES])


def launch(setting: Setting, megabytes: int) -> tuple[Written, Written]:
    """What the motif and Darshan say of the same launch."""
    data = setting.folder / "data"
    for log in setting.folder.glob("*.darshan"):
        log.unlink()
    library = setting.programs.path("libdarshan")
    prefix = ["env", f"LD_PRELOAD={library}", f"DARSHAN_LOGPATH={setting.folder}"]
    command = storage_time.motif(setting.engine, data, megabytes)
    output = setting.place.run(storage_time.RANKS, [*prefix, *command])
    (log,) = setting.folder.glob("*.darshan")
    parser = [setting.programs.path("darshan-parser"), str(log)]
    text = subprocess.run(parser, capture_output=True, text=True, check=True).stdout
    return Written(*storage_time.own_figures(output)), darshan_figures(text, data)


def row_of(megabytes: int, launches: list[tuple[Written, Written]], seed: int) -> tuple[tuple[str, ...], bool]:
    """The row of a file size, and whether it meets the goal. Raises ValueError if the numbers of bytes differ."""
    for own, other in launches:
        if own.bytes != other.bytes:
            raise ValueError(f"the motif wrote {own.bytes:.0f} bytes, Darshan counted {other.bytes:.0f}")
    ratio = compare.ratio([own.time_s for own, _ in launches], [other.time_s for _, other in launches], seed=seed)
    difference = ratio.within_blocks
    text = f"{difference.value - 1:+.3%} ({difference.low - 1:+.3%} to {difference.high - 1:+.3%})"
    met = abs(difference.value - 1) <= GOAL
    times = (f"{ratio.ours_s:.4f} s", f"{ratio.theirs_s:.4f} s")
    return (f"{megabytes / 1000:g} GB", *times, text, str(len(launches)), "yes" if met else "no"), met


def tables(setting: Setting) -> Iterator[Table]:
    """One table with both file sizes; the difference is the median over launches."""
    rows: list[tuple[str, ...]] = []
    missed = 0
    for full in setting.interruption.before(MEGABYTES):
        megabytes = setting.scaled(full)
        with setting.interruption.after(rows):
            launches = compare.repeat(
                partial(launch, setting, megabytes), blocks=setting.launches, interruption=setting.interruption
            )
            row, met = row_of(megabytes, launches, setting.seed)
            rows.append(row)
            missed += not met
    header = ("file", "write_time_s", TIME, "difference (95 % interval)", "launches", f"within {percent(GOAL)}")
    yield Table("Darshan", header, tuple(rows), missed)
