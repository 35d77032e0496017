"""The congestion levels that `compress` measures, the hosts of the congestor ring, and the number of program runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from stressbench.experiments.interference.ring_values import MIN_PAUSE_S
from stressbench.experiments.interference.spec import require_positive, require_time
from stressbench.formats.profiles.profile import PAPER_MESSAGE_BYTES, Configuration, PauseAfter
from stressbench.interference.compression import (
    PAPER_CLOCK_HZ,
    PAPER_CYCLES,
    PAPER_MESSAGES,
    PAPER_PARTNERS,
    configuration_grid,
)
from stressbench.interference.congestor_ring import RANKS_PER_NODE, ProbePairing
from stressbench.interference.queueing import Service
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import LaunchTarget

PROGRAM_RUNS = 4
WORKLOAD_RUNS = 1
MAX_CANDIDATES = 10_000
"""The most combinations of partners, pauses and numbers of messages; the paper has 40."""


@dataclass(frozen=True, kw_only=True)
class RingPlan:
    """At most `max_levels` congestion levels are measured, on a ring with one rank on each of `nodes` hosts.

    `measures_all`: those of all `candidates`. Otherwise they are selected one by one, with `changes_pauses` also with
    pauses between those of the candidates. `runs`: runs of the program, isolated and beside each level. `pairing`:
    which hosts probe each other. `packets`: service time of the ring's packets on the loaded link, None: unknown.
    """

    candidates: tuple[Configuration, ...]
    max_levels: int
    measures_all: bool
    changes_pauses: bool
    runs: int
    nodes: int
    pairing: ProbePairing
    packets: Service | None

    def background_ranks(self, target: LaunchTarget, *, pairs: int) -> int:
        """Ranks of a launch of probes and ring: on all hosts of the target, so that no host must be selected."""
        return RANKS_PER_NODE * max(self.nodes, 2 * pairs, target.host_count or 0)


def ring_plan(
    target: LaunchTarget, *, target_name: str, pairs: int, by_rounds: bool, levels: int | None = 8,
    nodes: int | None = None,
    runs: int | None = None, partners: Sequence[int] = (), pauses_s: Sequence[float] = (),
    clock_hz: float = PAPER_CLOCK_HZ,
    messages: Sequence[int] = (), message_bytes: int = PAPER_MESSAGE_BYTES,
    pause_after: PauseAfter = PauseAfter.partner,
    pairing: ProbePairing = ProbePairing.linear, packets: Service | None = None,
) -> RingPlan:  # fmt: skip
    """Check the parameters of the congestor ring. Empty ones become the paper's, whose pauses are cycles of `clock_hz`.

    `levels`: the largest number of congestion levels, None for all combinations. `by_rounds`: whether one launch yields
    several times, as the rounds of a workload do. Raises LaunchMistake.
    """
    require_positive("--runs", runs)
    require_positive("--levels", levels)
    require_positive("--message-size", message_bytes)
    for option, values in (("--partners", partners), ("--messages", messages)):
        for value in values:
            require_positive(option, value)
    for pause_s in pauses_s:
        require_time("--bubbles", pause_s, least_s=MIN_PAUSE_S)
    ring_nodes = _nodes(nodes, target, target_name=target_name, pairs=pairs)
    _require_few_candidates(partners, pauses_s, messages)
    candidates = configuration_grid(
        partners=_partners(partners, nodes=ring_nodes),
        pauses_s=tuple(dict.fromkeys(pauses_s)) or [cycles / clock_hz for cycles in PAPER_CYCLES],
        messages=tuple(dict.fromkeys(messages)) or PAPER_MESSAGES,
        message_bytes=message_bytes,
        pause_after=pause_after,
    )
    changes_pauses = levels is not None and not pauses_s
    most = len(candidates) if levels is None else levels if changes_pauses else min(levels, len(candidates))
    return RingPlan(
        candidates=candidates, max_levels=most, measures_all=not changes_pauses and most == len(candidates),
        changes_pauses=changes_pauses,
        runs=runs or (WORKLOAD_RUNS if by_rounds else PROGRAM_RUNS), nodes=ring_nodes, pairing=pairing,
        packets=packets,
    )  # fmt: skip


def _require_few_candidates(*values: Sequence[object]) -> None:
    """Raise LaunchMistake for values with too many combinations."""
    if (candidates := prod(max(1, len(given)) for given in values)) > MAX_CANDIDATES:
        options = "--partners, --bubbles and --messages"
        raise LaunchMistake(f"{options}: {candidates} combinations: expected at most {MAX_CANDIDATES}")


def _nodes(requested: int | None, target: LaunchTarget, *, target_name: str, pairs: int) -> int:
    hosts = target.host_count
    if requested is None:
        return max(2, 2 * pairs if hosts is None else hosts)
    if requested < 2:
        raise LaunchMistake(f"--nodes: {requested} is not at least 2: each rank of a ring sends to another one")
    if hosts is not None and requested > max(hosts, 2):
        raise LaunchMistake(f"--nodes: {requested} hosts; --on {target_name} has {hosts}")
    return requested


def _partners(requested: Sequence[int], *, nodes: int) -> tuple[int, ...]:
    if not requested:
        return tuple(sorted({min(count, nodes - 1) for count in PAPER_PARTNERS}))
    if max(requested) >= nodes:
        raise LaunchMistake(
            f"--partners: {max(requested)} partners need {max(requested) + 1} ranks; the ring has {nodes}"
        )  # fmt: skip
    return tuple(dict.fromkeys(requested))
