"""The rings of b_eff against those of hpcc, and b_eff against the original b_eff.c of HLRS.

hpcc: as in benchmarks/against_hpcc.py, where the differences are explained; here with two buffers that were written to
before, on both sides. Three ranks, since b_eff sends half of the messages in a ring of two.

b_eff.c (revision 3.6.0.1): the same rings, methods and sizes; loops of up to 500 ms, of 5 ms where it is compiled with
-D TEST, as here, and two random polygons and two attempts with -D SHORT and -D TEST. The motif measures as many
(`--polygons 2 --best-of 2 --random legacy`) with the same memory per rank, in loops of 2.5 to 5 ms as its paper
defines. b_eff.c sends from memory that it never wrote, all pages of which are one to Linux and stay in caches: here it
is written to when it is allocated. The compared time is that of a megabyte: 1 / bandwidth of all ranks. On a lab ranks
have a quarter of the memory, so that the longest message is 2 MiB and a launch takes a minute.

"""

import json
import re
from collections.abc import Iterator

import against_hpcc
import sweep
from peer import Setting

GOAL = sweep.Goal(0.10)
RANKS = 3
LOCAL_MEMORY_MIB = 1024
LAB_MEMORY_MIB = 256
"""Memory of a rank, as b_eff.toml builds b_eff.c with it."""

FIGURES = {
    "b_eff": "b_eff_bytes_per_s",
    "b_eff at Lmax": "b_eff_at_lmax_bytes_per_s",
    "b_eff at Lmax (ring pattern)": "rings_at_lmax_bytes_per_s",
}
"""What b_eff.c prints, and the motif's metric."""


def b_eff_times(protocol: str) -> dict[str, float]:
    """Seconds per megabyte from the protocol of b_eff.c (b_eff.short)."""
    patterns = {name: rf"^{re.escape(name)}: +([0-9.]+) MByte/s" for name in FIGURES}
    patterns["b_eff"] = r"^The effective bandwidth is b_eff = +([0-9.]+) MByte/s"
    found = {name: re.search(pattern, protocol, re.MULTILINE) for name, pattern in patterns.items()}
    missing = [name for name, match in found.items() if match is None]
    if missing:
        raise ValueError(f"b_eff.c printed no {', '.join(missing)}")
    return {name: 1 / float(match[1]) for name, match in found.items() if match}


def motif_times(output: str) -> dict[str, float]:
    """The same from the JSON of the motif."""
    (row,) = json.loads(output)["rows"]
    return {name: 1e6 / row["metrics"][metric][0]["mean"] for name, metric in FIGURES.items()}


def hpcc_sweep(setting: Setting) -> sweep.Sweep:
    """The rings of hpcc."""
    start = setting.place.starter(RANKS)
    seeds = iter(range(setting.seed, setting.seed + setting.launches + 1))
    return sweep.Sweep(
        ("hpcc",),
        lambda: against_hpcc.ours(start, setting.engine, RANKS, setting.folder, buffered=2, seed=next(seeds)),
        lambda: against_hpcc.hpcc(start, RANKS, setting.folder, touched_buffers=True),
    )


def b_eff_sweep(setting: Setting) -> sweep.Sweep:
    """The original b_eff."""
    memory = LOCAL_MEMORY_MIB if setting.place.is_local else LAB_MEMORY_MIB
    motif = [
        str(setting.engine), "motif", "b_eff", "--polygons", "2", "--best-of", "2", "--random", "legacy",
        "--memory", f"{memory}MiB", "--repetitions", "1", "--warmup", "0", "--json",
    ]  # fmt: skip
    program = ["env", *against_hpcc.WRITTEN_BUFFERS, setting.programs.path(f"b_eff-{memory}"), "-f", "b_eff"]

    def theirs() -> sweep.Times:
        setting.place.run(RANKS, program, folder=setting.folder)
        return b_eff_times((setting.folder / "b_eff.short").read_text())

    return sweep.Sweep(("b_eff.c",), lambda: motif_times(setting.place.run(RANKS, motif)), theirs)


def hpcc_tables(setting: Setting) -> Iterator[sweep.Table]:
    """Times of a message of 2,000,000 bytes."""
    yield sweep.measure(
        [hpcc_sweep(setting)], title="hpcc, time of a message", about=("program", "ring"), theirs="hpcc", goal=GOAL,
        launches=setting.launches, seed=setting.seed, interruption=setting.interruption,
    )  # fmt: skip


def b_eff_tables(setting: Setting) -> Iterator[sweep.Table]:
    """Times of a megabyte."""
    yield sweep.measure(
        [b_eff_sweep(setting)], title="b_eff.c, time of a megabyte", about=("program", "figure"), theirs="b_eff.c",
        goal=GOAL, launches=setting.launches, seed=setting.seed, interruption=setting.interruption,
    )  # fmt: skip
