"""`stressbench.beff` and `stressbench.beff_io`: effective bandwidths of a network and of a file system."""

import os
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from stressbench.api.presentation import Reported
from stressbench.api.progress import Report, reporting_to
from stressbench.experiments.file_system import FileSystemSpec
from stressbench.experiments.linpack import HPCC, measure_rmax, require_hpcc, rmax_from_text
from stressbench.experiments.suites import (
    SuiteLaunch,
    evaluate_b_eff,
    evaluate_b_eff_io,
    motif_options,
    run_b_eff,
    run_b_eff_io,
    suite_launch,
)
from stressbench.launch.targets import resolve_target
from stressbench.report.document import Document
from stressbench.report.suites import beff as beff_documents
from stressbench.report.suites import beff_io as beff_io_documents
from stressbench.suites.beff import BalancedBEff, BEff, balanced
from stressbench.suites.beff_io import BEffIO
from stressbench.suites.hpcc import Rmax

if TYPE_CHECKING:
    from stressbench.api.labs import Lab


class BEffResults(Reported[BalancedBEff]):
    """The effective bandwidth of a network: `data.b_eff` in bytes/s, with its components (schema/beff.schema.json)."""

    def __init__(self, data: BEff, *, rmax: Rmax | None = None) -> None:
        super().__init__(balanced(data, rmax_flops_per_s=None if rmax is None else rmax.flops_per_s))
        self._rmax = rmax

    def __repr__(self) -> str:
        return f"<BEffResults of {self.data.ranks} ranks: {self.data.b_eff:.4g} bytes/s>"

    def _brief(self) -> Document:
        return beff_documents.brief(self.data, rmax=self._rmax)

    def _page(self) -> Document:
        return beff_documents.page(self.data, rmax=self._rmax)


class BEffIOResults(Reported[BEffIO]):
    """The effective bandwidth of a file system: `data.b_eff_io` in bytes/s (schema/beff-io.schema.json).

    It is None for the reason in `data.missing`, for example if the measurement was interrupted.
    """

    def __repr__(self) -> str:
        return f"<BEffIOResults of {self.data.head.ranks} ranks>"

    @property
    def complete(self) -> bool:
        """Whether the benchmark was completed."""
        return self.data.complete

    def _brief(self) -> Document:
        return beff_io_documents.brief(self.data)

    def _page(self) -> Document:
        return beff_io_documents.page(self.data)


def beff(
    *, ranks: int | None = None, on: "str | Lab" = "local", memory: str | None = None, lmax: str | None = None,
    random: str | None = None, seed: int = 1, quick: bool = False, extra: bool = False, verify: bool = False,
    rmax: float | str | None = None, output: str | PathLike[str] | None = None,
    engine: str | PathLike[str] | None = None, progress: Report | None = None,
) -> BEffResults:  # fmt: skip
    """Measure the effective bandwidth b_eff of the network between the ranks; this takes minutes.

        stressbench.beff(ranks=8, on="lab:tiny", quick=True).data.b_eff       # bytes/s

    Parameters are the options of `stressbench beff`. Sizes are texts such as "256KiB". `rmax`: Linpack's Rmax in
    GFlop/s, or "hpcc" to measure it. `output` keeps the protocol, which `stressbench.read` evaluates again.

    Must be called in the main thread. Raises `stressbench.StressBenchError` if something is wrong or the run failed.
    """
    balance = None if rmax is None or rmax == HPCC else rmax_from_text(str(rmax))
    launch = _launch(ranks, on, engine=engine, seed=seed, verify=verify)
    if rmax == HPCC:
        require_hpcc(launch.target, on=str(on))
    options = motif_options(
        ("--memory", memory), ("--lmax", lmax), ("--random", random), flags=(("--quick", quick), ("--extra", extra))
    )
    result = run_b_eff(launch, options, output=_path(output), progress=reporting_to(progress))
    if rmax == HPCC:
        balance = measure_rmax(
            launch.target, ranks=result.ranks,
            memory_bytes=None if result.memory_bytes is None else result.memory_bytes * result.ranks,
            engine=launch.engine, environment=os.environ,
        )  # fmt: skip
    return BEffResults(result, rmax=balance)


def beff_io(
    *, ranks: int | None = None, on: "str | Lab" = "local", time: str | None = None, partitions: Sequence[int] = (),
    release: int = 1, file: str | PathLike[str] | None = None, memory: str | None = None, mpart: str | None = None,
    limit: str | None = None, hints: Mapping[str, object] | None = None, shared_pointers: bool = True,
    types: Sequence[int] = (), keep: bool = False, overwrite: bool = False, verify: bool = False, seed: int = 1,
    cache_bytes: int | None = None, output: str | PathLike[str] | None = None,
    engine: str | PathLike[str] | None = None, progress: Report | None = None,
) -> BEffIOResults:  # fmt: skip
    """Measure the effective bandwidth b_eff_io of a file system; this takes the scheduled `time`.

        stressbench.beff_io(ranks=4, time="60s", file="/scratch/me/b_eff_io").data.b_eff_io        # bytes/s

    Parameters are the options of `stressbench beff-io`. Times and sizes are texts with a unit. `cache_bytes`: the size
    of the file system's cache, to check that enough was written. `output` keeps the protocol, which `stressbench.read`
    evaluates again. The result of an interrupted measurement is incomplete.

    Must be called in the main thread. Raises `stressbench.StressBenchError` if something is wrong, or nothing was
    measured.
    """
    spec = FileSystemSpec(
        time=time, partitions=_listed(partitions), release=str(release), file=None if file is None else str(file),
        memory=memory, mpart=mpart, limit=limit, no_shared=not shared_pointers, types=_listed(types), keep=keep,
        overwrite=overwrite, hints=tuple(f"{name}={value}" for name, value in (hints or {}).items()),
    )  # fmt: skip
    spec.check()
    launch = _launch(ranks, on, engine=engine, seed=seed, verify=verify)
    result, _ = run_b_eff_io(
        launch, spec.motif_options(launch), output=_path(output), cache_bytes=cache_bytes,
        progress=reporting_to(progress),
    )  # fmt: skip
    return BEffIOResults(result)


def read_beff(path: Path) -> BEffResults:
    """b_eff from the last execution in a protocol. Raises SuiteFileError."""
    return BEffResults(evaluate_b_eff(path))


def read_beff_io(path: Path) -> BEffIOResults:
    """b_eff_io from the last execution in a protocol. Raises SuiteFileError."""
    return BEffIOResults(evaluate_b_eff_io(path))


def _launch(
    ranks: int | None, on: "str | Lab", *, engine: str | PathLike[str] | None, seed: int, verify: bool
) -> SuiteLaunch:
    target = resolve_target(str(on), environment=os.environ)
    return suite_launch(target, ranks, on=str(on), engine=_path(engine), seed=str(seed), verify=verify)


def _listed(numbers: Sequence[int]) -> str | None:
    return ",".join(map(str, numbers)) or None


def _path(value: str | PathLike[str] | None) -> Path | None:
    return None if value is None else Path(value)
