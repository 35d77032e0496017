"""The storage motifs against IOR: POSIX, MPI-IO and HDF5, one shared file (N-1) and a file per rank (N-N).

Both sides write 32 MiB per rank to new files and read them back, with transfers of 64 KiB or 1 MiB from one buffer,
independent calls, without sync. The motif `posix` seeks and writes as IOR does (`--call write`). Bandwidth is bytes of
all ranks / time from the first open to the last close on both sides; the time of this table is 64 MiB divided by it,
the median over 10 repetitions within a launch. IOR sets the size of a new file to 0 after it opened it with MPI-IO,
which makes its close slower on some file systems (docs/benchmarks/peers.md); so does the motif `mpiio` with
`--truncate`.

The first repetition is not counted on either side: the first MPI_File_open of a process loads the components of Open
MPI that read and write files, which takes as long as hundreds of transfers. IOR counts it (`-i 1` has nothing else),
the engine warms up. With `--first-open`, further tables show by how much this changes bandwidths: they compare the
first opens of both sides with each other, and IOR's first with the engine's later ones.

"""

import json
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import compare
import sweep
from peer import Setting

from stressbench.console.escaping import escaped

GOAL = sweep.Goal(0.02)
RANKS = 2
RANK_BYTES = 32 << 20
TRANSFERS = (65536, 1 << 20)
REPETITIONS = 10  # of a launch, after the first
BACKENDS = {
    "POSIX": ("posix", ("--call", "write"), ()),
    "MPIIO": ("mpiio", ("--call", "MPI_File_write_at"), ("--truncate",)),
    "HDF5": ("hdf5", (), ()),
}
"""The motif of each backend of IOR, its options, and those of writing."""
LAYOUTS = {"N-1": ("one", ()), "N-N": ("rank", ("-F",))}
"""The motif's choice of --files for each layout, and IOR's option."""


@dataclass(frozen=True)
class Access:
    """What is compared: a backend of IOR, the layout of files and the bytes of a transfer."""

    backend: str
    layout: str
    transfer: int

    def ior_words(self, program: str, file: Path, *options: str) -> list[str]:
        """Command line of IOR, with the options that say what it does to the file."""
        return [
            program, "-a", self.backend, "-t", str(self.transfer), "-b", str(RANK_BYTES), *LAYOUTS[self.layout][1],
            "-o", str(file), *options,
        ]  # fmt: skip

    def motif_words(self, engine: Path, file: Path, *options: str, does: str = "write_read") -> list[str]:
        """Command line of the motif, likewise. `does`: its option --do."""
        motif, own_options, writing_options = BACKENDS[self.backend]
        return [
            str(engine), "motif", motif, *own_options, *(() if does == "read" else writing_options),
            "-t", str(self.transfer), "-s", str(RANK_BYTES), "--files", LAYOUTS[self.layout][0], "-f", str(file),
            "--json", "--do", does, *options,
        ]  # fmt: skip


def ior_bandwidths(output: str) -> dict[str, list[float]]:
    """Bytes/s of each repetition, by `write` and `read`, from IOR's table of results."""
    results = output.partition("Results:")[2].partition("Summary of all tests:")[0]
    bandwidths: dict[str, list[float]] = {}
    for way, figure in re.findall(r"^(write|read) +(\d+(?:\.\d+)?) ", results, re.MULTILINE):
        bandwidths.setdefault(way, []).append(float(figure) * (1 << 20))
    if not bandwidths:
        raise ValueError(f"IOR printed no results:\n{escaped(output)}")
    return bandwidths


def motif_bandwidths(output: str) -> dict[str, list[float]]:
    """The same from the JSON of a storage motif."""
    (row,) = json.loads(output)["rows"]
    found = {}
    for way in ("write", "read"):
        spreads = row["metrics"].get(f"{way}_bandwidth_bytes_per_s")
        if spreads:
            found[way] = [float(spread["mean"]) for spread in spreads]
    return found


def times(bandwidths: dict[str, list[float]], *, skipped: int = 0) -> dict[str, float]:
    """Median time (s) by `write` and `read`, without the first `skipped` repetitions."""
    return {way: RANKS * RANK_BYTES / statistics.median(found[skipped:]) for way, found in bandwidths.items()}


class Runs:
    """Launches of both programs on files of a setting."""

    def __init__(self, setting: Setting, access: Access) -> None:
        """Nothing is started yet."""
        self._setting = setting
        self._access = access
        self._ior = setting.programs.path("ior")
        self._files = (setting.folder / "ior", setting.folder / "motif")

    def _run_ior(self, *options: str) -> dict[str, list[float]]:
        words = self._access.ior_words(self._ior, self._files[0], *options)
        return ior_bandwidths(self._setting.place.run(RANKS, words))

    def _run_motif(self, *options: str, does: str = "write_read") -> dict[str, list[float]]:
        words = self._access.motif_words(self._setting.engine, self._files[1], *options, does=does)
        return motif_bandwidths(self._setting.place.run(RANKS, words))

    def ior(self) -> dict[str, float]:
        """Times of IOR without the first repetition."""
        return times(self._run_ior("-w", "-r", "-i", str(REPETITIONS + 1)), skipped=1)

    def motif(self) -> dict[str, float]:
        """Times of the motif without the first repetition."""
        return times(self._run_motif("--repetitions", str(REPETITIONS), "--warmup", "1"))

    def first_ior(self) -> dict[str, float]:
        """Times of IOR with the first open of a process: it writes in one launch and reads in another."""
        return times(self._run_ior("-w", "-k") | self._run_ior("-r"))

    def first_motif(self) -> dict[str, float]:
        """Times of the motif with the first open of a process."""
        once = ("--repetitions", "1", "--warmup", "0")
        written = self._run_motif("--keep", "--overwrite", *once, does="write")
        return times(written | self._run_motif("--existing", *once, does="read"))


def accesses() -> Iterator[Access]:
    """All backends, layouts and transfers."""
    for backend in BACKENDS:
        for layout in LAYOUTS:
            for transfer in TRANSFERS:
                yield Access(backend, layout, transfer)


def _table(setting: Setting, title: str, sweeps: Iterator[sweep.Sweep]) -> sweep.Table:
    return sweep.measure(
        sweeps, title=title, about=("IOR", "files", "transfer", "way"), theirs="IOR", goal=GOAL,
        launches=setting.launches, seed=setting.seed, interruption=setting.interruption,
    )  # fmt: skip


def _what(access: Access) -> tuple[str, str, str]:
    return access.backend, access.layout, compare.size_in_words(access.transfer)


def tables(setting: Setting) -> Iterator[sweep.Table]:
    """All accesses without the first open; if that is asked for, MPI-IO with it."""
    every = ((access, Runs(setting, access)) for access in accesses())
    yield _table(setting, "IOR", (sweep.Sweep(_what(access), runs.motif, runs.ior) for access, runs in every))
    if not setting.first_open:
        return
    chosen = [Access("MPIIO", layout, TRANSFERS[0]) for layout in LAYOUTS]
    both = ((access, Runs(setting, access)) for access in chosen)
    title = "IOR, the first open of a process on both sides"
    yield _table(setting, title, (sweep.Sweep(_what(a), r.first_motif, r.first_ior) for a, r in both))
    mixed = ((access, Runs(setting, access)) for access in chosen)
    title = "IOR with its first open, the engine warmed up"
    yield _table(setting, title, (sweep.Sweep(_what(a), r.motif, r.first_ior) for a, r in mixed))
