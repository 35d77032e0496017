"""b_eff together with Linpack's Rmax of the same ranks, from which the balance factor follows."""

import os
from dataclasses import dataclass
from pathlib import Path

from stressbench.errors import UserError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.linpack import HPCC, measure_rmax, require_hpcc, rmax_from_text
from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.suites import BEffOptions, SuiteLaunch, evaluate_b_eff, run_b_eff
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import LaunchTarget
from stressbench.suites.beff import BalancedBEff, BEff, balanced
from stressbench.suites.hpcc import Rmax


@dataclass(frozen=True, kw_only=True)
class RmaxChoice:
    """The source of Rmax: a `given` value, or a run of hpcc after b_eff (`by_hpcc`); neither: there is no Rmax."""

    given: Rmax | None = None
    by_hpcc: bool = False

    def require_target(self, target: LaunchTarget, *, on: str) -> None:
        """Raise LaunchMistake if hpcc is needed and cannot run on the launch target `on`."""
        if self.by_hpcc:
            require_hpcc(target, on=on)


@dataclass(frozen=True, kw_only=True)
class BEffWithRmax:
    """b_eff, and Rmax if it is known. `hpcc_fault`: why hpcc yielded no Rmax; b_eff is valid in any case."""

    b_eff: BEff
    rmax: Rmax | None = None
    hpcc_fault: str | None = None

    @property
    def status(self) -> ExitStatus:
        """`fault` if hpcc failed."""
        return ExitStatus.ok if self.hpcc_fault is None else ExitStatus.fault

    @property
    def balanced(self) -> BalancedBEff:
        """b_eff with Rmax and the balance factor, as `beff --json` prints it."""
        return balanced(self.b_eff, rmax_flops_per_s=None if self.rmax is None else self.rmax.flops_per_s)


def rmax_choice(text: str | None) -> RmaxChoice:
    """The choice from `hpcc` or a number of GFlop/s; None: no Rmax. Raises LaunchMistake."""
    if text is None or text == HPCC:
        return RmaxChoice(by_hpcc=text == HPCC)
    return RmaxChoice(given=rmax_from_text(text))


def evaluate_balanced_b_eff(protocol: Path, *, rmax: RmaxChoice) -> BEffWithRmax:
    """b_eff from a protocol file, with a given Rmax. Raises UserError if Rmax is to be measured, and SuiteFileError."""
    if rmax.by_hpcc:
        raise UserError(f"--rmax {HPCC}: needs a measurement; with --from give Rmax in GFlop/s")
    return BEffWithRmax(b_eff=evaluate_b_eff(protocol), rmax=rmax.given)


def measure_balanced_b_eff(
    launch: SuiteLaunch, options: BEffOptions, *, rmax: RmaxChoice, output: Path | None = None,
    progress: Progress = silent,
) -> BEffWithRmax:  # fmt: skip
    """Measure b_eff and then, if `rmax` demands it, Rmax on the same ranks. Raises as `run_b_eff`."""
    result = run_b_eff(launch, options, output=output, progress=progress)
    if not rmax.by_hpcc:
        return BEffWithRmax(b_eff=result, rmax=rmax.given)
    progress("b_eff is measured; running hpcc")
    try:
        measured = measure_rmax(
            launch.target, ranks=result.ranks,
            memory_bytes=None if result.memory_bytes is None else result.memory_bytes * result.ranks,
            engine=launch.engine, environment=os.environ,
        )  # fmt: skip
    except LaunchMistake as mistake:
        return BEffWithRmax(b_eff=result, hpcc_fault=str(mistake))
    return BEffWithRmax(b_eff=result, rmax=measured)
