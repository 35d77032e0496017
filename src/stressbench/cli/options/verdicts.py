"""Options of reports: the topology of the machine, and the limits of verdicts."""

from typing import Annotated, TypeAlias

import typer

from stressbench.cli.options.share import share
from stressbench.report.run.options import DEFAULT_OPTIONS, ReportOptions, VerdictLimits, report_options

LIMITS = DEFAULT_OPTIONS.limits
BUSY_SHARE = f"{LIMITS.busy_above:.0%}"
TopologyWord: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--topology",
        metavar="FILE|LAB",
        help="Network of the machine: a lab file or a shipped lab, Slurm's topology.conf, the output of ibnetdiscover, "
        "or a topology file (.toml); default: what run files tell.",
        show_default=False,
    ),
]
SlowedAbove: TypeAlias = Annotated[
    float,
    typer.Option(
        "--slowed-above", metavar="RATIO", help="A job is slowed if the 95 % interval of its impact lies above this."
    ),
]
TailAbove: TypeAlias = Annotated[
    float,
    typer.Option(
        "--tail-above", metavar="RATIO", help="A tail grew if the 95 % interval of its impact lies above this."
    ),
]
BusyAbove: TypeAlias = Annotated[
    str, typer.Option("--busy-above", metavar="SHARE", help="A link is busy above this share of its rate.")
]


def verdict_options(topology: str | None, *, slowed_above: float, tail_above: float, busy_above: str) -> ReportOptions:
    """The values of these options. Raises UserError, also for a topology that cannot be read."""
    busy = share(busy_above, option="--busy-above", zero=False)
    limits = VerdictLimits(slowed_above=slowed_above, tail_above=tail_above, busy_above=busy)
    return report_options(topology, limits)
