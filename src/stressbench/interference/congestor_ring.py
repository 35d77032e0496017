"""The congestor ring of a compression measurement and its probes as one workload (Casas and Bronevetsky, III-B, IV-C).

Each host has one rank of a pair of probes and one rank of the ring. This module runs no program.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from stressbench.formats.profiles.profile import Configuration
from stressbench.formats.run import Run
from stressbench.interference.probes import ROUND_S, ProbeSchedule

RANKS_PER_NODE = 2
"""One rank of a probe and one of the ring."""
_REPETITION_S = 0.05
_REPETITION_BYTES = 1 << 20
_STEADY_ROUND_S = 600.0
_SHARED = f"[SHARED] yes\n[RANKS_PER_NODE] {RANKS_PER_NODE // 2}\n"


class ProbePairing(StrEnum):
    """Which hosts probe each other: neighbours in the list, or the first half with the second half."""

    linear = "linear"
    interleaved = "interleaved"

    def nodes(self, pair: int, *, pairs: int) -> tuple[int, int]:
        """The two nodes of a pair, both counted from 0, as the engine's --place would assign jobs of two nodes."""
        return (2 * pair, 2 * pair + 1) if self is ProbePairing.linear else (pair, pair + pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class CongestorRing:
    """A congestor ring with one rank on each of the first `nodes` nodes.

    `loops`: iterations per repetition. A pause can be as short as 10 us, and the run file has a record per repetition,
    so one iteration per repetition would produce too many records.
    """

    configuration: Configuration
    nodes: int
    loops: int

    @property
    def job(self) -> str:
        """The ring as a congestor job of a workload, which runs until the probes of a round have finished."""
        one = self.configuration
        return (
            f"[JOB_NAME] ring\n[NID_LIST] 0-{self.nodes - 1}\n{_SHARED}[ROLE] background\n[REPEAT] 1\n"
            f"[LOOP] {self.loops}\n"
            f"[MOTIF] compression --partners {one.partners} --messages {one.messages} --size {one.message_bytes}B "
            f"--pause {round(one.pause_s * 1e9)}ns --pause-after {one.pause_after}\n"
            "[END]\n"
        )


def congestor_ring(configuration: Configuration, *, nodes: int) -> CongestorRing:
    """A ring with repetitions that take about 50 ms or send 1 MiB per rank, whichever is less."""
    sent = configuration.partners * configuration.messages * configuration.message_bytes
    return CongestorRing(
        configuration=configuration,
        nodes=nodes,
        loops=max(1, min(round(_REPETITION_S / configuration.round_pause_s), _REPETITION_BYTES // sent)),
    )


def with_measured_pace(ring: CongestorRing, run: Run) -> CongestorRing:
    """The ring with repetitions of 50 ms, from its times in `run`, a launch with probes; unchanged without times."""
    samples = run.samples_of(job=len(run.jobs) - 1)
    durations_s = np.empty(0) if samples is None else samples.time_max_s[np.isfinite(samples.time_max_s)]
    if not len(durations_s) or not np.median(durations_s) > 0:
        return ring
    return replace(ring, loops=max(1, round(_REPETITION_S / (float(np.median(durations_s)) / ring.loops))))


def ring_workload(
    probing: ProbeSchedule, ring: CongestorRing, *, pairing: ProbePairing, is_steady: bool = False
) -> str:  # fmt: skip
    """A workload (.sb text) with the probe pairs as measured jobs and the ring as congestor.

    With `is_steady`, rounds take ten minutes instead of a second: between two rounds, the ring sends nothing.
    """
    seconds = _STEADY_ROUND_S if is_steady else ROUND_S
    pairs = "".join(
        probing.job(pair, where=f"[NID_LIST] {first},{second}\n{_SHARED}", seconds=seconds)
        for pair in range(probing.pairs)
        for first, second in (pairing.nodes(pair, pairs=probing.pairs),)
    )
    return f"# probes and a ring of `stressbench compress`\n{pairs}{ring.job}"
