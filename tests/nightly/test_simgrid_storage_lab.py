"""The I/O nodes of a lab, simulated and on the lab itself: times of files, and bytes on the links to the I/O nodes."""

import pytest
from support.lab_bench import RATE, SERVED, isolated, isolated_s, job

from stressbench.formats.run import Run, read_run
from stressbench.stats import summarise

MIB = 2**20
GATHERED = "--hint romio_cb_write=enable,cb_nodes=1"
"""As Open MPI does on the lab: one rank collects what the others write."""


def carried(run: Run, *, reads: bool) -> list[int]:
    """Bytes to I/O nodes in each round, or with `reads` from them, frame headers included.

    Not those of the other direction: TCP acknowledges each frame or every second one there, 2 to 4 % of the bytes.
    """
    links = [[(link.source if reads else link.target, link.bytes) for link in one.links or ()] for one in run.rounds]
    return [sum(count for end, count in one if end.startswith("io")) for one in links]


@pytest.mark.parametrize(
    ("nodes", "motif", "hints", "expected_s"),
    [
        ("0", "posix -s 8MiB -t 1MiB --sync -f ${SCRATCH}/w", "", 8 * MIB * 8 / RATE),
        ("0,1", "posix -s 4MiB -t 1MiB --files rank --do read --shift 1 --drop-caches -f ${SCRATCH}/r", "",
         8 * MIB * 8 / RATE),
        # Three of four hosts send what they write to one, which then writes all of it.
        ("0-3", "mpiio -s 4MiB -n MPI_File_write_all -f ${SCRATCH}/a", GATHERED, (12 + 16) * MIB * 8 / RATE),
    ],
    ids=["write", "read", "collective"],
)  # fmt: skip
def test_a_file_takes_as_long_and_as_many_bytes_as_on_the_lab(
    simulator, lab_up, measured, few_samples, nodes: str, motif: str, hints: str, expected_s: float
) -> None:
    """10 %: of the lab's time, opening, syncing and closing are a part. 5 %: of its bytes, requests and answers are."""
    simulated = simulator.run(job("w", nodes, f"{motif} {hints}"), simulator.lab("served", SERVED), *isolated(1))
    (simulated_s,) = isolated_s(summarise(simulated))
    reads = "--do read" in motif
    (simulated_bytes,) = carried(simulated, reads=reads)

    bench = lab_up("tapered-io", SERVED)
    found = bench.run(job("w", nodes, motif), *isolated(few_samples))

    assert simulated_s == pytest.approx(expected_s, rel=0.02)
    times = [one / simulated_s for one in isolated_s(found)]
    measured.median(f"time of {motif}: lab / simulation", times, expected=1, within=0.1)
    sizes = [one / simulated_bytes for one in carried(read_run(bench.folder / "w.jsonl"), reads=reads)]
    measured.median(f"bytes of {motif}: lab / simulation", sizes, expected=1, within=0.05)
