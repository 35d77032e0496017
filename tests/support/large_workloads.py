"""Workloads of thousands of jobs on a large machine."""

from itertools import cycle

MOTIFS = ("halo2d -x 1000 -y 1000", "allreduce -c 100", "sendrecv -s 64KiB", "tealeaf -x 400 -y 400")


def large_workload(*, jobs: int, nodes: int) -> str:
    """Jobs that use all nodes: half of them name strided nodes of the first half, the others ask for any nodes.

    `jobs` must be even and divide `nodes`.
    """
    each, listed, motifs = nodes // jobs, jobs // 2, cycle(MOTIFS)
    texts = [
        f"[NID_LIST] {number}-{nodes // 2 - 1}:{listed}" if number < listed else f"[NODES] {each}"
        for number in range(jobs)
    ]
    return "".join(
        f"[JOB_NAME] job{number}\n{text}\n[MOTIF] {motif}\n"
        for number, (text, motif) in enumerate(zip(texts, motifs, strict=False))
    )
