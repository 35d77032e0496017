"""`stressbench.beff` and `stressbench.beff_io`: effective bandwidths of a network and of a file system."""

import os
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from stressbench.api.failures import RmaxFailed
from stressbench.api.presentation import Reported
from stressbench.api.progress import Report, reporting_to
from stressbench.experiments.balance import (
    BEffWithRmax,
    evaluate_balanced_b_eff,
    measure_balanced_b_eff,
    rmax_choice,
)
from stressbench.experiments.io_settings import (
    DEFAULT_TIME,
    default_file,
    partition_names,
    pattern_types,
    require_io_settings,
)
from stressbench.experiments.suites import (
    BEffIOOptions,
    BEffOptions,
    evaluate_b_eff_io,
    run_b_eff_io,
    suite_launch,
)
from stressbench.launch.targets import resolve_target
from stressbench.report.document import Document
from stressbench.report.suites import beff as beff_documents
from stressbench.report.suites import beff_io as beff_io_documents
from stressbench.report.suites.beff_io_text import skampi_text, summary_text
from stressbench.suites.beff import BalancedBEff
from stressbench.suites.beff_io import BEffIO

if TYPE_CHECKING:
    from stressbench.api.labs import Lab


class BEffResults(Reported[BalancedBEff]):
    """The effective bandwidth of a network: `data.b_eff` in bytes/s, with its components (schema/beff.schema.json)."""

    def __init__(self, measured: BEffWithRmax, *, sources: Iterable[Path] = ()) -> None:
        super().__init__(measured.balanced, sources=sources)
        self._rmax = measured.rmax

    def __repr__(self) -> str:
        return f"<BEffResults of {self.data.ranks} ranks: {self.data.b_eff:.4g} bytes/s>"

    def _title(self) -> str:
        return f"b_eff of {self.data.ranks:,} ranks"

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

    def summary(self) -> str:
        """The result as the original program's summary, as `--summary` writes it."""
        return summary_text(self.data)

    def skampi(self) -> str:
        """All patterns as result blocks like SKaMPI's, as `--skampi` writes them."""
        return skampi_text(self.data)

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

    Must be called in the main thread. Raises `stressbench.StressBenchError` if something is wrong or the run failed,
    and `stressbench.RmaxFailed` if only hpcc failed.
    """
    choice = rmax_choice(None if rmax is None else str(rmax))
    target = resolve_target(str(on), environment=os.environ)
    choice.require_target(target, on=str(on))
    launch = suite_launch(target, ranks, on=str(on), engine=_path(engine), seed=str(seed), verify=verify)
    options = BEffOptions(memory=memory, longest=lmax, random_patterns=random, quick=quick, extra=extra)
    measured = measure_balanced_b_eff(
        launch, options, rmax=choice, output=_path(output), progress=reporting_to(progress)
    )  # fmt: skip
    results = BEffResults(measured, sources=_sources(output))
    if measured.hpcc_fault is not None:
        raise RmaxFailed(measured.hpcc_fault, status=measured.status, results=results)
    return results


def beff_io(
    *, ranks: int | None = None, on: "str | Lab" = "local", time: str | None = None,
    partitions: Sequence[int | str] = (),
    release: int = 1, file: str | PathLike[str] | None = None, memory: str | None = None, mpart: str | None = None,
    limit: str | None = None, hints: Mapping[str, object] | None = None,
    pattern_hints: Mapping[int, Mapping[str, object]] | None = None, random: bool = False, shared_pointers: bool = True,
    types: Sequence[int] = (), keep: bool = False, overwrite: bool = False, verify: bool = False, seed: int = 1,
    cache_bytes: int | None = None, output: str | PathLike[str] | None = None,
    engine: str | PathLike[str] | None = None, progress: Report | None = None,
) -> BEffIOResults:  # fmt: skip
    """Measure the effective bandwidth b_eff_io of a file system; this takes the scheduled `time`.

        stressbench.beff_io(ranks=4, time="60s", file="/scratch/me/b_eff_io").data.b_eff_io        # bytes/s

    Parameters are the options of `stressbench beff-io`. Times and sizes are texts with a unit; partitions are numbers
    of ranks, or texts such as "2x4" and "r0-3+8"; `pattern_hints` are hints by the number of a pattern. `cache_bytes`:
    the size of the file system's cache, to check that enough was written. `output` keeps the protocol, which
    `stressbench.read` evaluates again. The result of an interrupted measurement is incomplete.

    Must be called in the main thread. Raises `stressbench.StressBenchError` if something is wrong, or nothing was
    measured.
    """
    hint_texts = tuple(f"{name}={value}" for name, value in (hints or {}).items())
    pattern_hint_texts = tuple(
        f"{number}:{name}={value}" for number, of_it in (pattern_hints or {}).items() for name, value in of_it.items()
    )
    require_io_settings(
        release=str(release), time=time, memory=memory, mpart=mpart, limit=limit, hints=hint_texts,
        pattern_hints=pattern_hint_texts,
    )  # fmt: skip
    target = resolve_target(str(on), environment=os.environ)
    launch = suite_launch(target, ranks, on=str(on), engine=_path(engine), seed=str(seed), verify=verify)
    options = BEffIOOptions(
        time=time or DEFAULT_TIME[str(release)], file=default_file(target, on=str(on)) if file is None else str(file),
        partitions=partition_names(_listed(partitions), ranks=launch.shape.ranks), release=release, memory=memory,
        longest=mpart, limit=limit, hints=hint_texts, pattern_hints=pattern_hint_texts,
        random=random, types=pattern_types(_listed(types)),
        shared_pointers=shared_pointers, keep=keep, overwrite=overwrite,
    )  # fmt: skip
    result, _ = run_b_eff_io(
        launch, options, output=_path(output), cache_bytes=cache_bytes, progress=reporting_to(progress)
    )
    return BEffIOResults(result, sources=_sources(output))


def read_beff(path: Path) -> BEffResults:
    """b_eff from the last execution in a protocol. Raises SuiteFileError."""
    return BEffResults(evaluate_balanced_b_eff(path, rmax=rmax_choice(None)), sources=(path,))


def read_beff_io(path: Path) -> BEffIOResults:
    """b_eff_io from the last execution in a protocol. Raises SuiteFileError."""
    return BEffIOResults(evaluate_b_eff_io(path), sources=(path,))


def _listed(numbers: Sequence[int | str]) -> str | None:
    return ",".join(map(str, numbers)) or None


def _sources(output: str | PathLike[str] | None) -> tuple[Path, ...]:
    return () if output is None else (Path(output),)


def _path(value: str | PathLike[str] | None) -> Path | None:
    return None if value is None else Path(value)
