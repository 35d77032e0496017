"""Options of a report on runs: the topology of the machine, and the limits of verdicts."""

from dataclasses import dataclass, field

from stressbench.errors import UserError
from stressbench.formats.topology import Network
from stressbench.formats.units import UnitError, check_share

_LARGEST_RATIO = 1000.0


@dataclass(frozen=True, kw_only=True)
class VerdictLimits:
    """Limits above which a report says that a job is slowed, that its tail grew, or that a link is busy.

    `slowed_above` and `tail_above` are ratios of contended to isolated times, from 1 to 1,000; `busy_above` is a share
    of a link's rate between 0 and 1. Raises UserError for other numbers.
    """

    slowed_above: float = 1.05
    tail_above: float = 1.1
    busy_above: float = 0.5

    def __post_init__(self) -> None:
        for option, ratio in (("--slowed-above", self.slowed_above), ("--tail-above", self.tail_above)):
            if not 1 <= ratio <= _LARGEST_RATIO:
                expected = (
                    f"expected a ratio of contended to isolated time from 1 to {_LARGEST_RATIO:,.0f}, such as 1.05"
                )
                raise UserError(f"{option} {ratio:g}: {expected}")
        try:
            check_share(self.busy_above, zero=False)
        except UnitError as mistake:
            raise UserError(f"--busy-above {self.busy_above:g}: {mistake}") from None


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """The `network` that the runs used, None for what the run files themselves tell, and the `limits` of verdicts."""

    network: Network | None = None
    limits: VerdictLimits = field(default_factory=VerdictLimits)


DEFAULT_OPTIONS = ReportOptions()


def report_options(topology: str | None, limits: VerdictLimits) -> ReportOptions:
    """Options with the network of the lab or the file that `topology` names. Raises TopologyMistake or LabMistake."""
    if topology is None:
        return ReportOptions(limits=limits)
    from stressbench.labs.networks import read_network  # labs take a while to import

    return ReportOptions(network=read_network(topology), limits=limits)
