"""What `impact` and `compress` put beside a program: probes, or probes and a ring."""

from dataclasses import dataclass

from stressbench.cli.errands import Errand
from stressbench.interference.congestor_ring import RANKS_PER_NODE


@dataclass(frozen=True, kw_only=True)
class Companion:
    """What runs beside a program, a workload of probes; `ranks_per_node` of its `ranks` share a host.

    `name`: of its files; `called`: in sentences.
    """

    name: str
    called: str
    workload: str
    ranks: int
    ranks_per_node: int
    placement: str | None


def probes_of_errand(errand: Errand) -> Companion:
    """Probes and nothing else, one rank a host."""
    return Companion(
        name="probes", called="probes", workload=errand.probing.workload, ranks=errand.probes, ranks_per_node=1,
        placement=errand.placement,
    )  # fmt: skip


def with_ring(errand: Errand, workload: str) -> Companion:
    """Probes and a ring, on all hosts: `workload` says which rank is which."""
    return Companion(
        name="ring", called="probes and ring", workload=workload, ranks=errand.companions,
        ranks_per_node=RANKS_PER_NODE, placement=None,
    )  # fmt: skip
