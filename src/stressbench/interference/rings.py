"""A compression as a job beside the probes that read it, and a text for both (Casas and Bronevetsky, III-B, IV-C).

Each host holds one rank of a probe's pair and one of the ring. Pure: who runs it is not told here.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from stressbench.formats.profiles.profile import Configuration
from stressbench.formats.run import Run
from stressbench.interference.pingpongs import Probing

RANKS_PER_NODE = 2
"""A probe's and the ring's."""
_REPETITION_S = 0.05
_REPETITION_BYTES = 1 << 20
_SHARED = f"[SHARED] yes\n[RANKS_PER_NODE] {RANKS_PER_NODE // 2}\n"


class Pairing(StrEnum):
    """Which hosts of a list probe each other: each its neighbour, or the first half the second half."""

    linear = "linear"
    interleaved = "interleaved"

    def nodes(self, pair: int, *, pairs: int) -> tuple[int, int]:
        """Of this pair, both counted from 0; as the engine's --place would put jobs of two nodes."""
        return (2 * pair, 2 * pair + 1) if self is Pairing.linear else (pair, pair + pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """A rank on each of the first `nodes` nodes. `loops`: iterations that count as one repetition, because each of
    those leaves a record in the run file, and a bubble may be as short as 10 us.
    """

    configuration: Configuration
    nodes: int
    loops: int

    @property
    def job(self) -> str:
        """As a job of a .sb file, in the background: it goes on until the probes of a round are through."""
        one = self.configuration
        return (
            f"[JOB_NAME] ring\n[NID_LIST] 0-{self.nodes - 1}\n{_SHARED}[ROLE] background\n[REPEAT] 1\n"
            f"[LOOP] {self.loops}\n"
            f"[MOTIF] compression --partners {one.partners} --messages {one.messages} --size {one.message_bytes}B "
            f"--pause {round(one.pause_s * 1e9)}ns\n"
            "[END]\n"
        )


def ring_of(configuration: Configuration, *, nodes: int) -> Ring:
    """Repetitions of a twentieth of a second or 1 MiB a rank, whichever is less, as far as one can tell beforehand."""
    sent = configuration.partners * configuration.messages * configuration.message_bytes
    return Ring(
        configuration=configuration,
        nodes=nodes,
        loops=max(1, min(round(_REPETITION_S / configuration.pause_s), _REPETITION_BYTES // sent)),
    )


def paced(ring: Ring, run: Run) -> Ring:
    """The same ring with repetitions of a twentieth of a second, now that `run` tells how long one takes."""
    samples = run.samples_of(job=len(run.jobs) - 1)
    took_s = np.empty(0) if samples is None else samples.time_max_s[np.isfinite(samples.time_max_s)]
    if not len(took_s) or not np.median(took_s) > 0:
        return ring
    return replace(ring, loops=max(1, round(_REPETITION_S / (float(np.median(took_s)) / ring.loops))))


def workload_of(probing: Probing, ring: Ring, *, pairing: Pairing) -> str:
    """The text of a .sb file: pairs that probe, which are measured, and the ring."""
    pairs = "".join(
        probing.job(pair, where=f"[NID_LIST] {first},{second}\n{_SHARED}")
        for pair in range(probing.pairs)
        for first, second in (pairing.nodes(pair, pairs=probing.pairs),)
    )
    return f"# probes and a ring of `stressbench compress`\n{pairs}{ring.job}"
